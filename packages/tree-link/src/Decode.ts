/**
 * Payload → link. Strict: a text that is not the canonical form of a link is
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
import { type TreeLinkFault, refusal, TreeLinkError } from "./Errors.ts";
import { base64Url, viewOf } from "./internal/Base64Url.ts";
import { fail, textError } from "./internal/textError.ts";
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
export const decode = (payload: string, options?: CodecOptions): TreeLink =>
  read(orThrow(checkedBytes(payload, options)), sizeOf(payload));

/** Reads a payload as `decode` does, with the error as a value. */
export const safeDecode = (payload: string, options?: CodecOptions): DecodeResult => {
  const bytes = checkedBytes(payload, options);
  return bytes instanceof TreeLinkError
    ? { ok: false, error: bytes }
    : { ok: true, link: read(bytes, sizeOf(payload)) };
};

/**
 * Reads the link of a byte stream.
 *
 * @throws TreeLinkError and nothing else.
 */
export const decodeBytes = (bytes: Uint8Array): TreeLink => {
  // `instanceof` would refuse the arrays of another realm, such as a frame.
  if (!ArrayBuffer.isView(bytes) || bytes.BYTES_PER_ELEMENT !== 1)
    throw refusal(["invalid-type", 0]);
  // A copy, so that shared memory stands still. A detached array cannot be copied: its length is 0.
  const copy = viewOf(new Uint8Array(bytes.length > 0 ? bytes : []));
  return read(orThrow(checked(copy, copy.byteLength)), copy.byteLength);
};

/** Throws what was refused. Inside, refusals are values: throwing one takes as long as making it. */
export const orThrow = <A>(result: A | TreeLinkError): A => {
  if (result instanceof TreeLinkError) throw result;
  return result;
};

/** Number of characters before the padding. */
const endOf = (payload: string): number =>
  payload.length - (payload.endsWith("=") ? (payload.endsWith("==") ? 2 : 1) : 0);

/** Number of bytes in a payload that `checkedBytes` accepts. */
export const sizeOf = (payload: string): number => (endOf(payload) * 3) >>> 2;

/**
 * Returns the bytes of a link, or why there is none. Use the bytes before the next call: the buffer
 * is shared.
 */
export const checkedBytes = (payload: string, options?: CodecOptions): DataView | TreeLinkError => {
  if (typeof payload !== "string") return fail("invalid-type", 0);
  const maxLength = options?.maxLength ?? DEFAULT_MAX_LENGTH;
  // Written so that a limit that is no number refuses everything.
  if (!(payload.length <= maxLength)) return fail("too-long", maxLength);
  const end = endOf(payload);
  const isPadded = end === payload.length || payload.length % 4 === 0;
  const bytes = isPadded && base64Url.toBytes(payload, end);
  return bytes ? checked(bytes, (end * 3) >>> 2) : textError(payload, check);
};

const checked = (bytes: DataView, size: number): DataView | TreeLinkError => {
  const fault = check(bytes, size);
  return fault ? refusal(fault) : bytes;
};

/** Tells why `bytes` is no whole link of `size` bytes, if so. Looks at nothing beyond them. */
const check = (bytes: DataView, size: number): TreeLinkFault | undefined => {
  const version = size > 3 ? bytes.getUint32(0) : 4;
  if (version < 4 || version > 6)
    return [
      "unknown-version",
      0,
      "version",
      version,
      // The first byte of zlib data: build planners export compressed text.
      version >>> 24 === 0x78 ? " This is a build code." : "",
    ];
  if (size < 7) {
    const fields = ["class", "ascendancy", version === 4 ? "fullscreen" : "hashes"];
    return ["truncated", size, fields[size - 4] ?? "version"];
  }
  if (version === 4) {
    const actual = bytes.getUint8(6);
    if (actual > 1) return ["invalid-fullscreen", 6, "fullscreen", actual];
    return size % 2 === 0 ? ["odd-tail", size - 1, "hashes"] : undefined;
  }
  const endOfList = (at: number, width: number) =>
    at + 1 + (at < size ? bytes.getUint8(at) * width : 0);
  const hashesEnd = endOfList(6, 2);
  const extendedEnd = endOfList(hashesEnd, 2);
  const end = version === 6 ? endOfList(extendedEnd, 4) : extendedEnd;
  if (end < size) return ["trailing-bytes", end];
  // Behind a list that is cut off, every end is too large.
  if (hashesEnd > size) return ["truncated", size, "hashes"];
  if (extendedEnd > size) return ["truncated", size, "extendedHashes"];
  return end > size ? ["truncated", size, "masteries"] : undefined;
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
