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
import { inflateStream } from "@game-data/contract/inflate";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { type ResponseMalformed, TransportError } from "./Errors.ts";
import { bodyError, piecesOf } from "./pipeline/body.ts";
import type { RawResponse } from "./Model.ts";
import { describeCause } from "./Transport.ts";

export type { RawResponse } from "./Model.ts";

/** The bytes as they arrive. A break is a `TransportError` of kind `body`. Run it once. */
export const bytes = (response: RawResponse): Stream.Stream<Uint8Array, TransportError> =>
  Stream.fromPull(
    Effect.succeed(
      Effect.flatMap(
        Effect.tryPromise({
          try: () => response.read(),
          catch: (cause) =>
            new TransportError({
              ...response.callInfo,
              status: response.status,
              kind: "body",
              detail: describeCause(cause),
              cause,
            }),
        }),
        (chunk) => (chunk === undefined ? Cause.done() : Effect.succeed([chunk] as const)),
      ),
    ),
  );

/**
 * The bytes, decompressed. Run it once. A compressed body that becomes larger than `maxBodyBytes`
 * is a `ResponseMalformed` of kind `too-large`; one in a coding that was not asked for is a
 * `TransportError` of kind `body`.
 */
export const decoded = (
  response: RawResponse,
): Stream.Stream<Uint8Array, TransportError | ResponseMalformed> => {
  const { callInfo, encoding, maxBodyBytes, read, status } = response;
  if (encoding === "identity") return bytes(response);
  return Stream.suspend(() =>
    Stream.fromAsyncIterable(
      inflateStream(piecesOf(read), encoding, { limit: maxBodyBytes }),
      (cause) => bodyError({ ...callInfo, status }, maxBodyBytes, cause),
    ),
  );
};
