/**
 * base64url without padding (RFC 4648 §5), to and from bytes, in the three ways that platforms
 * offer; one is chosen at load.
 *
 * All platforms' decoders are lax, each in its own way: `Buffer` skips what it does not know,
 * accepts `+` and `/` and reads U+0141 as `A`; `setFromBase64` skips white space and ignores tail
 * bits. So `toBytes` writes the text again from the bytes and compares: that costs a third of the
 * conversion, misses nothing, and makes all ways alike. What it refuses, `diagnose` explains.
 *
 * The bytes that come from here may be a shared buffer longer than asked for: use them before the
 * next call, never hand them out.
 */

/** One way to convert; all of them behave alike on every string. */
export interface Base64Url {
  /**
   * The `size` bytes of the first `end` characters of `text`, or `undefined` unless these are the
   * canonical text of them. The right padding may follow: cutting it off first would cost more than
   * the decoders, which stop at it.
   */
  readonly toBytes: (text: string, end: number, size: number) => DataView | undefined;
  /** A buffer of at least `size` bytes, for `toText`. */
  readonly scratch: (size: number) => Uint8Array;
  /** The text of the first `size` bytes, without padding. */
  readonly toText: (bytes: Uint8Array, size: number) => string;
}

/** Longer than any version 5 or 6 link (2 049 bytes): only long version 4 links allocate. */
const SCRATCH_BYTES = 4096;

/**
 * The members used of Node's `Buffer`, `Uint8Array` with base64 and the web's globals: no
 * platform's types are wanted here.
 */
interface Platform {
  readonly atob: (text: string) => string;
  readonly btoa: (raw: string) => string;
  readonly Buffer?: { alloc: (size: number) => Uint8Array; prototype: Partial<BufferLike> };
}
interface BufferLike {
  base64urlWrite: (text: string, offset: number, length: number) => number;
  base64urlSlice: (start: number, end: number) => string;
}
interface ModernBytes {
  setFromBase64: (text: string, options: object) => unknown;
  toBase64: (options: object) => string;
}

const platform = globalThis as unknown as Platform;

/** For reading: a uint16 of a view takes half the time of two bytes of an array. */
export const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

const make = (
  allocate: (size: number) => Uint8Array,
  fill: (bytes: Uint8Array, text: string, size: number, end: number) => unknown,
  toText: Base64Url["toText"],
): Base64Url => {
  const shared = allocate(SCRATCH_BYTES);
  const sharedView = viewOf(shared);
  const scratch = (size: number) => (size > SCRATCH_BYTES ? allocate(size) : shared);
  return {
    scratch,
    toText,
    toBytes(text, end, size) {
      const bytes = scratch(size);
      try {
        fill(bytes, text, size, end);
      } catch {
        return undefined;
      }
      if (toText(bytes, size) !== text.slice(0, end)) return undefined;
      return bytes === shared ? sharedView : viewOf(bytes);
    },
  };
};

/**
 * Node, Bun, Deno: `write` and `toString` with an encoding do the same by way of these two, a tenth
 * slower.
 */
export const bufferCodec = (): Base64Url =>
  make(
    platform.Buffer!.alloc,
    (bytes, text, size) => (bytes as unknown as BufferLike).base64urlWrite(text, 0, size),
    (bytes, size) => (bytes as unknown as BufferLike).base64urlSlice(0, size),
  );

const allocate = (size: number) => new Uint8Array(size);
const OPTIONS = { alphabet: "base64url", omitPadding: true };

/** Engines with `Uint8Array.prototype.setFromBase64`, without `Buffer`: browsers. */
export const uint8ArrayCodec = (): Base64Url =>
  make(
    allocate,
    (bytes, text) => (bytes as unknown as ModernBytes).setFromBase64(text, OPTIONS),
    (bytes, size) => (bytes.subarray(0, size) as unknown as ModernBytes).toBase64(OPTIONS),
  );

/** Everywhere else: browsers from before 2025. */
export const atobCodec = (): Base64Url =>
  make(
    allocate,
    (bytes, text, _, end) => {
      const raw = platform.atob(text.slice(0, end).replaceAll("-", "+").replaceAll("_", "/"));
      for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    },
    (bytes, size) => {
      let raw = "";
      for (let i = 0; i < size; i++) raw += String.fromCharCode(bytes[i]!);
      return platform.btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    },
  );

/** The fastest way of this platform. */
export const base64Url: Base64Url = /*#__PURE__*/ (
  platform.Buffer?.prototype.base64urlSlice
    ? bufferCodec
    : "setFromBase64" in Uint8Array.prototype
      ? uint8ArrayCodec
      : atobCodec
)();

/** The character at which a payload that `toBytes` refused stops being canonical, and why. */
export const diagnose = (
  payload: string,
): readonly [
  "invalid-character" | "invalid-padding" | "invalid-length" | "non-zero-tail-bits",
  number,
] => {
  const end = payload.search(/[^\w-]|$/u);
  const tail = payload.slice(end);
  if (tail && tail[0] !== "=") return ["invalid-character", end];
  if (end % 4 === 1) return ["invalid-length", end - 1];
  if (tail && (payload.length % 4 || !/^==?$/u.test(tail))) return ["invalid-padding", end];
  return ["non-zero-tail-bits", end - 1];
};
