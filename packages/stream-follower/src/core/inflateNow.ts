/**
 * A whole body from its wire bytes to JSON text, on the thread that calls, within a bound.
 *
 * The bound is zlib's own `maxOutputLength`, so a bomb is stopped while it inflates and not after.
 * A decoding thread loads this module and not Effect, so that it starts in half the time.
 */
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { DecompressError, PageTooLarge, TruncatedBody } from "../Errors.ts";
import { inflateHead } from "./NextIdScanner.ts";

const decoders = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
} as const;

/** Inflates `wire`, at most `limit` bytes. What is wrong with the body is told, not thrown. */
export const inflateNow = (wire: Uint8Array, encoding: string, limit: number): Inflated => {
  if (encoding === "" || encoding === "identity") {
    return wire.length > limit ? pageTooLarge(limit, "inflated", wire, encoding) : wire;
  }
  if (!isKnownEncoding(encoding)) return unknownEncoding(encoding);
  try {
    return decoders[encoding](wire, zlibOptions(wire, encoding, limit));
  } catch (cause) {
    return inflateFailure(cause, wire, encoding, limit);
  }
};

/** The body, or what is wrong with it. */
export type Inflated = Uint8Array | DecompressError | PageTooLarge | TruncatedBody;

const MIN_CHUNK = 64 * 1024;

/**
 * The most that a size named by the body itself is believed: real pages shrink some eightfold, and
 * repetitive ones thirtyfold.
 */
const BELIEVED_RATIO = 32;

/**
 * Size of the pieces that zlib works in. gzip ends with the size of what it holds: believed within
 * reason, it makes the whole page one piece, with no trips to the thread pool in between and
 * nothing to put together afterwards.
 */
const chunkSizeOf = (wire: Uint8Array, encoding: string, limit: number): number => {
  const most = Math.max(MIN_CHUNK, Math.min(limit, wire.length * BELIEVED_RATIO));
  const trailer = gzipTrailer(wire, encoding);
  if (trailer === undefined) return Math.min(most, 4 * MIN_CHUNK);
  return Math.min(most, Math.max(MIN_CHUNK, trailer.size + MIN_CHUNK));
};

/** Bound and piece size for zlib. */
export const zlibOptions = (wire: Uint8Array, encoding: string, limit: number) => ({
  maxOutputLength: limit,
  chunkSize: chunkSizeOf(wire, encoding, limit),
});

/** The end of a gzip body: CRC-32 and length of what its last member holds (RFC 1952 §2.3.1). */
export const gzipTrailer = (
  wire: Uint8Array,
  encoding: string,
): { readonly crc: number; readonly size: number } | undefined => {
  if (encoding !== "gzip" || wire.length < TRAILER_BYTES) return undefined;
  const at = wire.byteOffset + wire.length - TRAILER_BYTES;
  const view = new DataView(wire.buffer, at, TRAILER_BYTES);
  return { crc: view.getUint32(0, true), size: view.getUint32(4, true) };
};

const TRAILER_BYTES = 8;

/** Bytes of a page beyond the size limit that are kept for the quarantine. */
const KEPT_HEAD = 64 * 1024;

const unknownEncoding = (encoding: string) =>
  new DecompressError({ encoding, detail: "not an encoding we asked for" });

/** Whether a body of this encoding can be inflated. */
export const isKnownEncoding = (encoding: string): encoding is keyof typeof decoders =>
  encoding in decoders;

/** The error for what zlib threw. */
export const inflateFailure = (
  cause: unknown,
  wire: Uint8Array,
  encoding: string,
  limit: number,
): DecompressError | PageTooLarge | TruncatedBody => {
  const { code = "", message = "" } = cause as { code?: string; message?: string };
  if (code === "ERR_BUFFER_TOO_LARGE") return pageTooLarge(limit, "inflated", wire, encoding);
  // A stream that ends early, and a checksum or length that does not fit, are the same event: bytes
  // were lost on the way.
  if (code === "Z_BUF_ERROR" || /unexpected end|incorrect (data|length) check/.test(message)) {
    return new TruncatedBody({ received: wire.length, detail: message });
  }
  return new DecompressError({ encoding, detail: message });
};

/** The error of a page that is too large, with as much of its beginning as is worth keeping. */
export const pageTooLarge = (
  limit: number,
  stage: "wire" | "inflated",
  wire: Uint8Array,
  encoding: string,
): PageTooLarge => {
  const head = inflateHead(wire, encoding) ?? new Uint8Array();
  return new PageTooLarge({ limit, stage, head: Uint8Array.from(head.subarray(0, KEPT_HEAD)) });
};
