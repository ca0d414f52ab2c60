/**
 * Decides when a failed request is sent again, and after how long.
 *
 * Only what can be repeated without harm: safe methods, and any method after a 429, which the
 * service refused before doing anything. Waits are random up to an exponential bound ("full
 * jitter"), and never shorter than the service asked for. A budget bounds the share of retries, so
 * that an outage is not answered with a multiple of the usual traffic.
 */
import * as Duration from "effect/Duration";
import type { GameApiError } from "./Errors.ts";
import type { Call } from "./pipeline/Call.ts";
import { toMillis } from "./pipeline/timer.ts";

/** The retry options of a client. */
export interface RetryPolicy {
  /** Further attempts after the first. Default: 3. */
  readonly times?: number | undefined;
  /** Bound of the first wait; doubled for every further one. Default: 250 ms. */
  readonly base?: Duration.Input | undefined;
  /** Largest bound. Default: 20 s. */
  readonly cap?: Duration.Input | undefined;
  /** Retries that may be made on credit; every success earns half a retry back. Default: 20. */
  readonly budget?: number | undefined;
}

/** The policy in numbers. */
export interface RetrySettings {
  readonly times: number;
  readonly base: number;
  readonly cap: number;
  readonly budget: number;
}

/** Fills in the defaults. */
export const retrySettings = (policy: RetryPolicy = {}): RetrySettings => ({
  times: policy.times ?? 3,
  base: toMillis(policy.base, 250),
  cap: toMillis(policy.cap, 20_000),
  budget: policy.budget ?? 20,
});

/**
 * The wait before retry number `retry` (from 0). `random` is uniform in [0, 1), `asked` what the
 * service asked for.
 */
export const retryDelay = (
  settings: RetrySettings,
  retry: number,
  random: number,
  asked: number,
): number => asked + random * Math.min(settings.cap, settings.base * 2 ** retry);

/** Whether it may and should be sent again. */
export const mayRepeat = (call: Call, error: GameApiError): boolean =>
  (isSafe(call) || call.options.retryUnsafe === true || wasNotProcessed(error)) &&
  isRetryWorthwhile(error);

/** The wait before the next attempt; `undefined` if that is longer than the call may wait. */
export const delayOf = (
  call: Call,
  error: GameApiError,
  settings: RetrySettings,
  random: number,
): number | undefined => {
  // After a 429 the limiter itself delays the whole policy.
  const asked =
    error._tag === "ServerError" && error.retryAfter !== undefined
      ? Duration.toMillis(error.retryAfter)
      : 0;
  return asked > call.maxWait ? undefined : retryDelay(settings, call.retried, random, asked);
};

const isSafe = ({ request: { method } }: Call) => method === "GET" || method === "HEAD";

/** Whether the service did not process the request, so that even a POST may be repeated. */
const wasNotProcessed = (error: GameApiError) =>
  error._tag === "RateLimited" ||
  (error._tag === "TransportError" && (error.kind === "limiter" || error.kind === "token"));

/** Waiting does not shorten a wait that was too long. */
const isRetryWorthwhile = (error: GameApiError): boolean => {
  const isTooLong =
    error._tag === "RateLimited"
      ? error.kind !== "server"
      : error._tag === "Timeout" && error.kind === "total";
  return error.isRetryable && !isTooLong;
};
