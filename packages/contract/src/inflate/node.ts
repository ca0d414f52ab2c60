/**
 * Inflating with Node's zlib, whose `maxOutputLength` ends a bomb while it inflates.
 */
import {
  ACCEPTED_CODINGS,
  acceptedCoding,
  type Coding,
  InflateError,
  type InflateOptions,
  normalise,
  refused,
  tooLarge,
} from "./Coding.ts";

/** Inflates a whole body: small ones on the calling thread, others on the thread pool. */
export const inflateWithZlib = async (
  zlib: Zlib,
  bytes: Uint8Array,
  coding: Coding,
  limit: number,
): Promise<Uint8Array> =>
  inflateSmall(zlib, bytes, coding, limit) ?? inflateOffThread(zlib, bytes, coding, limit);

/**
 * Inflates a whole body on the calling thread: what a program compressed itself, and reads back
 * where it cannot wait. Needs Node's zlib. Throws an `InflateError`.
 */
export const inflateSync = (
  bytes: Uint8Array,
  encoding: string,
  { codings, limit }: InflateOptions,
): Uint8Array => {
  const coding = acceptedCoding(encoding, codings);
  const zlib = nodeZlib();
  if (coding === "identity" || zlib === undefined) throw refused(coding);
  try {
    return inflateHere(zlib, bytes, coding, limit);
  } catch (cause) {
    throw failureOf(cause, coding, limit);
  }
};

const inflateHere = (zlib: Zlib, bytes: Uint8Array, coding: Coding, maxOutputLength: number) =>
  zlib[`${METHODS[coding]}Sync`](bytes, { maxOutputLength, chunkSize: CHUNK_BYTES });

/**
 * Inflates the beginning of a body that may break off anywhere, on the calling thread: at most
 * `COMPRESSED_HEAD_BYTES` of it into at most `HEAD_BYTES`. `undefined` where nothing can be said:
 * a coding that was not asked for, zstd (it has no output before a whole block), a bomb, no zlib.
 */
export const inflateHead = (
  bytes: Uint8Array,
  encoding: string,
  codings: ReadonlyArray<Coding> = ACCEPTED_CODINGS,
): Uint8Array | undefined => {
  const coding = normalise(encoding);
  if (coding === "identity") return bytes.subarray(0, HEAD_BYTES);
  const zlib = nodeZlib();
  if (zlib === undefined || coding === "zstd" || !codings.includes(coding as Coding)) return;
  const finishFlush = coding === "br" ? BROTLI_OPERATION_FLUSH : Z_SYNC_FLUSH;
  // A deflated byte holds at most 1,032 bytes, so the shorter try fits whatever the body is.
  const tries = coding === "br" ? [COMPRESSED_HEAD_BYTES] : [COMPRESSED_HEAD_BYTES, 1_000];
  for (const length of tries) {
    try {
      const options = { finishFlush, maxOutputLength: HEAD_BYTES, chunkSize: CHUNK_BYTES };
      return zlib[`${METHODS[coding as Coding]}Sync`](bytes.subarray(0, length), options);
    } catch (cause) {
      if (!isTooLarge(cause)) return;
    }
  }
  return undefined;
};

/** Output of a head at most. */
const HEAD_BYTES = 1_048_576;

/** Input of a head at most. */
export const COMPRESSED_HEAD_BYTES = 16_384;

/** `constants.Z_SYNC_FLUSH` and `constants.BROTLI_OPERATION_FLUSH`: give what is there. */
const Z_SYNC_FLUSH = 2;
const BROTLI_OPERATION_FLUSH = 1;

interface ZlibOptions {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
  readonly finishFlush?: number;
}

type Sync = (bytes: Uint8Array, options: ZlibOptions) => Uint8Array;

type Async = (
  bytes: Uint8Array,
  options: ZlibOptions,
  done: (error: Error | null, output: Uint8Array) => void,
) => void;

const METHODS = {
  gzip: "gunzip",
  deflate: "inflate",
  br: "brotliDecompress",
  zstd: "zstdDecompress",
} as const;

type Method = (typeof METHODS)[Coding];

/** What is used of `node:zlib`. */
export type Zlib = { readonly [Name in Method]: Async } & {
  readonly [Name in `${Method}Sync`]: Sync;
};

/** Node's zlib, reached without an import that a browser's bundler would fail on. */
export const nodeZlib = (): Zlib | undefined =>
  (
    globalThis as {
      readonly process?: { readonly getBuiltinModule?: (name: string) => unknown };
    }
  ).process?.getBuiltinModule?.("node:zlib") as Zlib | undefined;

/** A body of this size is inflated faster than a thread can be told to. */
const SMALL_BYTES = 4_096;

/** Output that the calling thread makes of a small body; a larger one goes to the thread pool. */
const SMALL_OUTPUT_BYTES = 262_144;

const inflateSmall = (
  zlib: Zlib,
  bytes: Uint8Array,
  coding: Coding,
  limit: number,
): Uint8Array | undefined => {
  if (bytes.byteLength > SMALL_BYTES) return undefined;
  const maxOutputLength = Math.min(limit, SMALL_OUTPUT_BYTES);
  try {
    return inflateHere(zlib, bytes, coding, maxOutputLength);
  } catch (cause) {
    if (isTooLarge(cause) && limit > maxOutputLength) return undefined;
    throw failureOf(cause, coding, limit);
  }
};

const inflateOffThread = (
  zlib: Zlib,
  bytes: Uint8Array,
  coding: Coding,
  limit: number,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const options = { maxOutputLength: limit, chunkSize: chunkSizeOf(bytes, coding, limit) };
    zlib[METHODS[coding]](bytes, options, (error, output) => {
      if (error === null) resolve(output);
      else reject(failureOf(error, coding, limit));
    });
  });

const CHUNK_BYTES = 65_536;

/**
 * The most that a size named by the body itself is believed: real pages shrink some eightfold, and
 * repetitive ones thirtyfold.
 */
const BELIEVED_RATIO = 32;

/**
 * Size of the pieces that zlib works in. gzip ends with the size of what it holds (RFC 1952
 * §2.3.1): believed within reason, it makes the whole body one piece, with no trips to the thread
 * pool in between and nothing to put together afterwards.
 */
const chunkSizeOf = (bytes: Uint8Array, coding: Coding, limit: number): number => {
  const { buffer, byteLength, byteOffset } = bytes;
  const most = Math.max(CHUNK_BYTES, Math.min(limit, byteLength * BELIEVED_RATIO));
  if (coding !== "gzip" || byteLength < 8) return Math.min(most, 4 * CHUNK_BYTES);
  const size = new DataView(buffer, byteOffset + byteLength - 4, 4).getUint32(0, true);
  return Math.min(most, size + CHUNK_BYTES);
};

/** Whether zlib stopped at its `maxOutputLength`. */
const isTooLarge = (cause: unknown): boolean =>
  (cause as { readonly code?: unknown }).code === "ERR_BUFFER_TOO_LARGE";

/** The error for what zlib threw. */
const failureOf = (cause: unknown, coding: Coding, limit: number): InflateError => {
  if (isTooLarge(cause)) return tooLarge(limit);
  const { code, message } = cause as { readonly code?: unknown; readonly message?: string };
  // A body that ends early, and a checksum or length that does not fit, are the same event: bytes
  // were lost on the way.
  const isTruncated =
    code === "Z_BUF_ERROR" || /unexpected end|incorrect (?:data|length) check/u.test(message ?? "");
  return new InflateError(
    isTruncated ? "truncated" : "corrupt",
    `${coding}: ${message ?? "the body cannot be inflated"}`,
    cause,
  );
};
