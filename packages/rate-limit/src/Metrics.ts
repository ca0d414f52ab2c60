/** The limiter's metrics. Export them with `effect/observability`. */
import * as Metric from "effect/Metric";

/** Histogram of the time that requests waited for a permit, in milliseconds. */
export const waits = Metric.histogram("game_data_rate_limit_wait_ms", {
  description: "Time that requests waited for the rate limit",
  boundaries: [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 60_000, 300_000],
});

/** Counts 429 responses, by the attribute `policy`. */
export const violations = Metric.counter("game_data_rate_limit_violations", {
  description: "Requests that the service rejected as too many",
  incremental: true,
});

/** Counts requests that were not sent, by the attribute `reason` (`store` if the store failed). */
export const notSent = Metric.counter("game_data_rate_limit_not_sent", {
  description: "Requests that the limiter did not send",
  incremental: true,
});

/** Counts requests whose outcome was not reported within `inFlightTimeout`. */
export const lost = Metric.counter("game_data_rate_limit_lost", {
  description: "Requests whose outcome did not arrive",
  incremental: true,
});
