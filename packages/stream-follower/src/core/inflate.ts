/**
 * A whole body from its wire bytes to JSON text, on the thread pool, within a bound.
 *
 * The bound is zlib's own `maxOutputLength`, so a bomb is stopped while it inflates and not after.
 */
import * as Effect from "effect/Effect";
import { promisify } from "node:util";
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  inflate as inflateZlib,
  inflateSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";
import { DecompressError, PageTooLarge, TruncatedBody } from "../Errors.ts";
import { inflateHead } from "./NextIdScanner.ts";

const decoders = {
  gzip: promisify(gunzip),
  deflate: promisify(inflateZlib),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

const syncDecoders = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
} as const;

/**
 * The same on the thread that calls, for one that has nothing else to do. What is wrong with the
 * body is told, not thrown.
 */
export const inflateNow = (wire: Uint8Array, encoding: string, limit: number): Inflated => {
  if (encoding === "" || encoding === "identity") {
    return wire.length > limit ? pageTooLarge(limit, "inflated", wire, encoding) : wire;
  }
  if (!isKnown(encoding)) return unknownEncoding(encoding);
  try {
    return syncDecoders[encoding](wire, {
      maxOutputLength: limit,
      chunkSize: chunkSizeOf(wire, encoding, limit),
    });
  } catch (cause) {
    return failureOf(cause, wire, encoding, limit);
  }
};

/** The body, or what is wrong with it. */
export type Inflated = Uint8Array | DecompressError | PageTooLarge | TruncatedBody;

/**
 * A body this small (the answer at the end of the stream) is inflated faster than a thread can be
 * told to.
 */
export const SMALL_BYTES = 4096;

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

/** Inflates `wire`, at most `limit` bytes. */
export const inflate = (
  wire: Uint8Array,
  encoding: string,
  limit: number,
): Effect.Effect<Uint8Array, DecompressError | PageTooLarge | TruncatedBody> => {
  if (!isKnown(encoding) || wire.length <= SMALL_BYTES) {
    return Effect.suspend(() => {
      const inflated = inflateNow(wire, encoding, limit);
      return inflated instanceof Uint8Array ? Effect.succeed(inflated) : Effect.fail(inflated);
    });
  }
  const options = { maxOutputLength: limit, chunkSize: chunkSizeOf(wire, encoding, limit) };
  return Effect.tryPromise({
    try: () => decoders[encoding](wire, options),
    catch: (cause) => failureOf(cause, wire, encoding, limit),
  });
};

const unknownEncoding = (encoding: string) =>
  new DecompressError({ encoding, detail: "not an encoding we asked for" });

const isKnown = (encoding: string): encoding is keyof typeof decoders => encoding in decoders;

const failureOf = (cause: unknown, wire: Uint8Array, encoding: string, limit: number) => {
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
