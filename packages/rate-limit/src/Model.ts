/**
 * The types of the limiter: a request, its outcome, and what the limiter reports.
 *
 * Instants (`…At`, `…Until`) are milliseconds since 1970; fields named `…Millis` are durations.
 */

/** The route of a request, and the user that it is counted for. */
export interface LimitedRoute {
  /** The method and the path as a template: requests of one route belong to one policy. */
  readonly route: string;
  /** The user of the request. Budgets of accounts are kept per identity. Default: `default`. */
  readonly identity?: string | undefined;
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
  /** The policy that responses of the route named last. */
  readonly policy: string | undefined;
  /** The time for which the request waited for it. */
  readonly waitedMillis: number;
}

/** The time at which requests can be sent. */
export interface ForecastMillis {
  /** For each request, from now, ascending; `Infinity` while the limiter is paused. */
  readonly startsInMillis: ReadonlyArray<number>;
  /** Until the last one can be sent. */
  readonly durationMillis: number;
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
  /**
   * The time for which hits may stay counted beyond the period: hidden buckets, slack of the clock.
   */
  readonly excessMillis: number;
  /** Counted requests of other programs. */
  readonly foreign: number;
}

/** One policy. */
export interface PolicySnapshot {
  readonly name: string;
  readonly blockedUntil: number | undefined;
  readonly inFlight: number;
  readonly windows: ReadonlyArray<WindowSnapshot>;
}

/** Rejected requests within the window of the guard. */
export interface ClientErrorsSnapshot {
  readonly count: number;
  /** 401, 403 and 429 among them: only these can block the client. */
  readonly blocking: number;
  readonly max: number;
  readonly windowMillis: number;
}

/** The known limits of a route. */
export interface RouteSnapshot {
  /**
   * `unknown`: no response yet. `none`: responses without rate headers. `learned`: from headers, or
   * stated by `limits`.
   */
  readonly limits: "unknown" | "none" | "learned";
  /**
   * The policies that responses of the route have named, the latest first. `?` before a route: none
   * was named. `*`: the limits that the program states.
   */
  readonly policies: ReadonlyArray<PolicySnapshot>;
  /** The client errors that count against every request. */
  readonly clientErrors: ClientErrorsSnapshot;
  /** Until when the whole client is blocked. */
  readonly blockedUntil: number | undefined;
}

/** The reason why a waiting request waits. */
export interface Explanation {
  readonly route: string;
  readonly identity: string;
  /** Requests of the route and identity that wait. */
  readonly waiting: number;
  /**
   * `window`: a rule's window is full. `blocked`: the policy waits after a 429. `in-flight`:
   * responses have to come first. `learning`: the first response has to come. `client-errors`:
   * rejected requests are spread. `concurrency`: as many as permitted are in flight. `paused`: the
   * program paused the limiter.
   */
  readonly reason:
    | "window"
    | "blocked"
    | "in-flight"
    | "learning"
    | "client-errors"
    | "concurrency"
    | "paused";
  readonly policy: string | undefined;
  readonly rule: string | undefined;
  readonly periodMillis: number | undefined;
  /** The time at which the next one can be sent; `undefined`: once a response has come. */
  readonly until: number | undefined;
}

/**
 * The reason why a request was not sent. `wait-too-long`: it would wait longer than its maximum
 * wait. `firewall`: a firewall blocked the client. `too-many-errors`: too many requests were
 * rejected. `paused`: the limiter was paused for longer than its maximum wait. `closed`, `cleared`:
 * the program closed the limiter, or cleared what waited.
 */
export type NotSentReason =
  | "wait-too-long"
  | "firewall"
  | "too-many-errors"
  | "paused"
  | "closed"
  | "cleared";

/** What failed: a callback of the program, or the store, which did not record an outcome. */
export type FaultSource = "dialect" | "countsAsError" | "adaptive" | "report" | "store";

/** An event in a limiter, for metrics. */
export type LimiterEvent =
  | { readonly type: "granted"; readonly policy: string | undefined; readonly waitedMillis: number }
  /** `store`: the store failed, and the request with it. */
  | { readonly type: "not-sent"; readonly kind: NotSentReason | "store" }
  | { readonly type: "lost"; readonly route: string; readonly afterMillis: number }
  /** What the source would have told is left out. */
  | { readonly type: "fault"; readonly source: FaultSource; readonly cause: unknown }
  | { readonly type: "violation"; readonly policy: string | undefined };
