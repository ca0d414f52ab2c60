/** Effect's `HttpClient` under the limiter, and the default route of a request. */
import * as Effect from "effect/Effect";
import * as HttpClient from "effect/http/HttpClient";
import type { HttpClientRequest } from "effect/http/HttpClientRequest";
import type { LimiterStoreError, RequestNotSent } from "./Errors.ts";
import { PolicyLimiter } from "./PolicyLimiter.ts";
import { classify } from "./routeOf.ts";
import type { LimitOptions } from "./routeOf.ts";

/**
 * Returns the same client, whose requests wait for the limiter of the context. Each attempt takes a
 * permit, so put retries around it.
 *
 * ```ts
 * import { PolicyLimiter, withPolicyLimiter } from "@game-data/rate-limit";
 * import { Effect } from "effect";
 * import { FetchHttpClient, HttpClient } from "effect/http";
 *
 * export const program = Effect.gen(function* () {
 *   const client = yield* Effect.flatMap(HttpClient.HttpClient, withPolicyLimiter());
 *   return yield* client.get("https://api.example/profile");
 * }).pipe(Effect.provide([FetchHttpClient.layer, PolicyLimiter.layerMemory()]));
 * ```
 */
export const withPolicyLimiter = (options: LimitOptions<HttpClientRequest> = {}) =>
  Effect.fnUntraced(function* <E, R>(client: HttpClient.HttpClient.With<E, R>) {
    const limiter = yield* PolicyLimiter;
    return HttpClient.transform(
      client,
      (
        send,
        request,
      ): Effect.Effect<Effect.Success<typeof send>, E | RequestNotSent | LimiterStoreError, R> =>
        limiter.run(classify(options, request, request.method, new URL(request.url)), () => send),
    );
  });
