/**
 * Responses whose bodies are read piece by piece, as async iterables.
 */
import type * as Effect from "effect/Effect";
import type { ResponseInfo } from "../CallOptions.ts";
import { TransportError } from "../Errors.ts";
import type { RawResponse } from "../RawResponse.ts";
import { describeCause } from "../Transport.ts";
import type { Runner } from "./Runner.ts";

/** A response whose body is still on its way. Read it to the end, or `close` it. */
export interface PromiseRawResponse extends ResponseInfo {
  /** The compression of `bytes`: `identity`, `gzip`, … */
  readonly encoding: string;
  /** The bytes as they arrive. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The bytes, decompressed. */
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
  const { abort, callInfo, read, ...rest } = await runner.run(
    opening as Effect.Effect<RawResponse, unknown>,
    signal,
  );
  const fail = (cause: unknown): Error =>
    signal?.aborted
      ? (signal.reason as Error)
      : new TransportError({
          ...callInfo,
          status: rest.status,
          kind: "body",
          detail: describeCause(cause),
          cause,
        });
  signal?.addEventListener("abort", abort, { once: true });
  const close = () => {
    signal?.removeEventListener("abort", abort);
    abort();
  };
  const bytes = iterate(read, close, fail);
  const decoded = rest.encoding === "identity" ? bytes : decompress(bytes, rest.encoding, fail);
  return { ...rest, bytes, decoded, close };
};

/** The bytes; the connection is released at their end and when the loop is left early. */
const iterate = async function* (
  read: RawResponse["read"],
  close: () => void,
  fail: (cause: unknown) => Error,
): AsyncIterable<Uint8Array> {
  try {
    for (let chunk = await read(); chunk !== undefined; chunk = await read()) yield chunk;
  } catch (cause) {
    throw fail(cause);
  } finally {
    close();
  }
};

const decompress = async function* (
  bytes: AsyncIterable<Uint8Array>,
  encoding: string,
  fail: (cause: unknown) => Error,
): AsyncIterable<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  const reader = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    cancel: () => void source.return?.(),
  })
    .pipeThrough(new DecompressionStream(encoding as "gzip"))
    .getReader();
  try {
    for (let { value } = await reader.read(); value; { value } = await reader.read()) yield value;
  } catch (cause) {
    throw cause instanceof TransportError ? cause : fail(cause);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
};
