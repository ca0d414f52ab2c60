/**
 * Payload → link. Strict: a text that is not the canonical form of a version 4, 5 or 6 link is
 * refused with a `TreeLinkError`, so that two texts never mean the same link (padding aside).
 * Big-endian throughout; order and duplicates are kept.
 *
 * Use `safeDecode` where a bad link is no exception. `tree-link/url` finds the payload in a URL or
 * in other text; `tree-link/view` reads single fields in half the time; `tree-link/partial` reads
 * refused links as far as they go.
 *
 * ```ts
 * import { decode } from "@game-data/tree-link";
 *
 * const link = decode("AAAABgMCAghnES0AAboaES0=");
 * if (link.class !== 3 || link.hashes.join() !== "2151,4397") throw new Error("a Witch");
 * ```
 */
import { TreeLinkError } from "./Errors.ts";
import { base64Url, viewOf } from "./internal/Base64Url.ts";
import { textError } from "./internal/textError.ts";
import type { MasteryEffect, TreeLink, TreeLinkVersion } from "./TreeLink.ts";

/** Default of `maxLength`, in characters. No game has a tree with so many nodes. */
export const DEFAULT_MAX_LENGTH = 1_048_576;

/** Options of `decode` and `encode`. */
export interface CodecOptions {
  /** Longest payload to read or write, in characters. Default: `DEFAULT_MAX_LENGTH`. */
  readonly maxLength?: number | undefined;
}

/** A link, or the reason why there is none. */
export type DecodeResult =
  | { readonly ok: true; readonly link: TreeLink }
  | { readonly ok: false; readonly error: TreeLinkError };

/**
 * Reads the link that a payload carries: base64url text, with or without padding.
 *
 * @throws TreeLinkError and nothing else.
 */
export const decode = (payload: string, options?: CodecOptions): TreeLink => {
  const bytes = toBytes(payload, options);
  const size = sizeOf(payload);
  check(bytes, size);
  return read(bytes, size);
};

/** Reads a payload as `decode` does, with the error as a value. */
export const safeDecode = (payload: string, options?: CodecOptions): DecodeResult => {
  try {
    return { ok: true, link: decode(payload, options) };
  } catch (error) {
    return { ok: false, error: error as TreeLinkError };
  }
};

/**
 * Reads the link of a byte stream.
 *
 * @throws TreeLinkError and nothing else.
 */
export const decodeBytes = (bytes: Uint8Array): TreeLink => {
  // `instanceof` would refuse the arrays of another realm, such as a frame.
  if (!ArrayBuffer.isView(bytes) || bytes.BYTES_PER_ELEMENT !== 1)
    throw new TreeLinkError("invalid-type", 0, "byte");
  // A copy, so that shared memory stands still. A detached array cannot be copied: its length is 0.
  const copy = viewOf(new Uint8Array(bytes.length > 0 ? bytes : []));
  check(copy, copy.byteLength);
  return read(copy, copy.byteLength);
};

const EQUALS = 61;

/** Number of characters before the padding. */
const endOf = (payload: string): number => {
  const { length } = payload;
  if (payload.charCodeAt(length - 1) !== EQUALS) return length;
  return length - (payload.charCodeAt(length - 2) === EQUALS ? 2 : 1);
};

/** Number of bytes in a payload that `toBytes` accepts. */
export const sizeOf = (payload: string): number => (endOf(payload) * 3) >>> 2;

/**
 * Decodes the text. Use the bytes before the next call: the buffer is shared.
 *
 * @throws TreeLinkError where the text is not canonical base64url.
 */
export const toBytes = (payload: string, options?: CodecOptions): DataView => {
  if (typeof payload !== "string") throw new TreeLinkError("invalid-type", 0, "character");
  const maxLength = options?.maxLength ?? DEFAULT_MAX_LENGTH;
  const { length } = payload;
  // Written so that a limit that is no number refuses everything.
  if (!(length <= maxLength)) throw new TreeLinkError("too-long", maxLength, "character");
  const end = endOf(payload);
  const bytes = end === length || length % 4 === 0 ? base64Url.toBytes(payload, end) : undefined;
  if (bytes === undefined) throw textError(payload, check);
  return bytes;
};

