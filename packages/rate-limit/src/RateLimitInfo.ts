/**
 * What a reader of rate-limit headers tells the limiter.
 */

/** One counting window of one rule, as a response described it. Times are milliseconds. */
export interface RateLimitWindow {
  /** The rule it belongs to (`client`, `account`, `ip`, …), in lower case. */
  readonly rule: string;
  /** Requests allowed within `periodMillis`. */
  readonly max: number;
  /** Length of the window. */
  readonly periodMillis: number;
  /** Requests the server counts in the window at the moment, this one included. */
  readonly hits?: number;
  /** The rest of a restriction that is active now. */
  readonly restrictedMillis?: number;
  /**
   * The server tells when the window ends, or empties it evenly: no hidden bucket is looked for.
   * Default: `false`.
   */
  readonly isPlain?: boolean;
}

/** The limits in a response's headers. */
export interface RateLimitInfo {
  /** The name under which the server counts; endpoints with the same name share their counters. */
  readonly policy: string | undefined;
  /**
   * All windows of all rules; empty when the headers name none (the limiter then keeps the last
   * known ones).
   */
  readonly windows: ReadonlyArray<RateLimitWindow>;
  /** The time for which the server asks to wait, in milliseconds. */
  readonly retryAfterMillis: number | undefined;
  /** The exactness of times in the headers. Default: a second, rounded either way. */
  readonly roundingMillis?: number;
}

/** The longest known window of a rule of a policy, in milliseconds; 0 if none is known. */
export type PeriodOf = (policy: string, rule: string) => number;

/**
 * Reads the limits out of response headers (names in lower case). `now` is needed for a
 * `Retry-After` that is a date, `periodOf` where headers tell what is left of a window and not its
 * length: it lasts as long as the longest rest.
 */
export interface RateLimitDialect {
  /** Its name, for logs. */
  readonly name: string;
  /** Statuses beside 429 that refuse a request if their headers name a wait. Default: none. */
  readonly refusals?: ReadonlyArray<number>;
  /** The reading; never throws. */
  readonly read: (
    headers: Readonly<Record<string, string | undefined>>,
    now: number,
    periodOf?: PeriodOf,
  ) => RateLimitInfo;
}
