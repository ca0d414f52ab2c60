/**
 * Inflates the bodies of responses up to a limit, as a whole or piece by piece.
 *
 * A body may be a bomb, so a limit stops the work while it runs. A coding that the request did not
 * accept is refused before a byte is read (RFC 9110 §12.5.3). Node's zlib does the work. Browsers
 * have no zlib, and their `fetch` inflates by itself, so every coding is refused.
 */
import { taggedFailures } from "./taggedFailure.ts";

const taggedFailure = taggedFailures("contract");

/** A content coding that zlib can inflate (RFC 9110 §8.4.1). */
export type Coding = "gzip" | "deflate" | "br" | "zstd";

/** Codings that a request accepts by default. */
export const ACCEPTED_CODINGS: ReadonlyArray<Coding> = ["gzip"];

/** The size limit and the accepted codings of a body. */
export interface InflateOptions {
  /** Maximum bytes of output, at least 1. Bounds CPU time as well, at 2 to 3 ms a megabyte. */
  readonly limit: number;
  /** The codings that the request accepted. Default: `ACCEPTED_CODINGS`. */
  readonly codings?: ReadonlyArray<Coding> | undefined;
}

/**
 * A body was not inflated.
 *
 * What to do: raise the limit for `too-large`; repeat the request for `truncated`.
 */
export class InflateError extends taggedFailure("InflateError")<{
  /**
   * - `refused`: the request did not accept the coding.
   * - `too-large`: the output exceeds the limit.
   * - `truncated`: the end is missing, or the checksum or the length does not match.
   * - `corrupt`: the body is not in this coding, or bytes follow its end.
   * - `limit`: the limit is not a positive integer.
   */
  readonly reason: "refused" | "too-large" | "truncated" | "corrupt" | "limit";
  readonly detail: string;
  readonly cause?: unknown;
}> {
  override get message(): string {
    return this.detail;
  }

  override get isRetryable(): boolean {
    return this.reason === "truncated";
  }
}

/**
 * Returns the coding that a `Content-Encoding` names, or `identity` for an empty text. Throws an
 * `InflateError` with the reason `refused` if the coding is not in `codings`.
 */
export const acceptedCoding = (
  encoding: string,
  codings: ReadonlyArray<Coding> = ACCEPTED_CODINGS,
): Coding | "identity" => {
  const name = encoding.trim().toLowerCase() || "identity";
  if (name === "identity") return name;
  // `x-gzip` is another name of gzip (RFC 9110 §8.4.1.3).
  const coding = codings.find((accepted) => accepted === name || `x-${accepted}` === name);
  if (coding === undefined) throw refused(name);
  return coding;
};

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Inflates a body piece by piece on zlib's threads, at the pace of the reader. A reader that stops
 * early also ends `pieces`. Throws an `InflateError`, or the error of `pieces` itself.
 */
export const inflateStream: (
  pieces: Pieces,
  encoding: string,
  options: InflateOptions,
) => AsyncGenerator<Uint8Array, void> = inflatePieces;

async function* inflatePieces(
  pieces: Pieces,
  encoding: string,
  options: InflateOptions,
  pieceBytes = PIECE_BYTES,
): AsyncGenerator<Uint8Array, void> {
  const coding = checkedCoding(encoding, options);
  const output = coding === "identity" ? pieces : decode(pieces, coding, options, pieceBytes);
  let length = 0;
  for await (const piece of output) {
    length += piece.byteLength;
    if (length > options.limit) throw tooLarge(options);
    yield piece;
  }
}

