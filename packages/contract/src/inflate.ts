/**
 * Inflates the bodies of responses within a bound.
 *
 * A body may be a bomb, so a limit stops the work while it runs. A coding that the request did not
 * accept is refused before a byte is read (RFC 9110 §12.5.3). Node's zlib does the work. Browsers have
 * no zlib, and their `fetch` inflates by itself, so every coding is refused.
 */
import { taggedFailures } from "./taggedFailure.ts";

/** A content coding (RFC 9110 §8.4.1). */
export type Coding = "gzip" | "deflate" | "br" | "zstd";

/** The codings that the clients accept. */
export const ACCEPTED_CODINGS: ReadonlyArray<Coding> = ["gzip"];

/** The bound of a body. */
export interface InflateOptions {
  /** Maximum bytes of output, at least 1. They bound CPU time as well: 2 to 3 ms a megabyte. */
  readonly limit: number;
  /** The codings that the request accepted. Default: `ACCEPTED_CODINGS`. */
  readonly codings?: ReadonlyArray<Coding> | undefined;
}

/**
 * A body was not inflated.
 *
 * What to do: raise the limit for `too-large`; repeat the request for `truncated`.
 */
export class InflateError extends taggedFailures("contract")("InflateError")<{
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
 * Returns the coding that a `Content-Encoding` names, `identity` for none. Throws an `InflateError`
 * with the reason `refused` if it is not among `codings`.
 */
export const acceptedCoding = (
  encoding: string,
  codings: ReadonlyArray<Coding> = ACCEPTED_CODINGS,
): Coding | "identity" => {
  const name = encoding.trim().toLowerCase() || "identity";
  if (name === "identity") return name;
  // RFC 9110 §8.4.1.3: `x-gzip` is another name of gzip.
  const coding = codings.find((accepted) => accepted === name || `x-${accepted}` === name);
  if (coding === undefined) throw refused(name);
  return coding;
};

/** Inflates a whole body on zlib's threads. Rejects with an `InflateError`. */
export const inflate = async (
  bytes: Uint8Array,
  encoding: string,
  options: InflateOptions,
): Promise<Uint8Array> => {
  const coding = checkedCoding(bytes, encoding, options);
  if (coding === "identity") return bytes;
  const run = zlib(coding)[DECODERS[coding]];
  return new Promise((resolve, reject) =>
    run(bytes, zlibOptions(bytes, options), (cause: Error | null, output: Output) => {
      try {
        if (cause !== null) throw cause;
        resolve(wholeOutput(output, bytes));
      } catch (error) {
        reject(toInflateError(error, coding, options));
      }
    }),
  );
};

/** Inflates a whole body on the calling thread. Throws an `InflateError`. */
export const inflateSync = (
  bytes: Uint8Array,
  encoding: string,
  options: InflateOptions,
): Uint8Array => {
  const coding = checkedCoding(bytes, encoding, options);
  if (coding === "identity") return bytes;
  const run = zlib(coding)[`${DECODERS[coding]}Sync`];
  try {
    return wholeOutput(run(bytes, zlibOptions(bytes, options)), bytes);
  } catch (cause) {
    throw toInflateError(cause, coding, options);
  }
};

/** The function of zlib for each coding. With `Sync` it runs on the calling thread. */
const DECODERS: { readonly [coding in Coding]: string } = {
  gzip: "gunzip",
  deflate: "inflate",
  br: "brotliDecompress",
  zstd: "zstdDecompress",
};

/** The output of zlib with `info`, which its types lack: the bytes, and the number of bytes read. */
interface Output {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

const zlibOptions = ({ byteLength }: Uint8Array, { limit }: InflateOptions): object => ({
  maxOutputLength: limit,
  info: true,
  // Output of one trip to zlib's threads. A page of the stream inflates to 2 to 5 MB.
  chunkSize: Math.min(Math.max(8 * byteLength, 16_384), 1_048_576),
});

/** zlib ignores what follows the end of a body, so compare the number of bytes that it read. */
const wholeOutput = ({ buffer, engine }: Output, bytes: Uint8Array): Uint8Array => {
  if (engine.bytesWritten !== bytes.byteLength) throw new Error("bytes after the end of the body");
  return buffer;
};

/** Node's zlib, without an import that a bundler for browsers cannot resolve. */
const zlib = (coding: Coding) => {
  const runtime = globalThis as { readonly process?: Partial<typeof process> };
  const module = runtime.process?.getBuiltinModule?.("zlib");
  if (module === undefined) throw refused(coding);
  return module as unknown as Readonly<Record<string, any>>;
};

const checkedCoding = (bytes: Uint8Array, encoding: string, options: InflateOptions) => {
  const { codings, limit } = options;
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new InflateError({ reason: "limit", detail: "limit must be a positive integer" });
  const coding = acceptedCoding(encoding, codings);
  if (coding === "identity" && bytes.byteLength > limit) throw tooLarge(options);
  return coding;
};

const toInflateError = (cause: unknown, coding: Coding, options: InflateOptions): InflateError => {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "ERR_BUFFER_TOO_LARGE") return tooLarge(options);
  // Bytes that were lost on the way make the end, the checksum or the length wrong.
  const isTruncated = /unexpected end|incorrect (?:data|length) check/u.test(message);
  const reason = isTruncated || code === "Z_BUF_ERROR" ? "truncated" : "corrupt";
  return new InflateError({ reason, detail: `${coding}: ${message}`, cause });
};

const refused = (name: string) =>
  new InflateError({ reason: "refused", detail: `${name.slice(0, 40)} was not requested` });

const tooLarge = ({ limit }: InflateOptions) =>
  new InflateError({ reason: "too-large", detail: `more than ${limit} bytes` });
