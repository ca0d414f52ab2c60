/**
 * Streams of a raw response's body.
 *
 * @example
 * ```ts
 * import { GameApi } from "@game-data/api-client";
 * import { decoded } from "@game-data/api-client/raw";
 * import { fixtureTransport } from "@game-data/api-client/testing";
 * import { Effect, Stream } from "effect";
 *
 * const size = Effect.gen(function* () {
 *   const api = yield* GameApi;
 *   const response = yield* api.publicStashTabs.raw();
 *   const chunks = yield* Stream.runCollect(decoded(response));
 *   return chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
 * }).pipe(Effect.scoped);
 *
 * const transport = fixtureTransport({ "publicStashTabs.page": { body: { stashes: [] } } });
 * const layer = GameApi.layerTransport({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   transport,
 * });
 * if ((await Effect.runPromise(Effect.provide(size, layer))) !== 14) throw new Error("wrong size");
 * ```
 */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { TransportError } from "./Errors.ts";
import type { RawResponse } from "./RawResponse.ts";
import { describeCause } from "./Transport.ts";

export type { RawResponse } from "./RawResponse.ts";

/** The bytes as they arrive. A break is a `TransportError` of kind `body`. Run it once. */
export const bytes = (response: RawResponse): Stream.Stream<Uint8Array, TransportError> =>
  Stream.fromPull(
    Effect.succeed(
      Effect.flatMap(
        Effect.tryPromise({
          try: () => response.read(),
          catch: (cause) => bodyError(response, describeCause(cause), cause),
        }),
        (chunk) => (chunk === undefined ? Cause.done() : Effect.succeed([chunk] as const)),
      ),
    ),
  );

/** The bytes, decompressed. Run it once. */
export const decoded = (response: RawResponse): Stream.Stream<Uint8Array, TransportError> => {
  const { encoding } = response;
  if (encoding === "identity") return bytes(response);
  return Stream.unwrap(
    Effect.map(Stream.toReadableStreamEffect(bytes(response)), (readable) =>
      Stream.fromReadableStream({
        evaluate: () =>
          (readable as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
            new DecompressionStream(encoding as "gzip"),
          ),
        onError: (cause) =>
          cause instanceof TransportError
            ? cause
            : bodyError(response, `${encoding}: ${describeCause(cause)}`, cause),
      }),
    ),
  );
};

const bodyError = ({ callInfo, status }: RawResponse, detail: string, cause: unknown) =>
  new TransportError({ ...callInfo, status, kind: "body", detail, cause });
