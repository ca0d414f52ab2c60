/**
 * Responses whose bodies are read piece by piece, as async iterables.
 */
import { inflateStream } from "@game-data/contract/inflate";
import type * as Effect from "effect/Effect";
import type { ResponseInfo } from "../CallOptions.ts";
import { bodyError } from "../pipeline/body.ts";
import type { RawResponse } from "../RawResponse.ts";
import type { Runner } from "./Runner.ts";

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

/** Opens a response; the signal also ends the reading of its body. */
export const openRaw = async (
  runner: Runner,
  opening: Effect.Effect<unknown, unknown>,
  signal: AbortSignal | undefined,
): Promise<PromiseRawResponse> => {
  const { abort, callInfo, maxBodyBytes, read, ...rest } = await runner.run(
    opening as Effect.Effect<RawResponse, unknown>,
    signal,
  );
  const fail = (cause: unknown): Error =>
    signal?.aborted
      ? (signal.reason as Error)
      : bodyError({ ...callInfo, status: rest.status }, maxBodyBytes, cause);
  signal?.addEventListener("abort", abort, { once: true });
  const close = () => {
    signal?.removeEventListener("abort", abort);
    abort();
  };
  // A body without compression costs what was sent; only a compressed one can be a bomb.
  const iterateAs = (encoding: string) => {
    const limit = encoding === "identity" ? Number.MAX_SAFE_INTEGER : maxBodyBytes;
    return iterate(() => inflateStream(read, encoding, { limit }), close, fail);
  };
  const bytes = iterateAs("identity");
  const decoded = iterateAs(rest.encoding);
  return { ...rest, bytes, decoded, close };
};

/** The pieces; the connection is released at their end and when the loop is left early. */
const iterate = async function* (
  pieces: () => AsyncIterable<Uint8Array>,
  close: () => void,
  fail: (cause: unknown) => Error,
): AsyncIterable<Uint8Array> {
  try {
    yield* pieces();
  } catch (cause) {
    throw fail(cause);
  } finally {
    close();
  }
};
