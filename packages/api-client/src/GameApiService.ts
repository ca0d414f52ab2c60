/**
 * The options and the methods of the client.
 */
import type { RouteName, Words } from "@game-data/contract/routes";
import type { UserAgent } from "@game-data/contract/UserAgent";
import type { Forecast, RouteLimits } from "@game-data/rate-limit";
import type * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import type { EffectFace, Groups } from "./Api.ts";
import type { ResponseCache } from "./cache.ts";
import type { CallOptions, Hooks, ResponseInfo } from "./CallOptions.ts";
import type { Credentials } from "./Credentials.ts";
import type { GameApiError } from "./Errors.ts";
import type { AccountOptions, InspectBody, UnlistedRequest } from "./Model.ts";
import type { RetryPolicy } from "./Retry.ts";

/** Options of a client. */
export interface GameApiOptions extends Hooks {
  /** {base_url}: address of the data API. HTTPS, or HTTP on a loopback address. */
  readonly baseUrl: string;
  /** The realm names of the deployment, if they are not the specification's. */
  readonly words?: Partial<Words> | undefined;
  /** The source of access tokens. Left out: calls carry none, and the service refuses most. */
  readonly credentials?: Credentials | undefined;
  /** The calling application. */
  readonly userAgent: UserAgent;
  /** For one request, from sending to the last byte. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined;
  /** For a whole call, waits and retries included. Default: none. */
  readonly totalTimeout?: Duration.Input | undefined;
  /**
   * Longest wait for the rate limit or for a `Retry-After`; a longer one fails with `RateLimited`,
   * which names the time. Default: 10 minutes. `"Infinity"` waits without a bound. The `maxWait` of
   * a limiter does not apply to the calls of a client.
   */
  readonly maxWait?: Duration.Input | undefined;
  /** Sets when and how often to retry. */
  readonly retry?: RetryPolicy | undefined;
  /** Largest body that is decoded, decompressed. Default: 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Whether identical GETs of one user that are in flight at once share one request. Their callers
   * get the same value, and keep their own `totalTimeout` and `signal`. Default: true.
   */
  readonly dedupe?: boolean | undefined;
  /**
   * Answers from earlier responses: `makeCache` of `@game-data/api-client/cache`. Default: none.
   */
  readonly cache?: ResponseCache | undefined;
  /** Looks at every decoded body: `driftInspector` of `@game-data/api-client/drift`. */
  readonly inspect?: InspectBody | undefined;
}

/** The methods of the client: one for each operation, and those that take several requests. */
export interface GameApiService extends Groups<EffectFace> {
  /**
   * Sends a request for a path that the specification does not list, under the same rate limiter,
   * credentials and errors. The body is JSON and is not checked.
   */
  readonly request: (
    request: UnlistedRequest,
    options?: CallOptions,
  ) => Effect.Effect<unknown, GameApiError>;
  /**
   * The same client for another user. All of them share one limiter, one connection pool and one
   * retry budget; the rate limits of accounts are kept per `identity`.
   */
  readonly as: (credentials: Credentials, options?: AccountOptions) => GameApiService;
  /**
   * The value of calls together with their last response; `response` is `undefined` if none came.
   * `api.withResponse((api) => api.profile.get())`.
   */
  readonly withResponse: <A, E, R>(
    calls: (api: GameApiService) => Effect.Effect<A, E, R>,
  ) => Effect.Effect<{ readonly data: A; readonly response: ResponseInfo | undefined }, E, R>;
  /** Forecasts when the next `count` requests to an endpoint could be sent. */
  readonly forecast: (
    operation: RouteName,
    count: number,
    options?: { readonly realm?: string | undefined },
  ) => Effect.Effect<Forecast, GameApiError>;
  /** The rate limits of an endpoint, as they are known now. */
  readonly limits: (
    operation: RouteName,
    options?: { readonly realm?: string | undefined },
  ) => Effect.Effect<RouteLimits, GameApiError>;
}
