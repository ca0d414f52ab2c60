/**
 * The limiter's metrics, by Effect's `Metric`: export them with `effect/observability`.
 */
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Metric from "effect/Metric";
import type { LimiterEvent } from "../Model.ts";

/** Waits of requests for their permits, in milliseconds. */
export const waits = /*#__PURE__*/ Metric.histogram("game_data_rate_limit_wait_ms", {
  description: "Time that requests waited for the rate limit",
  boundaries: [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 60_000, 300_000],
});

/** 429 responses, by `policy`. */
export const violations = /*#__PURE__*/ Metric.counter("game_data_rate_limit_violations", {
  description: "Requests that the service rejected as too many",
  incremental: true,
});

/** Requests that were not sent, by `kind`. */
export const notSent = /*#__PURE__*/ Metric.counter("game_data_rate_limit_not_sent", {
  description: "Requests that the limiter did not send",
  incremental: true,
});

/** Requests without an outcome within `inFlightTimeout`. */
export const lost = /*#__PURE__*/ Metric.counter("game_data_rate_limit_lost", {
  description: "Requests whose outcome never came",
  incremental: true,
});

/** Counts the limiter's events, and logs a warning for a response that could not be recorded. */
export const effectReports = {
  onEvent: (event: LimiterEvent, context: Context.Context<never>): void => {
    const count = (metric: Metric.Metric<number, unknown>, attributes: Record<string, string>) =>
      Metric.withAttributes(metric, attributes).updateUnsafe(1, context);
    if (event.type === "granted") waits.updateUnsafe(event.waitedMillis, context);
    else if (event.type === "violation") count(violations, { policy: event.policy ?? "unknown" });
    else if (event.type === "lost") lost.updateUnsafe(1, context);
    else if (event.type === "fault") {
      const { cause, source } = event;
      const what = source === "store" ? "a response could not be recorded" : `${source} threw`;
      Effect.runForkWith(context)(Effect.logWarning(`rate limiter: ${what}`, cause));
    } else count(notSent, { kind: event.kind });
  },
};
