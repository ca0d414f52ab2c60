/**
 * Decodes payloads. Refuses a text that is not the canonical form of a link with a `TreeLinkError`,
 * so two texts never mean the same link, padding aside. Numbers are big-endian. Lists keep their
 * order and duplicates.
 *
 * Use `safeDecode` to get the error as a value. `tree-link/url` finds the payload in a URL or other
 * text. `tree-link/partial` reads refused links as far as possible.
 */
import { refusal, TreeLinkError, type TreeLinkReason } from "./Errors.ts";
import { toBytes, viewOf, wholeBytes } from "./internal/base64url.ts";
import type { ListName } from "./internal/table.ts";
import type { MasteryEffect, TreeLink, TreeLinkVersion } from "./TreeLink.ts";

/** Default of `maxLength`, in characters. No game has a tree with this many nodes. */
export const DEFAULT_MAX_LENGTH = 1_048_576;

/** Bounds the length of a payload. */
export interface CodecOptions {
  /** Longest payload to read or write, in characters. Default: `DEFAULT_MAX_LENGTH`. */
  readonly maxLength?: number | undefined;
}

/** Result of `safeDecode`: the link, or the error. */
export type DecodeResult =
  | { readonly ok: true; readonly link: TreeLink }
  | { readonly ok: false; readonly error: TreeLinkError };

/**
 * Reads the link of a payload: base64url text, with or without padding.
 *
 * @throws TreeLinkError and nothing else.
 *
 * @example
 * ```ts
 * import { decode } from "@game-data/tree-link";
 *
 * const link = decode("AAAABgMCAghnES0AAboaES0=");
 * console.log(link.version, link.hashes); // 6 [ 2151, 4397 ]
 * ```
 */
export const decode = (payload: string, options?: CodecOptions): TreeLink =>
  orThrow(readText(payload, options));

/** Reads a payload as `decode` does, but returns the error instead of throwing it. */
export const safeDecode = (payload: string, options?: CodecOptions): DecodeResult => {
  const result = readText(payload, options);
  return result instanceof TreeLinkError
    ? { ok: false, error: result }
    : { ok: true, link: result };
};

/**
 * Reads a link from the bytes that its payload encodes.
 *
 * @throws TreeLinkError and nothing else.
 */
export const decodeBytes = (bytes: Uint8Array): TreeLink => {
  // `instanceof` would refuse an array of another JavaScript realm, such as a frame.
  if (!ArrayBuffer.isView(bytes) || bytes.BYTES_PER_ELEMENT !== 1)
    throw refusal(["invalid-type", 0]);
  // Copies the bytes, because another thread may write to shared memory. A detached array is empty.
  const copy = new Uint8Array(bytes.length > 0 ? bytes : []);
  return orThrow(readBytes(viewOf(copy), copy.length));
};

const orThrow = <A>(result: A | TreeLinkError): A => {
  if (result instanceof TreeLinkError) throw result;
  return result;
};

const readText = (payload: string, options: CodecOptions | undefined): TreeLink | TreeLinkError => {
  if (typeof payload !== "string") return textRefusal("invalid-type", 0);
  const maxLength = options?.maxLength ?? DEFAULT_MAX_LENGTH;
  // The comparison is negated, so that a limit of NaN refuses every payload.
  if (!(payload.length <= maxLength)) return textRefusal("too-long", maxLength);
  const padding = payload.endsWith("=") ? (payload.endsWith("==") ? 2 : 1) : 0;
  const end = payload.length - padding;
  const isWholeGroup = padding === 0 || payload.length % 4 === 0;
  const bytes = isWholeGroup ? toBytes(payload, end) : undefined;
  return bytes === undefined ? explainText(payload) : readBytes(bytes, (end * 3) >>> 2);
};

const textRefusal = (reason: TreeLinkReason, offset: number, field?: string, hint?: string) =>
  refusal([reason, offset, field, undefined, hint], "character");

/** Returns the error for a text that is not canonical base64url, with the place of the mistake. */
const explainText = (payload: string): TreeLinkError => {
  const foreign = payload.search(/[^\w=-]/u);
  if (foreign >= 0) {
    const hint = /[\s.:?]/u.test(payload) ? " Use extractPayload for it." : "";
    return textRefusal("invalid-character", foreign, undefined, hint);
  }
  const [body] = payload.split("=", 1) as [string];
  const end = body.length;
  const padding = payload.slice(end);
  if (padding === "") {
    // A text that was cut within a byte has an impossible length, or bits that no byte uses.
    const text = wholeBytes(body);
    const whole = readBytes(toBytes(text, text.length)!, (end * 3) >>> 2);
    if (whole instanceof TreeLinkError && whole.reason === "truncated")
      return textRefusal("truncated", end, whole.field);
  }
  if (end % 4 === 1) return textRefusal("invalid-length", end - 1);
  return padding === "" || padding === "=".repeat(-end & 3)
    ? textRefusal("non-zero-tail-bits", end - 1)
    : textRefusal("invalid-padding", end);
};

