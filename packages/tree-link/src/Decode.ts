/**
 * Payload → link. Strict: what is not the canonical text of a version 4, 5 or 6 link is refused
 * with a `TreeLinkError`, so that two texts never mean the same link (padding aside). Big-endian
 * throughout; order and duplicates are kept.
 *
 * Use `safeDecode` where a bad link is no exception. For text around a payload (URLs) see
 * `tree-link/url`.
 */
import { TreeLinkError } from "./Errors.ts";
import { base64Url, diagnose, viewOf } from "./internal/Base64Url.ts";
import type { MasteryEffect, TreeLink } from "./TreeLink.ts";

/**
 * Longest payload that is read unless told otherwise, in characters: no game has a tree with so
 * many nodes.
 */
export const DEFAULT_MAX_LENGTH = 1_048_576;

/** What a caller may set. */
export interface CodecOptions {
  /** Longest payload to read or write, in characters; `DEFAULT_MAX_LENGTH` if not given. */
  readonly maxLength?: number | undefined;
}

/** A link, or the reason why there is none. */
export type DecodeResult =
  | { readonly ok: true; readonly link: TreeLink }
  | { readonly ok: false; readonly error: TreeLinkError };

/**
 * The link that a payload carries (base64url text, with or without padding).
 *
 * @throws TreeLinkError and nothing else.
 */
export const decode = (payload: string, options?: CodecOptions): TreeLink => {
  if (typeof payload !== "string") throw new TreeLinkError("invalid-type", 0, "character");
  const length = payload.length;
  const maxLength = options?.maxLength ?? DEFAULT_MAX_LENGTH;
  if (length > maxLength) throw new TreeLinkError("too-long", maxLength, "character");

  let end = length;
  if (payload[end - 1] === "=") end -= payload[end - 2] === "=" ? 2 : 1;
  const size = (end * 3) >>> 2;
  const isPaddingRight = end === length || length % 4 === 0;
  const bytes = isPaddingRight ? base64Url.toBytes(payload, end, size) : undefined;
  if (bytes === undefined) throw new TreeLinkError(...diagnose(payload), "character");
  return read(bytes, size);
};

/** As `decode`, with the error as a value. */
export const safeDecode = (payload: string, options?: CodecOptions): DecodeResult => {
  try {
    return { ok: true, link: decode(payload, options) };
  } catch (error) {
    return { ok: false, error: error as TreeLinkError };
  }
};

/**
 * The link of a byte stream, for those who have the bytes.
 *
 * @throws TreeLinkError and nothing else.
 */
export const decodeBytes = (bytes: Uint8Array): TreeLink => {
  if (!(bytes instanceof Uint8Array)) throw new TreeLinkError("invalid-type", 0, "byte");
  return read(viewOf(bytes), bytes.length);
};

const read = (bytes: DataView, size: number): TreeLink => {
  const version = size > 3 ? bytes.getUint32(0) : 4;
  if (version < 4 || version > 6) throw new TreeLinkError("unknown-version", 0, "byte", "version");
  if (size < 7) {
    const field = ["class", "ascendancy", version === 4 ? "fullscreen" : "hashes"][size - 4];
    throw new TreeLinkError("truncated", size, "byte", field ?? "version");
  }
  const characterClass = bytes.getUint8(4);
  const ascendancy = bytes.getUint8(5);
  if (version === 4) {
    const fullscreen = bytes.getUint8(6);
    if (fullscreen > 1) throw new TreeLinkError("invalid-fullscreen", 6, "byte", "fullscreen");
    if (size % 2 === 0) throw new TreeLinkError("odd-tail", size - 1, "byte", "hashes");
    const hashes = readHashes(bytes, 7, size);
    return { version, class: characterClass, ascendancy, fullscreen: fullscreen as 0 | 1, hashes };
  }

  const hashesEnd = endOfList(bytes, size, 6, 2, "hashes");
  const extendedEnd = endOfList(bytes, size, hashesEnd, 2, "extendedHashes");
  const end = version === 5 ? extendedEnd : endOfList(bytes, size, extendedEnd, 4, "masteries");
  if (end < size) throw new TreeLinkError("trailing-bytes", end, "byte");
  const hashes = readHashes(bytes, 7, hashesEnd);
  const extendedHashes = readHashes(bytes, hashesEnd + 1, extendedEnd);
  if (version === 5)
    return { version: 5, class: characterClass, ascendancy, hashes, extendedHashes };

  const masteries: Array<MasteryEffect> = [];
  for (let at = extendedEnd + 1; at < end; at += 4) {
    masteries.push({
      node: bytes.getUint16(at + 2),
      effect: bytes.getUint16(at),
    });
  }
  return {
    version: 6,
    class: characterClass,
    ascendancy: ascendancy & 3,
    alternateAscendancy: ascendancy >> 2,
    hashes,
    extendedHashes,
    masteries,
  };
};

/**
 * Where the list whose count stands at `at` ends; nothing is read beyond `size`, whatever the count
 * claims.
 */
const endOfList = (bytes: DataView, size: number, at: number, width: number, field: string) => {
  const end = at + 1 + (at < size ? bytes.getUint8(at) * width : 0);
  if (end > size) throw new TreeLinkError("truncated", size, "byte", field);
  return end;
};

const readHashes = (bytes: DataView, start: number, end: number): Array<number> => {
  const count = (end - start) >> 1;
  // Growing the array with `push` takes twice as long.
  // oxlint-disable-next-line unicorn/no-new-array
  const hashes = new Array<number>(count);
  for (let i = 0, at = start; i < count; i++, at += 2) hashes[i] = bytes.getUint16(at);
  return hashes;
};
