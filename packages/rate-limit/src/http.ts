/** Sends requests of Effect's `HttpClient` through the limiter. */
import * as Effect from "effect/Effect";
import * as HttpClient from "effect/http/HttpClient";
import type { HttpClientRequest } from "effect/http/HttpClientRequest";
import type { LimiterStoreError, RequestNotSent } from "./Errors.ts";
import { PolicyLimiter } from "./PolicyLimiter.ts";
import { classify, type ClassifyOptions } from "./routeOf.ts";

/**
 * Returns a client whose requests wait for the limiter of the context. Each attempt takes a permit,
 * so apply retries to the returned client.
 */
export const withPolicyLimiter = (options: ClassifyOptions<HttpClientRequest> = {}) =>
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