/** The field of each of the first six bytes, which the error of a shorter payload names. */
const HEAD = ["version", "version", "version", "version", "class", "ascendancy"] as const;

const readBytes = (view: DataView, size: number): TreeLink | TreeLinkError => {
  // Fewer than four bytes are reported as truncated below.
  const version = (size < 4 ? 4 : view.getUint32(0)) as TreeLinkVersion;
  if (version < 4 || version > 6) {
    // Build planners export zlib data, whose first byte is 0x78.
    const hint = version >>> 24 === 0x78 ? " This is a build code." : "";
    return refusal(["unknown-version", 0, "version", version, hint]);
  }
  if (size < 7)
    return refusal(["truncated", size, HEAD[size] ?? (version === 4 ? "fullscreen" : "hashes")]);
  const characterClass = view.getUint8(4);
  const ascendancy = view.getUint8(5);
  if (version === 4) {
    const fullscreen = view.getUint8(6);
    if (fullscreen > 1) return refusal(["invalid-fullscreen", 6, "fullscreen", fullscreen]);
    if (size % 2 === 0) return refusal(["odd-tail", size - 1, "hashes"]);
    const hashes = readHashes(view, 7, size);
    return { version, class: characterClass, ascendancy, fullscreen: fullscreen as 0 | 1, hashes };
  }
  // If a list is cut off, its end and the ends of later lists are beyond the bytes.
  const hashesEnd = endOfList(view, size, 6, 2);
  const extendedEnd = endOfList(view, size, hashesEnd, 2);
  const end = version === 6 ? endOfList(view, size, extendedEnd, 4) : extendedEnd;
  if (end < size) return refusal(["trailing-bytes", end]);
  if (end > size) {
    const field: ListName =
      hashesEnd > size ? "hashes" : extendedEnd > size ? "extendedHashes" : "masteries";
    return refusal(["truncated", size, field]);
  }
  const hashes = readHashes(view, 7, hashesEnd);
  const extendedHashes = readHashes(view, hashesEnd + 1, extendedEnd);
  if (version === 5) return { version, class: characterClass, ascendancy, hashes, extendedHashes };
  return {
    version: version satisfies 6,
    class: characterClass,
    ascendancy: ascendancy & 3,
    alternateAscendancy: ascendancy >> 2,
    hashes,
    extendedHashes,
    masteries: readMasteries(view, extendedEnd + 1, end),
  };
};

/** Returns the end of the list whose count is at `at`. The view may be longer than `size`. */
const endOfList = (view: DataView, size: number, at: number, width: number): number =>
  at + 1 + (at < size ? view.getUint8(at) * width : 0);

/**
 * Reads the hashes between two places, four for each step. `| 0` keeps the counters integers. A
 * loop over single hashes takes twice as long, see `bench/tree-link.bench.ts`.
 */
const readHashes = (view: DataView, start: number, end: number): Array<number> => {
  const length = (end - start) >> 1;
  // An array that grows takes twice as long.
  // oxlint-disable-next-line unicorn/no-new-array
  const hashes = new Array<number>(length);
  let at = start | 0;
  let i = 0;
  for (; i + 3 < length; i = (i + 4) | 0) {
    const first = view.getInt32(at);
    const second = view.getInt32(at + 4);
    hashes[i] = first >>> 16;
    hashes[i + 1] = first & 0xffff;
    hashes[i + 2] = second >>> 16;
    hashes[i + 3] = second & 0xffff;
    at = (at + 8) | 0;
  }
  for (; i < length; i++) {
    hashes[i] = view.getUint16(at);
    at += 2;
  }
  return hashes;
};

const readMasteries = (view: DataView, start: number, end: number): Array<MasteryEffect> => {
  const masteries: Array<MasteryEffect> = [];
  for (let at = start; at < end; at += 4)
    masteries.push({ node: view.getUint16(at + 2), effect: view.getUint16(at) });
  return masteries;
};
