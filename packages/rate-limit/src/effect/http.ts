/**
 * An `HttpClient` whose requests wait for their turn. One permit per attempt: put retries around
 * it.
 *
 * ```ts
 * import { PolicyLimiter } from "@game-data/rate-limit/effect";
 * import * as LimitedHttpClient from "@game-data/rate-limit/effect/http";
 * import { Layer } from "effect";
 * import { FetchHttpClient } from "effect/http";
 *
 * export const client = LimitedHttpClient.layer().pipe(
 *   Layer.provide([FetchHttpClient.layer, PolicyLimiter.layerMemory()]),
 * );
 * ```
 *
 * @packageDocumentation
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as HttpClient from "effect/http/HttpClient";
import type { HttpClientError } from "effect/http/HttpClientError";
import type { HttpClientRequest } from "effect/http/HttpClientRequest";
import * as Layer from "effect/Layer";
import { routeOf } from "../limitFetch.ts";
import type { LimiterStoreError, RequestNotSent } from "./Errors.ts";
import type { LimitedRequest, PolicyLimiterService } from "./Model.ts";
import { PolicyLimiter } from "./PolicyLimiter.ts";

/** Options that tell requests apart. */
export interface Options extends Pick<LimitedRequest, "priority" | "maxWait"> {
  /** The route of a request. Default: method, host and path, with ids left out. */
  readonly route?: ((request: HttpClientRequest) => string) | undefined;
  /** The user of a request. Default: all are one. */
  readonly identity?: ((request: HttpClientRequest) => string) | undefined;
}

/** An `HttpClient` that may also refuse to send. */
export type Limited = HttpClient.HttpClient.With<
  HttpClientError | RequestNotSent | LimiterStoreError
>;

/** A client over another one. */
export class LimitedHttpClient
  extends /*#__PURE__*/ Context.Service<LimitedHttpClient, Limited>()(
    "@game-data/rate-limit/LimitedHttpClient",
  ) {}

/** The same client, its requests under a limiter. */
export const limit =
  (limiter: PolicyLimiterService, options: Options = {}) =>
  <E, R>(
    client: HttpClient.HttpClient.With<E, R>,
  ): HttpClient.HttpClient.With<E | RequestNotSent | LimiterStoreError, R> =>
    HttpClient.transform(client, (send, request) =>
      limiter.run(
        {
          route: options.route?.(request) ?? routeOf(request.method, new URL(request.url)),
          identity: options.identity?.(request),
          priority: options.priority,
          maxWait: options.maxWait,
        },
        () => send,
        (exit) => (Exit.isSuccess(exit) ? exit.value : { status: undefined }),
      ),
    );

/** Provides `LimitedHttpClient` over the `HttpClient` and the `PolicyLimiter` of the context. */
export const layer = (
  options?: Options,
): Layer.Layer<LimitedHttpClient, never, HttpClient.HttpClient | PolicyLimiter> =>
  Layer.effect(
    LimitedHttpClient,
    Effect.gen(function* () {
      const limiter = yield* PolicyLimiter;
      return limit(limiter, options)(yield* HttpClient.HttpClient);
    }),
  );
