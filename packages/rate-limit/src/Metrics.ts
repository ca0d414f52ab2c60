/** The limiter's metrics. Export them with `effect/observability`. */
import * as Metric from "effect/Metric";

/** Waits of requests for their permits, in milliseconds. */
export const waits = Metric.histogram("game_data_rate_limit_wait_ms", {
  description: "Time that requests waited for the rate limit",
  boundaries: [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 60_000, 300_000],
});

/** 429 responses, by `policy`. */
export const violations = Metric.counter("game_data_rate_limit_violations", {
  description: "Requests that the service rejected as too many",
  incremental: true,
});

/** Requests that were not sent, by `reason`. */
export const notSent = Metric.counter("game_data_rate_limit_not_sent", {
  description: "Requests that the limiter did not send",
  incremental: true,
});

/** Requests without an outcome within `inFlightTimeout`. */
export const lost = Metric.counter("game_data_rate_limit_lost", {
  description: "Requests whose outcome did not arrive",
  incremental: true,
});
