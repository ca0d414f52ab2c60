/**
 * The client's metrics, by Effect's `Metric`: export them with `effect/observability` (OTLP,
 * Prometheus).
 *
 * Attributes are routes (templates), statuses and policies; never names, ids or tokens.
 */
import * as Metric from "effect/Metric";

const milliseconds = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 60_000, 300_000];

/** Requests sent, by `route` and `status` (`none` without an answer). */
export const requests = /*#__PURE__*/ Metric.counter("game_data_client_requests", {
  description: "Requests sent",
  incremental: true,
});

/** Attempts after the first one, by `route`. */
export const retries = /*#__PURE__*/ Metric.counter("game_data_client_retries", {
  description: "Requests repeated",
  incremental: true,
});

/** Duration of requests from sending to the last byte, in milliseconds. */
export const durations = /*#__PURE__*/ Metric.histogram("game_data_client_request_ms", {
  description: "Duration of requests",
  boundaries: milliseconds,
});

/** 429 answers, by `policy`. */
export const violations = /*#__PURE__*/ Metric.counter("game_data_client_rate_limit_violations", {
  description: "Requests that the service refused as too many",
  incremental: true,
});

/** Members and words of answers that the specification does not know, by `route`. */
export const drift = /*#__PURE__*/ Metric.counter("game_data_client_drift", {
  description: "Differences between answers and the specification",
  incremental: true,
});

/** The attributes of a metric: templates, statuses and policies. */
export type Attributes = Readonly<Record<string, string>>;

/** The metrics by name. */
export const all = { drift, durations, requests, retries, violations };

/** The name of a metric. */
export type MetricName = keyof typeof all;

const known = /*#__PURE__*/ new Map<string, Metric.Metric<number, unknown>>();

/** A metric with attributes, made once: making one costs more than updating it. */
export const withAttributes = (
  name: MetricName,
  attributes: Attributes,
): Metric.Metric<number, unknown> => {
  const key = `${name} ${Object.values(attributes).join(" ")}`;
  const found = known.get(key);
  if (found) return found;
  const made = Metric.withAttributes<number, unknown>(all[name], attributes);
  // Routes, statuses and policies are few; a server that invents policies must not fill our memory.
  if (known.size < 5000) known.set(key, made);
  return made;
};
