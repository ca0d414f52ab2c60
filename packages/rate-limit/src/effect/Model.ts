/**
 * The types of the limiter's Effect surface: a request, its outcome, and what the limiter reports.
 *
 * Instants (`…At`, `…Until`) are milliseconds since 1970; fields named `…Millis` are durations.
 */
import type * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import type { RateLimitDialect } from "../RateLimitDialect.ts";
import type { LimiterStoreError } from "./LimiterStore.ts";
import type { RequestNotSent } from "./RequestNotSent.ts";

/** Options of the limiter. The limits themselves are learned and not configured. */
export interface PolicyLimiterOptions {
  /** Reader of the rate-limit headers. Default: `xRateLimit`. */
  readonly dialect?: RateLimitDialect | undefined;
  /** Limiters with different keys share nothing, also in one store. Default: `default`. */
  readonly key?: string | undefined;
  /** Maximum requests in flight over all policies. Bursts can trigger a firewall. Default: 8. */
  readonly maxInFlight?: number | undefined;
  /** Maximum requests in flight on a route without rate headers. Default: 4. */
  readonly concurrencyWithoutHeaders?: number | undefined;
  /**
   * The bucket that a server may round its hit times with, by length of the window. Nothing is
   * added for it until the server's own counts show one. Default: 5 s for windows under a minute,
   * 60 s for longer ones.
   */
  readonly assumedBucket?: ((period: Duration.Duration) => Duration.Input) | undefined;
  /** Number of 4xx responses within `clientErrorWindow` that blocks the client. Default: 60. */
  readonly maxClientErrors?: number | undefined;
  /** See `maxClientErrors`. Default: 10 minutes. */
  readonly clientErrorWindow?: Duration.Input | undefined;
  /** How long nothing is sent after a firewall's block. Default: 15 minutes. */
  readonly firewallCooldown?: Duration.Input | undefined;
  /** A request without an outcome counts as lost after this time. Default: 90 seconds. */
  readonly inFlightTimeout?: Duration.Input | undefined;
}

/** The route of a request, and the user that it is counted for. */
export interface LimitedRoute {
  /** The method and the path as a template: requests of one route belong to one policy. */
  readonly route: string;
  /** The user of the request. Budgets of accounts are kept per identity. Default: `default`. */
  readonly identity?: string | undefined;
}

/** A request to send. */
export interface LimitedRequest extends LimitedRoute {
  /** Higher goes first. Default: 0. */
  readonly priority?: number | undefined;
  /** Fails at once if the turn of the request comes later than this. Default: no limit. */
  readonly maxWait?: Duration.Input | undefined;
  /** `false` for a HEAD probe, which the service does not count. Default: `true`. */
  readonly counted?: boolean | undefined;
}

/** The outcome of a request. */
export interface RequestOutcome {
  /** Status of the response, `undefined` without one. */
  readonly status: number | undefined;
  /** Headers of the response, names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether a firewall in front of the service sent the response. */
  readonly isFirewallBlock?: boolean | undefined;
  /** Whether the request was sent. If not, its permit is released. Default: `true`. */
  readonly sent?: boolean | undefined;
}

/** Permission to send one request. */
export interface Permit {
  readonly id: string;
  /** When it was granted. */
  readonly grantedAt: number;
  readonly policy: string | undefined;
  /** How long the request waited for it. */
  readonly waitedMillis: number;
}

/** When requests can be sent. */
export interface Forecast {
  /** For each request, from now, ascending. */
  readonly startsInMillis: ReadonlyArray<number>;
  /** Until the last one can be sent. */
  readonly duration: Duration.Duration;
  /** Whether the route's limits are known. If not, this is a guess. */
  readonly known: boolean;
  readonly policy: string | undefined;
}

/** One window of one rule. */
export interface WindowSnapshot {
  readonly rule: string;
  readonly max: number;
  readonly periodMillis: number;
  readonly used: number;
  /** How long hits stay counted beyond the period, as far as it was observed. */
  readonly excessMillis: number;
}

/** One policy. */
export interface PolicySnapshot {
  readonly name: string;
  readonly blockedUntil: number | undefined;
  readonly inFlight: number;
  readonly windows: ReadonlyArray<WindowSnapshot>;
}

/** Client errors within the window of the client block. */
export interface ClientErrorsSnapshot {
  readonly count: number;
  readonly max: number;
  readonly windowMillis: number;
}

/** What the limiter knows about a route. */
export interface RouteSnapshot {
  /** `unknown`: no response yet. `none`: responses without rate headers. */
  readonly limits: "unknown" | "none" | "learned";
  /** The policies that responses of the route have named, the latest first. */
  readonly policies: ReadonlyArray<PolicySnapshot>;
  /** The client errors that count against every request. */
  readonly clientErrors: ClientErrorsSnapshot;
  /** Until when the whole client is blocked. */
  readonly blockedUntil: number | undefined;
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
  /** When the next `count` requests of the route could be sent, if nobody else sent any. */
  readonly forecast: (
    route: LimitedRoute,
    count: number,
  ) => Effect.Effect<Forecast, LimiterStoreError>;
  /** What is known about the route. */
  readonly snapshot: (route: LimitedRoute) => Effect.Effect<RouteSnapshot, LimiterStoreError>;
  /** Number of requests of this process that wait for their turn. */
  readonly waiting: Effect.Effect<number>;
}
