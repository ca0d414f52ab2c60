/**
 * The key of a stash in a store: 32 bytes, whatever the id is.
 *
 * Ids of the service are 64 hexadecimal digits; any other id becomes the SHA-256 of its UTF-16 code
 * units. So keys are bounded (indexes of PostgreSQL refuse long ones), hold no NUL, and two ids
 * that differ by a lone surrogate, which UTF-8 cannot tell apart, stay apart.
 */
import { createHash } from "node:crypto";

/** Makes the key. */
export const stashKey = (id: string): Uint8Array =>
  HEX.test(id)
    ? Buffer.from(id, "hex")
    : createHash("sha256").update(Buffer.from(id, "utf16le")).digest();

/** The id as text where the key does not tell it; well-formed and without NUL. */
export const oddId = (id: string): string | null => (HEX.test(id) ? null : displayText(id));

/** The id of a key. */
export const idOfKey = (key: Uint8Array, odd: string | null): string =>
  odd ?? Buffer.from(key).toString("hex");

/** Text that every database accepts: NUL and lone surrogates become U+FFFD. */
export const displayText = (text: string): string =>
  text.toWellFormed().replaceAll("\u0000", "\uFFFD");

const HEX = /^[0-9a-f]{64}$/u;