/** Inflates a whole body on zlib's threads. Rejects with an `InflateError`. */
export const inflate = async (
  bytes: Uint8Array,
  encoding: string,
  options: InflateOptions,
): Promise<Uint8Array> => {
  // Output of the stated length arrives as one piece, which needs no copy. For a page of the stash
  // stream, the copy took a third of the CPU time.
  const pieceBytes = Math.max(PIECE_BYTES, Math.min(options.limit, statedLength(bytes)) + 1);
  const pieces: Array<Uint8Array> = [];
  for await (const piece of inflatePieces([bytes], encoding, options, pieceBytes)) {
    pieces.push(piece);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
};

/**
 * Returns the length that a gzip body states at its end, at most the length that deflate can reach.
 * Returns 0 if the body is not gzip.
 */
const statedLength = (bytes: Uint8Array): number => {
  if (bytes.length < MIN_GZIP_BYTES || bytes[0] !== 0x1f || bytes[1] !== 0x8b) return 0;
  const { buffer, byteLength, byteOffset } = bytes;
  const stated = new DataView(buffer, byteOffset).getUint32(byteLength - 4, true);
  return Math.min(stated, MAX_DEFLATE_RATIO * byteLength);
};

/** Bytes of the header and the trailer (RFC 1952 §2.3). */
const MIN_GZIP_BYTES = 18;
const MAX_DEFLATE_RATIO = 1032;

/** Inflates a whole body on the calling thread. Throws an `InflateError`. */
export const inflateSync = (
  bytes: Uint8Array,
  encoding: string,
  options: InflateOptions,
): Uint8Array => {
  const coding = checkedCoding(encoding, options);
  if (coding === "identity" && bytes.byteLength > options.limit) throw tooLarge(options);
  if (coding === "identity") return bytes;
  const run = builtin(coding, "zlib")[DECODERS[coding].now];
  try {
    // `info` makes zlib return the number of bytes that it read.
    const output: unknown = run(bytes, { maxOutputLength: options.limit, info: true } as object);
    const { buffer, engine } = output as { buffer: Uint8Array; engine: { bytesWritten: number } };
    if (engine.bytesWritten !== bytes.byteLength) throw new Error(TRAILING);
    return buffer;
  } catch (cause) {
    throw toInflateError(cause, coding, options);
  }
};

/** Detail of an error that zlib does not report. zlib ignores bytes after the end of a body. */
const TRAILING = "bytes after the end of the body";

async function* decode(
  pieces: Pieces,
  coding: Coding,
  options: InflateOptions,
  chunkSize: number,
): AsyncGenerator<Uint8Array, void> {
  const engine = builtin(coding, "zlib")[DECODERS[coding].pieces]({ chunkSize });
  let read = 0;
  let sourceError: { readonly cause: unknown } | undefined;
  const source = async function* () {
    try {
      for await (const piece of pieces) {
        read += piece.byteLength;
        yield piece;
      }
    } catch (cause) {
      sourceError = { cause };
      throw cause;
    }
  };
  // Ignores errors of the pipeline, because the loop below throws the error of either stream.
  builtin(coding, "stream").pipeline(source, engine, () => {});
  try {
    for await (const piece of engine) yield piece as Uint8Array;
    if (engine.bytesWritten !== read) throw new Error(TRAILING);
  } catch (cause) {
    throw sourceError === undefined ? toInflateError(cause, coding, options) : sourceError.cause;
  }
}

/** Names of zlib's stream constructor and synchronous function, by coding. */
const DECODERS = {
  gzip: { pieces: "createGunzip", now: "gunzipSync" },
  deflate: { pieces: "createInflate", now: "inflateSync" },
  br: { pieces: "createBrotliDecompress", now: "brotliDecompressSync" },
  zstd: { pieces: "createZstdDecompress", now: "zstdDecompressSync" },
} as const;

/** Bytes of output for each call to zlib's threads. A page of the stream inflates to 2 to 5 MB. */
const PIECE_BYTES = 1_048_576;

/** Loads a module of Node without an import, which a bundler for browsers could not resolve. */
const builtin = <Name extends "zlib" | "stream">(coding: Coding, name: Name) => {
  const runtime = globalThis as { readonly process?: Partial<typeof process> };
  const module = runtime.process?.getBuiltinModule?.(name);
  if (module === undefined) throw refused(coding);
  return module;
};

const checkedCoding = (encoding: string, { codings, limit }: InflateOptions) => {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new InflateError({ reason: "limit", detail: "limit must be a positive integer" });
  return acceptedCoding(encoding, codings);
};

const toInflateError = (cause: unknown, coding: Coding, options: InflateOptions): InflateError => {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "ERR_BUFFER_TOO_LARGE") return tooLarge(options);
  // If bytes were lost in transit, zlib reports a missing end or a wrong checksum or length.
  const isTruncated = /unexpected end|incorrect (?:data|length) check/u.test(message);
  const reason = isTruncated || code === "Z_BUF_ERROR" ? "truncated" : "corrupt";
  return new InflateError({ reason, detail: `${coding}: ${message}`, cause });
};

const refused = (name: string) =>
  new InflateError({ reason: "refused", detail: `${name.slice(0, 40)} was not requested` });

const tooLarge = ({ limit }: InflateOptions) =>
  new InflateError({ reason: "too-large", detail: `more than ${limit} bytes` });
