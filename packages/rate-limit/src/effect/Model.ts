/**
 * The types of the limiter's Effect surface: a request, and what the limiter reports.
 *
 * Instants (`…At`, `…Until`) are milliseconds since 1970; fields named `…Millis` are durations.
 */
import type * as Duration from "effect/Duration";
import type * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import type { LimiterOptions, LimiterRequest } from "../limiterOptions.ts";
import type {
  Explanation,
  ForecastMillis,
  LimitedRoute,
  Permit,
  RequestOutcome,
  RouteSnapshot,
} from "../Model.ts";
import type { NotSentDetails } from "../RequestNotSentError.ts";
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

/** Names of options that are time spans. */
type Spans = "maxWait" | "inFlightTimeout" | "clientErrorWindow" | "firewallCooldown";

/** The same options, with Effect's durations in place of milliseconds. */
type WithDurations<Options> = {
  readonly [Name in keyof Options]: Name extends Spans
    ? Duration.Input | undefined
    : Name extends "bucketSizes"
      ? ReadonlyArray<Duration.Input> | undefined
      : Options[Name];
};

/** Options of the limiter: those of `createLimiter`, but that the store comes from the context. */
export type PolicyLimiterOptions = WithDurations<Omit<LimiterOptions, "store" | "onEvent">>;

/** A request to send. An interruption takes its place in the queue back. */
export type LimitedRequest = WithDurations<Omit<LimiterRequest, "signal">>;

/** The time at which requests can be sent. */
export interface Forecast extends Omit<ForecastMillis, "durationMillis"> {
  /** Until the last one can be sent. */
  readonly duration: Duration.Duration;
}

/** The answers to a request of `submit`. */
export interface PermitCallbacks {
  /** `settle` tells the outcome, once; its promise never rejects. */
  readonly granted: (
    permit: Permit,
    settle: (outcome: RequestOutcome) => Promise<void> | undefined,
  ) => void;
  readonly refused: (why: NotSentDetails | LimiterStoreError) => void;
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
   * `run` without a fiber, for clients that run their requests by callbacks. Calls back once, and
   * returns what takes the request out of the queue.
   */
  readonly submit: (request: LimitedRequest, answer: PermitCallbacks) => () => void;
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
