/**
 * Counters of a follower and of the readers of its log, by `source` and `realm`. They are in Effect's
 * registry, so that its exporters (`effect/observability`) see them.
 */
import type * as Effect from "effect/Effect";
import * as Metric from "effect/Metric";
import type { StreamKey } from "./Model.ts";

const DESCRIPTIONS = {
  pages: "Pages committed",
  rows: "Stashes or markets in committed pages",
  bytes: "Bytes of committed pages, inflated",
  wire_bytes: "Bytes of committed pages on the wire",
  retries: "Failed attempts, by part, error tag, reason and status",
  quarantined: "Pages and rows quarantined, by error tag",
  gaps: "Gaps of the history",
  indexed_pages: "Pages applied, by indexer",
  changes_applied: "Pages applied by consumers of changes",
  published: "Messages published to the broker",
} as const;

/** The counters by their names without `game_data_follower_`. */
export const COUNTERS = Object.fromEntries(
  Object.entries(DESCRIPTIONS).map(([name, description]) => [
    name,
    Metric.counter(`game_data_follower_${name}`, { description, incremental: true }),
  ]),
) as Readonly<Record<keyof typeof DESCRIPTIONS, Metric.Counter<number>>>;

/** Adds `amount` to a counter of a stream. `labels` are further attributes. */
export const count = (
  name: keyof typeof DESCRIPTIONS,
  { realm, source }: StreamKey,
  amount: number,
  labels?: Readonly<Record<string, string>>,
): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(COUNTERS[name], { source, realm, ...labels }), amount);

const CHANGES_LAG = Metric.gauge("game_data_follower_changes_lag_seconds", {
  description: "Seconds from the arrival of a page to its application by a consumer",
});

/** Records the time from the arrival of a page to its application by a consumer. */
export const recordChangesLag = (
  { realm, source }: StreamKey,
  seconds: number,
): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(CHANGES_LAG, { source, realm }), seconds);
