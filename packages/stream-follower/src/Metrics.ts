/**
 * Effect metrics of a follower, each tagged with `source` and `realm`.
 *
 * They live in Effect's registry, so `PrometheusMetrics` (pull) and `OtlpMetrics` (push) of
 * `effect/observability` export them without anything more. What depends on the time of asking (lag,
 * the state of parts) is no metric that somebody sets: `Parts.metricsText` computes it.
 */
import type * as Effect from "effect/Effect";
import * as Metric from "effect/Metric";
import type { StreamKey } from "./Model.ts";

const counter = (name: string, description: string) =>
  Metric.counter(`game_data_follower_${name}`, { description, incremental: true });
const gauge = (name: string, description: string) =>
  Metric.gauge(`game_data_follower_${name}`, { description });

export const pages = counter("pages", "Pages committed");
export const rows = counter("rows", "Stashes or markets committed");
export const bytes = counter("bytes", "Bytes of committed pages, inflated");
export const wireBytes = counter("wire_bytes", "Bytes of committed pages on the wire");
export const retries = counter("retries", "Failed attempts, by part, error tag, kind and status");
export const quarantined = counter("quarantined", "Pages and rows quarantined, by error tag");
export const gaps = counter("gaps", "History gaps recorded");
export const violations = counter("violations", "Protocol violations, by kind");
export const windowBytes = gauge("window_bytes", "Bytes waiting in the look-ahead window");
export const windowPages = gauge("window_pages", "Requests in the look-ahead window");
export const leaseEpoch = gauge("lease_epoch", "Epoch under which this process writes");
export const indexedPages = counter("indexed_pages", "Pages applied, by indexer");
export const changesApplied = counter("changes_applied", "Pages applied by consumers of changes");
export const changesLagSeconds = gauge(
  "changes_lag_seconds",
  "Seconds from a page's arrival to its application",
);
export const logPublished = counter("log_published", "Messages published to the log, by result");
/** Milliseconds per page and stage: fetch, inflate, parse, commit. */
export const stageMillis = Metric.histogram("game_data_follower_page_ms", {
  description: "Milliseconds per page, by stage",
  boundaries: Metric.exponentialBoundaries({ start: 1, factor: 2, count: 16 }),
});

/** Adds `amount` to a counter, or sets a gauge, with the attributes of a stream. */
export const record = <Input, State>(
  metric: Metric.Metric<Input, State>,
  key: StreamKey,
  amount: Input,
  extra?: Readonly<Record<string, string>>,
): Effect.Effect<void> =>
  Metric.update(
    Metric.withAttributes(metric, { source: key.source, realm: key.realm, ...extra }),
    amount,
  );
