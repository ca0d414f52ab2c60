/**
 * The metrics of the client. Export them with `effect/observability` (OTLP, Prometheus).
 *
 * Attributes are routes (templates), statuses and policies; never names, ids or tokens.
 */
import { Metrics as LimiterMetrics } from "@game-data/rate-limit";
import type * as Effect from "effect/Effect";
import * as Metric from "effect/Metric";

/** Requests, by `route` and `status` (`none` without a response). */
export const requests = Metric.counter("game_data_client_requests", {
  description: "Requests sent",
  incremental: true,
});

/** Attempts after the first, by `route`. */
export const retries = Metric.counter("game_data_client_retries", {
  description: "Requests repeated",
  incremental: true,
});

/** Duration of successful requests from sending to the last byte in milliseconds, by `route`. */
export const durations = Metric.histogram("game_data_client_request_ms", {
  description: "Duration of requests",
  boundaries: [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 60_000, 300_000],
});

/** 429 responses, by `policy`, as the rate limiter counts them. */
export const violations = LimiterMetrics.violations;

const metrics = { requests, retries, durations };

/** Caches each metric with its attributes, because a new object would compute its key again. */
const tagged = new Map<string, Metric.Metric<number, unknown>>();

/** Adds `value` to a counter, or records it in the histogram `durations`. */
export const record = (
  name: keyof typeof metrics,
  attributes: { readonly route: string; readonly status?: string },
  value = 1,
): Effect.Effect<void> => {
  const key = `${name} ${attributes.route} ${attributes.status}`;
  let metric = tagged.get(key);
  if (metric === undefined) {
    metric = Metric.withAttributes<number, unknown>(metrics[name], { ...attributes });
    tagged.set(key, metric);
  }
  return Metric.update(metric, value);
};
