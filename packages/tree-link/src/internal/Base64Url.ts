/**
 * base64url without padding (RFC 4648 §5), to and from bytes, strictly.
 *
 * Short texts go through a table of the alphabet: a native call costs as much as 50 to 100
 * characters of that loop. Longer texts go through the platform's decoder, which is chosen at load.
 * Those decoders are lax: `Buffer` skips foreign characters, accepts `+` and `/`, and reads U+0141
 * as `A`; `setFromBase64` skips white space; both ignore tail bits. Three facts make them strict
 * without a second pass over the text: a decoder that skips or stops writes fewer bytes than the
 * length promises; `+`, `/` and characters above U+00FF are found by native searches; tail bits are
 * those of the last character.
 */

/** One way to convert. All ways behave alike on every string. */
export interface Base64Url {
  /**
   * Returns the bytes of the first `end` characters of `text`, or `undefined` unless `text` is
   * their canonical form. Correct padding may follow: the decoders stop at it. If `isLax`, the
   * last character may have tail bits.
   *
   * The view may be shared and longer than the bytes: read it before the next call.
   */
  readonly toBytes: (text: string, end: number, isLax?: boolean) => DataView | undefined;
  /** Writes the first `size` bytes as text, without padding. */
  readonly toText: (bytes: Uint8Array, size: number) => string;
  /** Makes a buffer for `size` bytes that `toText` takes. */
  readonly allocate: (size: number) => Uint8Array;
}

/** Holds every version 6 link (at most 2 049 bytes); longer ones allocate, such as of version 4. */
export const SCRATCH_BYTES = 4096;

/** Members of `Buffer` and of modern `Uint8Array`s: no platform's types are wanted here. */
interface Platform {
  readonly Buffer?: { alloc: (size: number) => Uint8Array; prototype: Partial<BufferLike> };
}
interface BufferLike {
  base64urlWrite: (text: string, offset: number, length: number) => number;
  base64urlSlice: (start: number, end: number) => string;
}
interface ModernBytes {
  setFromBase64: (text: string, options: object) => { written: number };
  toBase64: (options: object) => string;
}

const platform = globalThis as unknown as Platform;

export const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Value of each ASCII character, by its code; 128 or more for those outside the alphabet. */
const SEXTETS = /*#__PURE__*/ Uint8Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code)),
);
/**
 * Bits of the last character that no byte uses, by the number of characters in its group. A group of
 * one has no byte: 64 is set in every character there.
 */
const TAIL_BITS = [0, 127, 15, 3];

/** A `DataView` reads and writes a uint16 in half the time of two bytes of an array. */
export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Decodes by the table; `false` where a character is not in the alphabet. */
const fillShort = (bytes: Uint8Array, text: string, end: number): boolean => {
  let seen = 0;
  const sextet = (i: number): number => {
    if (i >= end) return 0;
    const code = text.charCodeAt(i);
    const value = SEXTETS[code & 127]!;
    // Bits above the lowest seven stay for good.
    seen |= code | value;
    return value;
  };
  for (let i = 0, at = 0; i < end; i += 4) {
    const group = (sextet(i) << 18) | (sextet(i + 1) << 12) | (sextet(i + 2) << 6) | sextet(i + 3);
    bytes[at++] = group >> 16;
    bytes[at++] = group >> 8;
    bytes[at++] = group;
  }
  return seen < 128;
};

const toShortText = (bytes: Uint8Array, size: number): string => {
  // The buffer may hold an older link behind the bytes.
  bytes[size] = bytes[size + 1] = 0;
  let text = "";
  for (let i = 0; i < size; i += 3) {
    const group = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    for (let shift = 18; shift >= 0; shift -= 6) text += ALPHABET[(group >> shift) & 63]!;
  }
  return text.slice(0, (size * 4 + 2) / 3);
};

/** The table takes as many characters and bytes as `most` says, the platform's functions the rest. */
const make = (
  allocateExactly: (size: number) => Uint8Array,
  fill: (bytes: Uint8Array, text: string, size: number) => number,
  toLongText: Base64Url["toText"],
  most: readonly [characters: number, bytes: number],
): Base64Url => {
  // The table reads and writes whole groups of three bytes.
  const allocate = (size: number) => allocateExactly(size + 3);
  const shared = allocate(SCRATCH_BYTES);
  const sharedView = viewOf(shared);
  return {
    allocate,
    toBytes(text, end, isLax) {
      const size = (end * 3) >>> 2;
      const bytes = size > SCRATCH_BYTES ? allocate(size) : shared;
      const isFilled =
        end > most[0] ? fill(bytes, text, size) === size : fillShort(bytes, text, end);
      if (!isFilled || (!isLax && (SEXTETS[text.charCodeAt(end - 1)]! | 64) & TAIL_BITS[end & 3]!))
        return undefined;
      return bytes === shared ? sharedView : viewOf(bytes);
    },
    toText: (bytes, size) => (size > most[1] ? toLongText : toShortText)(bytes, size),
  };
};

/** Immediately false for a string that the engine stores with one byte a character. */
const ABOVE_LATIN1 = /[^\0-\u00ff]/u;

/** Node, Bun, Deno. The public `write` and `toString` call these two, a tenth slower. */
export const bufferCodec = (): Base64Url =>
  make(
    platform.Buffer!.alloc,
    (bytes, text, size) =>
      text.includes("+") || text.includes("/") || ABOVE_LATIN1.test(text)
        ? 0
        : (bytes as unknown as BufferLike).base64urlWrite(text, 0, size),
    (bytes, size) => (bytes as unknown as BufferLike).base64urlSlice(0, size),
    [40, 9],
  );

const OPTIONS = { alphabet: "base64url", omitPadding: true };

/**
 * Everywhere else. Browsers since 2025 convert long texts by `setFromBase64` and `toBase64`, all
 * others by the table.
 */
export const uint8ArrayCodec = (isModern = "setFromBase64" in Uint8Array.prototype): Base64Url =>
  make(
    (size) => new Uint8Array(size),
    (bytes, text) => {
      try {
        return (bytes as unknown as ModernBytes).setFromBase64(text, OPTIONS).written;
      } catch {
        return 0;
      }
    },
    (bytes, size) => (bytes.subarray(0, size) as unknown as ModernBytes).toBase64(OPTIONS),
    isModern ? [100, 40] : [Infinity, Infinity],
  );

/** The fastest way of this platform. */
export const base64Url: Base64Url = /*#__PURE__*/ (
  platform.Buffer?.prototype.base64urlSlice ? bufferCodec : uint8ArrayCodec
)();

/** The bytes of `text`, which is canonical and has no padding, in an array of their own. */
export const bytesOf = (text: string): Uint8Array => {
  const view = base64Url.toBytes(text, text.length)!;
  return new Uint8Array(view.buffer, view.byteOffset, (text.length * 3) >>> 2).slice();
};

/** The canonical payload of `bytes`. */
export const textOf = (bytes: ReadonlyArray<number>): string => {
  const scratch = base64Url.allocate(bytes.length);
  scratch.set(bytes);
  return base64Url.toText(scratch, bytes.length) + ["", "==", "="][bytes.length % 3]!;
};

/** Cuts `text`, which has no padding, down to the canonical text of its whole bytes. */
export const wholeBytes = (text: string): string => {
  const tailBits = TAIL_BITS[text.length & 3]!;
  if (tailBits === 0) return text;
  const last = SEXTETS[text.charCodeAt(text.length - 1)]! & ~tailBits;
  // In a group of one character all bits are tail bits, so the character goes.
  return text.slice(0, -1) + (tailBits > 63 ? "" : ALPHABET[last]!);
};
