/**
 * Strict base64url without padding (RFC 4648 §5), to and from bytes.
 *
 * Short texts go through a table of the alphabet, because a native call takes as long as about 40
 * characters of that loop. Longer texts go through `Buffer` if the runtime has it. `Buffer` is lax.
 * It skips foreign characters, accepts `+` and `/`, reads U+0141 as `A`, and ignores tail bits.
 * Three checks make it strict without a second pass over the text: a decoder that skips or stops
 * writes fewer bytes than the length promises, native searches find `+`, `/` and characters above
 * U+00FF, and only the last character has tail bits.
 */

/** Converts between bytes and base64url text without padding. */
export interface Conversion {
  /**
   * Returns the bytes of the first `end` characters of `text`, or `undefined` if these characters
   * are not canonical base64url. Only correct padding may follow, because `Buffer` stops there.
   *
   * The view may be longer than the bytes, and the next call may overwrite it.
   */
  readonly toBytes: (text: string, end: number) => DataView | undefined;
  /** Returns the first `size` bytes as text without padding. `bytes` must be from `allocate`. */
  readonly toText: (bytes: Uint8Array, size: number) => string;
  /** Returns a buffer for `size` bytes that `toText` accepts. */
  readonly allocate: (size: number) => Uint8Array;
}

/** Size of reused buffers, in bytes. Links of version 5 and 6 have at most 2,049 bytes. */
export const SCRATCH_BYTES = 16_384;

export const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Value of each ASCII character, by its code. 255 is outside the alphabet. */
const SEXTETS = Uint8Array.from({ length: 128 }, (_, code) =>
  ALPHABET.indexOf(String.fromCharCode(code)),
);

/**
 * Bits of the last character that no byte uses, by the number of characters in its group. A group of
 * one character is never canonical. Bit 6, which the check sets, refuses it.
 */
const TAIL_BITS = [0, 0b100_0000, 0b1111, 0b11];

/** Returns a view of an array. A view reads a uint16 in half the time of two array elements. */
export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Decodes groups of four characters by the table. Returns `false` for a foreign character. */
const decodeByTable = (bytes: Uint8Array, text: string, end: number): boolean => {
  let bits = 0;
  const sextet = (i: number): number => {
    if (i >= end) return 0;
    const code = text.charCodeAt(i);
    const value = SEXTETS[code & 127]!;
    bits |= code | value;
    return value;
  };
  for (let i = 0, at = 0; i < end; i += 4) {
    const group = (sextet(i) << 18) | (sextet(i + 1) << 12) | (sextet(i + 2) << 6) | sextet(i + 3);
    bytes[at++] = group >> 16;
    bytes[at++] = group >> 8;
    bytes[at++] = group;
  }
  return bits < 128;
};

const encodeByTable = (bytes: Uint8Array, size: number): string => {
  // Clears the next two bytes, because a reused buffer may still hold a longer link.
  bytes[size] = bytes[size + 1] = 0;
  let text = "";
  for (let i = 0; i < size; i += 3) {
    const group = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    for (let shift = 18; shift >= 0; shift -= 6) text += ALPHABET[(group >> shift) & 63]!;
  }
  return text.slice(0, (size * 4 + 2) / 3);
};

/** The methods of Node's `Buffer` in use. The public `write` and `toString` are a tenth slower. */
interface NodeBytes extends Uint8Array {
  readonly base64urlWrite: (text: string, offset: number, length: number) => number;
  readonly base64urlSlice: (start: number, end: number) => string;
}

const { Buffer: NodeBuffer } = globalThis as unknown as {
  readonly Buffer?: { readonly alloc: (size: number) => NodeBytes; readonly prototype: object };
};

/** Longest text, and largest number of bytes, for which the table is faster than `Buffer`. */
const TABLE_CHARACTERS = 40;
const TABLE_BYTES = 9;

/** Characters above U+00FF. Searching a string that the engine stores in Latin-1 takes no time. */
const ABOVE_LATIN1 = /[^\0-\u00ff]/u;

const decodeByBuffer = (bytes: Uint8Array, text: string, size: number): boolean =>
  !text.includes("+") &&
  !text.includes("/") &&
  !ABOVE_LATIN1.test(text) &&
  (bytes as NodeBytes).base64urlWrite(text, 0, size) === size;

/**
 * Makes a conversion that uses `Buffer` for long texts, or only the table. The results are equal.
 */
export const makeConversion = (hasBuffer: boolean): Conversion => {
  const maxCharacters = hasBuffer ? TABLE_CHARACTERS : Infinity;
  const maxBytes = hasBuffer ? TABLE_BYTES : Infinity;
  // Adds three bytes, because the table reads and writes whole groups of three bytes.
  const allocate = (size: number): Uint8Array =>
    hasBuffer ? NodeBuffer!.alloc(size + 3) : new Uint8Array(size + 3);
  const scratch = allocate(SCRATCH_BYTES);
  const scratchView = viewOf(scratch);
  return {
    allocate,
    toBytes(text, end) {
      const size = (end * 3) >>> 2;
      const bytes = size > SCRATCH_BYTES ? allocate(size) : scratch;
      const isDecoded =
        end > maxCharacters ? decodeByBuffer(bytes, text, size) : decodeByTable(bytes, text, end);
      const last = SEXTETS[text.charCodeAt(end - 1)]! | 0b100_0000;
      if (!isDecoded || (last & TAIL_BITS[end & 3]!) !== 0) return undefined;
      return bytes === scratch ? scratchView : viewOf(bytes);
    },
    toText: (bytes, size) =>
      size > maxBytes ? (bytes as NodeBytes).base64urlSlice(0, size) : encodeByTable(bytes, size),
  };
};

/** Conversion by `Buffer` if its methods support base64url, and otherwise by the table. */
export const { allocate, toBytes, toText }: Conversion = makeConversion(
  NodeBuffer !== undefined && "base64urlSlice" in NodeBuffer.prototype,
);

/** Returns the padding (`=`) of a text that encodes `size` bytes. */
export const paddingFor = (size: number): string => ["", "==", "="][size % 3]!;

/** Returns the bytes of a canonical text without padding, in an array of their own. */
export const copyBytes = (text: string): Uint8Array => {
  const { buffer, byteOffset } = toBytes(text, text.length)!;
  return new Uint8Array(buffer, byteOffset, (text.length * 3) >>> 2).slice();
};

/** Returns the canonical text of `bytes`, with padding. */
export const toPaddedText = (bytes: ReadonlyArray<number>): string => {
  const copy = allocate(bytes.length);
  copy.set(bytes);
  return toText(copy, bytes.length) + paddingFor(bytes.length);
};

/** Removes the characters and bits after the last whole byte of a base64url text. */
export const wholeBytes = (text: string): string => {
  const rest = text.length % 4;
  if (rest === 0) return text;
  if (rest === 1) return text.slice(0, -1);
  const last = SEXTETS[text.charCodeAt(text.length - 1)]! & ~TAIL_BITS[rest]!;
  return text.slice(0, -1) + ALPHABET[last]!;
};
