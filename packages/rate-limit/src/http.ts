/** Effect's `HttpClient` under the limiter, and the default route of a request. */
import * as Effect from "effect/Effect";
import * as HttpClient from "effect/http/HttpClient";
import type { HttpClientRequest } from "effect/http/HttpClientRequest";
import type { LimiterStoreError, RequestNotSent } from "./Errors.ts";
import { PolicyLimiter } from "./PolicyLimiter.ts";
import type { LimiterRequest } from "./PolicyLimiter.ts";
import { routeOf } from "./routeOf.ts";

/** Options that classify requests. */
export interface LimitOptions extends Pick<LimiterRequest, "priority" | "maxWait"> {
  /** The route of a request. Default: `routeOf`. */
  readonly route?: ((request: HttpClientRequest) => string) | undefined;
  /** The user of a request. Default: all requests are of one user. */
  readonly identity?: ((request: HttpClientRequest) => string) | undefined;
}

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
export const withPolicyLimiter = (options: LimitOptions = {}) =>
  Effect.fnUntraced(function* <E, R>(client: HttpClient.HttpClient.With<E, R>) {
    const limiter = yield* PolicyLimiter;
    const { identity, maxWait, priority, route } = options;
    return HttpClient.transform(
      client,
      (
        send,
        request,
      ): Effect.Effect<Effect.Success<typeof send>, E | RequestNotSent | LimiterStoreError, R> =>
        limiter.run(
          {
            route: route?.(request) ?? routeOf(request.method, new URL(request.url)),
            identity: identity?.(request),
            priority,
            maxWait,
          },
          () => send,
        ),
    );
  });
