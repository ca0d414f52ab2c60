/**
 * Decides which errors are worth another attempt, after which wait, and how many.
 *
 * Only safe methods are repeated, and other requests if the service did not process them or
 * `retryUnsafe` is set. Waits are random up to an exponential bound ("full jitter") and never
 * shorter than the service requested. A credit bounds the share of retries, so that an outage is
 * not met with a multiple of the usual traffic.
 */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Random from "effect/Random";
import * as Schedule from "effect/Schedule";
import type { GameApiError } from "../Errors.ts";
import * as Metrics from "../Metrics.ts";
import { type Call, callHook } from "./Call.ts";

/** The share of a retry that a success earns back. */
const EARNED = 0.5;

/** Repeats an attempt while that is allowed and worthwhile. */
export const retrying = <A, R>(
  call: Call,
  attempt: Effect.Effect<A, GameApiError, R>,
): Effect.Effect<A, GameApiError, R> => {
  const { credit, settings } = call;
  const { base, budget, cap } = settings.retry;
  const schedule = Schedule.exponential(base).pipe(
    Schedule.setInputType<GameApiError>(),
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.map(
        Random.next,
        (random) => requestedWait(input) + random * Math.min(cap, Duration.toMillis(duration)),
      ),
    ),
    Schedule.while((retry) => beginRetry(call, retry)),
  );
  return Effect.map(Effect.retry(attempt, schedule), (value) => {
    credit.remaining = Math.min(budget, credit.remaining + EARNED);
    return value;
  });
};

/** Returns whether the retry takes place. If so, spends a credit and reports the retry. */
const beginRetry = Effect.fnUntraced(function* (
  call: Call,
  { attempt, duration, input: error, now }: Schedule.Metadata<unknown, GameApiError>,
) {
  const { credit, settings } = call;
  const delayMillis = Duration.toMillis(duration);
  // A retry that the total time would cut off would only hide the error.
  const isInTime = now + delayMillis - call.startedAt < call.limits.totalTimeout;
  const isLast = attempt > (call.options.retries ?? settings.retry.times);
  if (isLast || credit.remaining < 1 || !isInTime || !mayRepeat(call, error)) return false;
  credit.remaining -= 1;
  const { attempts, operation, route } = call;
  const info = { operation, route, attempts, error, delayMillis };
  if (settings.onRetry) yield* callHook("onRetry", settings.onRetry, info);
  yield* Metrics.record("retries", { route });
  return true;
});

/** The wait that the service requested. After a 429 the limiter delays the whole policy by itself. */
const requestedWait = (error: GameApiError): number =>
  error._tag === "ServerError" && error.retryAfter ? Duration.toMillis(error.retryAfter) : 0;

const mayRepeat = ({ limits, options, request }: Call, error: GameApiError): boolean =>
  isTransient(error) &&
  requestedWait(error) <= limits.maxWait &&
  (request.method === "GET" || options.retryUnsafe === true || wasNotProcessed(error));

const TRANSIENT = new Set<string>(["RateLimited", "ServerError", "Timeout", "TransportError"]);

/**
 * Reasons that last: the limiter has its own retries, and a call that would wait longer than
 * `maxWait` does so the next time, too.
 */
const LASTING = new Set<string>([
  "closed",
  "limiter",
  "redirect",
  "too-many-errors",
  "total",
  "wait-too-long",
]);

/** Unlike `isRetryable`, holds for a POST that may have been processed, for `retryUnsafe`. */
const isTransient = (error: GameApiError): boolean =>
  TRANSIENT.has(error._tag) && !("reason" in error && LASTING.has(error.reason));

const wasNotProcessed = (error: GameApiError): boolean =>
  error._tag === "RateLimited" || (error._tag === "TransportError" && error.reason === "token");
