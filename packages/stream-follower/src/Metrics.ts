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

/** Pages that are durable in the sink. */
export const pages = counter("pages", "Pages committed");
/** Stashes or markets that are durable in the sink. */
export const rows = counter("rows", "Stashes or markets committed");
/** Bytes of committed pages, inflated. */
export const bytes = counter("bytes", "Bytes of committed pages, inflated");
/** Bytes of committed pages, on the wire. */
export const wireBytes = counter("wire_bytes", "Bytes of committed pages on the wire");
/** Failed attempts, by part and by the tag, kind and HTTP status of the error. */
export const retries = counter("retries", "Failed attempts, by part, error tag, kind and status");
/** Quarantined records, by the tag of the error. */
export const quarantined = counter("quarantined", "Pages and rows quarantined, by error tag");
/** Parts of the history that were not read. */
export const gaps = counter("gaps", "History gaps recorded");
/** Broken rules of the stream, by kind. */
export const violations = counter("violations", "Protocol violations, by kind");
/** Bytes waiting in the look-ahead window. */
export const windowBytes = gauge("window_bytes", "Bytes waiting in the look-ahead window");
/** Requests in the look-ahead window. */
export const windowPages = gauge("window_pages", "Requests in the look-ahead window");
/** The epoch under which this process writes. */
export const leaseEpoch = gauge("lease_epoch", "Epoch under which this process writes");
/** Pages applied by indexers. */
export const indexedPages = counter("indexed_pages", "Pages applied, by indexer");
/** Pages that consumers of the change feed applied. */
export const changesApplied = counter("changes_applied", "Pages applied by consumers of changes");
/** Seconds between the arrival of a page and its application by a consumer. */
export const changesLagSeconds = gauge(
  "changes_lag_seconds",
  "Seconds from a page's arrival to its application",
);
/** Messages published to a broker's log, by result: `ok`, `lostAck`, `fenced`. */
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
