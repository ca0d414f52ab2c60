/**
 * Inflating with Node's zlib, whose `maxOutputLength` ends a bomb while it inflates.
 */
import {
  ACCEPTED_CODINGS,
  boundedCoding,
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
  options: InflateOptions,
): Uint8Array => {
  const coding = boundedCoding(encoding, options);
  const zlib = nodeZlib();
  if (coding === "identity" || zlib === undefined) throw refused(coding);
  try {
    return inflateHere(zlib, bytes, coding, options.limit);
  } catch (cause) {
    throw failureOf(cause, coding, options.limit);
  }
};

const inflateHere = (zlib: Zlib, bytes: Uint8Array, coding: Coding, maxOutputLength: number) => {
  const options = { maxOutputLength, chunkSize: CHUNK_BYTES, info: true } as const;
  return wholeOf(zlib[`${METHODS[coding]}Sync`](bytes, options), bytes);
};

/** The output, if zlib has taken every byte: it leaves what stands after the end of a body. */
const wholeOf = ({ buffer, engine }: Inflated, { byteLength }: Uint8Array): Uint8Array => {
  if (engine.bytesWritten !== byteLength) throw new Error(TRAILING);
  return buffer;
};

const TRAILING = "bytes after the end of the body";

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
      const bounds = { maxOutputLength: HEAD_BYTES, chunkSize: CHUNK_BYTES, info: true } as const;
      const options = { ...bounds, finishFlush };
      return zlib[`${METHODS[coding as Coding]}Sync`](bytes.subarray(0, length), options).buffer;
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
  /** The output comes with the engine that made it. */
  readonly info: true;
  readonly finishFlush?: number;
}

/** What zlib gives: `bytesWritten` is the input that it has taken. */
interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

type Sync = (bytes: Uint8Array, options: ZlibOptions) => Inflated;

type Async = (
  bytes: Uint8Array,
  options: ZlibOptions,
  done: (error: Error | null, output: Inflated) => void,
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
} & {
  readonly createGunzip: () => Engine;
  readonly createInflate: () => Engine;
};

/** A stream of zlib. */
interface Engine extends AsyncIterable<Uint8Array> {
  readonly destroyed: boolean;
  readonly bytesWritten: number;
  /** `done` is called once the bytes were taken, or at the engine's end. */
  readonly write: (bytes: Uint8Array, done: () => void) => void;
  readonly end: () => void;
  readonly destroy: (error?: unknown) => void;
  readonly once: (event: "close", done: () => void) => void;
}

/** Inflates piece by piece, at the pace of the reader. */
export async function* inflatePieces(
  zlib: Zlib,
  read: () => Promise<Uint8Array | undefined>,
  coding: "gzip" | "deflate",
  limit: number,
): AsyncGenerator<Uint8Array, undefined> {
  const engine = coding === "gzip" ? zlib.createGunzip() : zlib.createInflate();
  const closed = new Promise<void>((resolve) => engine.once("close", resolve));
  let taken = 0;
  let broken: { readonly cause: unknown } | undefined;
  const feed = async () => {
    try {
      while (!engine.destroyed) {
        const bytes = await read();
        if (bytes === undefined || engine.destroyed) break;
        taken += bytes.byteLength;
        const written = new Promise<void>((resolve) => engine.write(bytes, resolve));
        await Promise.race([written, closed]);
      }
      engine.end();
    } catch (cause) {
      broken = { cause };
      engine.destroy(cause);
    }
  };
  try {
    void feed();
    for await (const piece of engine) yield piece;
    if (engine.bytesWritten !== taken) throw new Error(TRAILING);
    return undefined;
  } catch (cause) {
    throw broken === undefined ? failureOf(cause, coding, limit) : broken.cause;
  } finally {
    engine.destroy();
  }
}

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
    const chunkSize = chunkSizeOf(bytes, coding, limit);
    const options = { maxOutputLength: limit, chunkSize, info: true } as const;
    zlib[METHODS[coding]](bytes, options, (error, output) => {
      try {
        if (error !== null) throw error;
        resolve(wholeOf(output, bytes));
      } catch (cause) {
        reject(failureOf(cause, coding, limit));
      }
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