/** Throws unless `bytes` is a whole link of `size` bytes. Looks at nothing beyond them. */
export const check = (bytes: DataView, size: number): void => {
  const version = size > 3 ? bytes.getUint32(0) : 4;
  if (version < 4 || version > 6)
    throw new TreeLinkError(
      "unknown-version",
      0,
      "byte",
      "version",
      version,
      // The first byte of zlib data: build planners export compressed text.
      version >>> 24 === 0x78 ? " This is a build code." : "",
    );
  if (size < 7) {
    const field = ["class", "ascendancy", version === 4 ? "fullscreen" : "hashes"][size - 4];
    throw new TreeLinkError("truncated", size, "byte", field ?? "version");
  }
  if (version === 4) {
    const actual = bytes.getUint8(6);
    if (actual > 1) throw new TreeLinkError("invalid-fullscreen", 6, "byte", "fullscreen", actual);
    if (size % 2 === 0) throw new TreeLinkError("odd-tail", size - 1, "byte", "hashes");
    return;
  }
  let end = endOfList(bytes, size, 6, 2, "hashes");
  end = endOfList(bytes, size, end, 2, "extendedHashes");
  if (version === 6) end = endOfList(bytes, size, end, 4, "masteries");
  if (end < size) throw new TreeLinkError("trailing-bytes", end, "byte");
};

/** Returns the end of the list whose count is at `at`. */
const endOfList = (bytes: DataView, size: number, at: number, width: number, field: string) => {
  const end = at + 1 + (at < size ? bytes.getUint8(at) * width : 0);
  if (end > size) throw new TreeLinkError("truncated", size, "byte", field);
  return end;
};

/** Reads a link that `check` accepts. */
const read = (bytes: DataView, size: number): TreeLink => {
  const version = bytes.getUint8(3) as TreeLinkVersion;
  const characterClass = bytes.getUint8(4);
  const ascendancy = bytes.getUint8(5);
  const count = bytes.getUint8(6);
  if (version === 4)
    return {
      version,
      class: characterClass,
      ascendancy,
      fullscreen: count as 0 | 1,
      hashes: readHashes(bytes, 7, (size - 7) >> 1),
    };
  const extendedAt = 8 + 2 * count;
  const extendedCount = bytes.getUint8(extendedAt - 1);
  const hashes = readHashes(bytes, 7, count);
  const extendedHashes = readHashes(bytes, extendedAt, extendedCount);
  if (version === 5) return { version, class: characterClass, ascendancy, hashes, extendedHashes };
  return {
    version: version satisfies 6,
    class: characterClass,
    ascendancy: ascendancy & 3,
    alternateAscendancy: ascendancy >> 2,
    hashes,
    extendedHashes,
    masteries: readMasteries(bytes, extendedAt + 2 * extendedCount + 1, size),
  };
};

/**
 * Reads `count` hashes from `at` on.
 *
 * Two hashes a step, and `| 0` so that the counters stay integers: half the time of the plain loop.
 */
export const readHashes = (bytes: DataView, start: number, count: number): Array<number> => {
  const length = count | 0;
  // Growing the array with `push` takes twice as long.
  // oxlint-disable-next-line unicorn/no-new-array
  const hashes = new Array<number>(length);
  let at = start | 0;
  let i = 0;
  for (; i + 1 < length; i = (i + 2) | 0) {
    const pair = bytes.getInt32(at);
    hashes[i] = pair >>> 16;
    hashes[i + 1] = pair & 0xffff;
    at = (at + 4) | 0;
  }
  if (i < length) hashes[i] = bytes.getUint16(at);
  return hashes;
};

/** Reads the mastery effects between `at` and `end`. */
export const readMasteries = (bytes: DataView, at: number, end: number): Array<MasteryEffect> => {
  const masteries: Array<MasteryEffect> = [];
  for (; at < end; at += 4)
    masteries.push({ node: bytes.getUint16(at + 2), effect: bytes.getUint16(at) });
  return masteries;
};
