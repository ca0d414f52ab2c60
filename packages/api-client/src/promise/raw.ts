/**
 * Responses whose bodies are read piece by piece, as async iterables.
 */
import { inflateStream } from "@game-data/contract/inflate";
import type { ResponseInfo } from "../CallOptions.ts";
import { bodyError, countEmpty, piecesOf } from "../pipeline/body.ts";
import type { RawResponse } from "../Model.ts";

/** A response whose body is still on its way. Read it to the end, or `close` it. */
export interface PromiseRawResponse extends ResponseInfo {
  /** The compression of `bytes`: `identity`, `gzip`, … */
  readonly encoding: string;
  /** The bytes as they arrive. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The bytes, decompressed: at most `maxBodyBytes` of a compressed body. */
  readonly decoded: AsyncIterable<Uint8Array>;
  /** Releases the connection. */
  readonly close: () => void;
}

/** The response; the signal also ends the reading of its body. */
export const toRaw = (
  { abort, callInfo, maxBodyBytes, read, ...rest }: RawResponse,
  signal: AbortSignal | undefined,
): PromiseRawResponse => {
  const fail = (cause: unknown): Error =>
    signal?.aborted
      ? (signal.reason as Error)
      : bodyError({ ...callInfo, status: rest.status }, maxBodyBytes, cause);
  signal?.addEventListener("abort", abort, { once: true });
  const close = () => {
    signal?.removeEventListener("abort", abort);
    abort();
  };
  // The connection is released at the end of the pieces, and when the loop is left early.
  const iterateAs = async function* (encoding: string) {
    // A body without compression costs what was sent; only a compressed one can be a bomb.
    const limit = encoding === "identity" ? Number.MAX_SAFE_INTEGER : maxBodyBytes;
    let empty = 0;
    try {
      for await (const piece of inflateStream(piecesOf(read), encoding, { limit })) {
        empty = countEmpty(empty, piece);
        yield piece;
      }
    } catch (cause) {
      throw fail(cause);
    } finally {
      close();
    }
  };
  return { ...rest, bytes: iterateAs("identity"), decoded: iterateAs(rest.encoding), close };
};
