/**
 * The types of the limiter's Effect surface: a request, and what the limiter reports.
 *
 * Instants (`…At`, `…Until`) are milliseconds since 1970; fields named `…Millis` are durations.
 */
import type * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import type { Explanation, LimitedRoute, Permit, RequestOutcome, RouteSnapshot } from "../Model.ts";
import type { RateLimitDialect } from "../RateLimitDialect.ts";
import type { LimiterStoreError, RequestNotSent } from "./Errors.ts";

export type {
  ClientErrorsSnapshot,
  Explanation,
  LimitedRoute,
  NotSentReason,
  Permit,
  PolicySnapshot,
  RequestOutcome,
  RouteSnapshot,
  WindowSnapshot,
} from "../Model.ts";

/** Options of the limiter. The limits themselves are learned and not configured. */
export interface PolicyLimiterOptions {
  /** Reader of the rate-limit headers. Default: `xRateLimit`. */
  readonly dialect?: RateLimitDialect | undefined;
  /** Limiters with different keys share nothing, also in one store. Default: `default`. */
  readonly key?: string | undefined;
  /**
   * Scopes of rules. Default: `ip` and `client` are shared by all identities, every
   * other rule counts each identity.
   */
  readonly scopes?: Readonly<Record<string, "shared" | "identity">> | undefined;
  /** A request fails at once if it would have to wait longer than this. Default: 60 seconds. */
  readonly maxWait?: Duration.Input | undefined;
  /**
   * Limits to begin with, for a service that tells none: `["10 per 5s", "1000 per 1h"]`. All routes
   * whose responses name no limits share them; a refusal lowers them, and nothing raises them.
   */
  readonly limits?: ReadonlyArray<string> | undefined;
  /** Maximum requests in flight over all policies. Bursts can trigger a firewall. Default: 8. */
  readonly maxInFlight?: number | undefined;
  /** Maximum requests in flight on a route without rate headers. Default: 4. */
  readonly concurrencyWithoutHeaders?: number | undefined;
  /** Hidden buckets to look for. Default: 1 to 8, 10, 12, 15, 20, 30 and 60 seconds. */
  readonly bucketSizes?: ReadonlyArray<Duration.Input> | undefined;
  /** 401, 403 and 429 responses within `clientErrorWindow` that block the client. Default: 60. */
  readonly maxClientErrors?: number | undefined;
  /** See `maxClientErrors`. Default: 10 minutes. */
  readonly clientErrorWindow?: Duration.Input | undefined;
  /** Whether the service counts a status as a client error. Default: every 4xx. */
  readonly countsAsError?: ((status: number) => boolean) | undefined;
  /** The time for which nothing is sent after a firewall's block. Default: 15 minutes. */
  readonly firewallCooldown?: Duration.Input | undefined;
  /**
   * For a priority, the places of each window that requests of lower ones never take. `{ 1: 2 }`:
   * two places are for requests of priority 1 and higher. Default: none.
   */
  readonly reserve?: Readonly<Record<number, number>> | undefined;
  /** A request without an outcome counts as lost after this time. Default: 90 seconds. */
  readonly inFlightTimeout?: Duration.Input | undefined;
}

/** A request to send. */
export interface LimitedRequest extends LimitedRoute {
  /** Higher goes first; a waiting request rises by one each 30 seconds. Default: 0. */
  readonly priority?: number | undefined;
  /** Fails at once if the turn of the request comes later. Default: that of the limiter. */
  readonly maxWait?: Duration.Input | undefined;
  /** `false` for a HEAD probe, which the service does not count. Default: `true`. */
  readonly counted?: boolean | undefined;
}

/** The time at which requests can be sent. */
export interface Forecast {
  /** For each request, from now, ascending. */
  readonly startsInMillis: ReadonlyArray<number>;
  /** Until the last one can be sent. */
  readonly duration: Duration.Duration;
  /** Whether the route's limits are known. If not, this is a guess. */
  readonly known: boolean;
  readonly policy: string | undefined;
}

/** The functions of the limiter. */
export interface PolicyLimiterService {
  /**
   * Runs `send` when the request's turn has come. `report` gives the outcome; an interrupted `send`
   * counts as sent, unless `report` says otherwise.
   */
  readonly run: <A, E, R>(
    request: LimitedRequest,
    send: (permit: Permit) => Effect.Effect<A, E, R>,
    report: (exit: Exit.Exit<A, E>) => RequestOutcome,
  ) => Effect.Effect<A, E | RequestNotSent | LimiterStoreError, R>;
  /**
   * The time at which the next `count` requests of the route could be sent, if nobody else sent
   * any.
   */
  readonly forecast: (
    route: LimitedRoute,
    count: number,
  ) => Effect.Effect<Forecast, LimiterStoreError>;
  /** The known limits of the route. */
  readonly snapshot: (route: LimitedRoute) => Effect.Effect<RouteSnapshot, LimiterStoreError>;
  /** For each waiting route and identity, which rule of which policy holds it and until when. */
  readonly explain: Effect.Effect<ReadonlyArray<Explanation>>;
  /** Number of requests of this process that wait for their turn. */
  readonly waiting: Effect.Effect<number>;
}
