/** Text that both databases keep unchanged, and compressed documents. */
import { inflateSync } from "@game-data/contract/inflate";

/**
 * Returns the stored form of a change id or stash id. PostgreSQL refuses U+0000, and lone surrogates
 * do not survive UTF-8, so such an id is stored as its JSON text.
 */
export const encodeId = (id: string): string =>
  id.isWellFormed() && !id.includes("\u0000") && !id.startsWith(PREFIX)
    ? id
    : `${PREFIX}${JSON.stringify(id)}`;

/** Returns the id of a stored text. */
export const decodeId = (text: string): string =>
  text.startsWith(PREFIX) ? (JSON.parse(text.slice(PREFIX.length)) as string) : text;

const PREFIX = "json:";

/** Returns text for people: U+0000 and lone surrogates become U+FFFD. */
export const displayText = (text: string): string =>
  text.toWellFormed().replaceAll("\u0000", "\uFFFD");

/** Decompresses bytes that this package has compressed. */
export const decompress = (bytes: Uint8Array): Uint8Array =>
  inflateSync(bytes, "zstd", { limit: MAX_DOCUMENT_BYTES, codings: ["zstd"] });

const MAX_DOCUMENT_BYTES = 2 ** 30;
