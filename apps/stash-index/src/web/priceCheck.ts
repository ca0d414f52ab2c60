/**
 * Checks a price: the distribution of similar listings, their history, and what sold against what
 * stayed.
 */
import { REASONS } from "../indexer/tables.ts";
import { allOf, termCondition } from "./filters.ts";
import { makePlan } from "./plan.ts";
import type { HistoryHour, PriceCheck } from "./records.ts";
import { describe, type Scope, search, valueSql } from "./search.ts";

const PERCENTILES = [5, 10, 25, 50, 75, 90, 95] as const;
const MOST_SORTED = 20_000;
const SAMPLE = 2000;
const BUCKETS = 24;
const HISTORY_ROWS = 20_000;
const HOUR = 3_600_000;

/** Checks the price of what the scope's filters describe. */
export const checkPrice = (scope: Scope): PriceCheck => {
  const { isSample, values } = similarPrices(scope);
  const { hits } = search(scope, { sort: "price", limit: 10 });
  const past = termHistory(scope);
  const ended = past?.filter(({ reason }) => reason !== "stayed") ?? [];
  const sold = ended.filter(({ reason }) => reason === "sold");
  const stayed = past?.filter(({ reason }) => reason === "stayed") ?? [];
  return {
    league: scope.league.name,
    currency: scope.currency,
    listings: values.length,
    isSample,
    percentiles: percentilesOf(values),
    histogram: histogramOf(values),
    cheapest: describe(scope.reader, hits),
    history: past === undefined ? null : hourly(past),
    outcome:
      past === undefined
        ? null
        : {
            sold: sold.length,
            unlisted: ended.filter(({ reason }) => reason === "unlisted").length,
            repriced: ended.filter(({ reason }) => reason === "repriced").length,
            stayed: stayed.length,
            soldMedian: medianOf(sold.map(({ value }) => value)),
            stayedMedian: medianOf(stayed.map(({ value }) => value)),
            soldAfterMillis: medianOf(sold.map(({ firstSeen, goneAt }) => goneAt - firstSeen)),
          },
  };
};

/**
 * Prices of the matches, ascending: all of them, or the newest where there are too many to sort.
 */
const similarPrices = (scope: Scope) => {
  const { conditions, filters, league, reader } = scope;
  const plan = makePlan(reader, league, filters, MOST_SORTED);
  const isWhole = plan.kind === "collect";
  const source = isWhole
    ? plan.source
    : { from: "item NOT INDEXED", where: "item.league = ?", parameters: [league.no] };
  const most = isWhole ? MOST_SORTED : SAMPLE;
  const rows = reader.all<{ readonly value: number }>(
    `SELECT value FROM (SELECT item.no AS no, ${valueSql(scope.values)} AS value FROM ${source.from}
       WHERE ${source.where} AND ${conditions.sql})
     WHERE value BETWEEN ? AND ? ORDER BY no DESC LIMIT ?`,
    ...source.parameters,
    ...conditions.parameters,
    filters.priceMin ?? 0,
    filters.priceMax ?? Number.MAX_VALUE,
    most + 1,
  );
  const values = Float64Array.from(rows.slice(0, most), ({ value }) => value).toSorted();
  return { values, isSample: rows.length > most };
};

/** The value below which a share of the sorted values lies, between neighbours by proportion. */
const quantile = (sorted: ArrayLike<number>, share: number): number => {
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
};

const percentilesOf = (sorted: Float64Array): PriceCheck["percentiles"] =>
  sorted.length === 0
    ? null
    : Object.fromEntries(
        PERCENTILES.map((percent) => [`p${percent}`, quantile(sorted, percent / 100)]),
      );

const medianOf = (values: ReadonlyArray<number | null>): number | null => {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  return known.length === 0 ? null : quantile(known, 0.5);
};

/** Equal steps of the logarithm, between the 1st and the 99th percentile. */
const histogramOf = (sorted: Float64Array): PriceCheck["histogram"] => {
  if (sorted.length < 2) return [];
  const [low, high] = [quantile(sorted, 0.01), quantile(sorted, 0.99)];
  const step = Math.log(high / low) / BUCKETS;
  if (!(step > 0)) return [];
  const counts = Array.from({ length: BUCKETS }, () => 0);
  for (const value of sorted) {
    const bucket = Math.floor(Math.log(value / low) / step);
    if (value >= low && value <= high) counts[Math.min(BUCKETS - 1, Math.max(0, bucket))]! += 1;
  }
  return counts.map((count, bucket) => ({
    from: low * Math.exp(bucket * step),
    to: low * Math.exp((bucket + 1) * step),
    count,
  }));
};

interface Listing {
  readonly value: number | null;
  readonly firstSeen: number;
  readonly goneAt: number;
  readonly reason: (typeof REASONS)[number] | "stayed";
}

/** The newest listings of the searched terms, ended or not; `undefined` without a term. */
const termHistory = (scope: Scope): ReadonlyArray<Listing> | undefined => {
  const { filters, league, reader, values } = scope;
  const term = termCondition(reader, filters);
  if (term === undefined) return undefined;
  const rarity = allOf([term]);
  const select = (table: string, index: string, columns: string) =>
    `SELECT ${valueSql(values)} AS value, item.first_seen AS firstSeen, ${columns}
     FROM ${table} AS item INDEXED BY ${index} WHERE ${rarity.sql} AND item.league = ? LIMIT ?`;
  const parameters = [...rarity.parameters, league.no, HISTORY_ROWS];
  const stayed = reader.all<{ value: number | null; firstSeen: number }>(
    select("item", "item_term", "0 AS reason"),
    ...parameters,
  );
  const gone = reader.all<{
    value: number | null;
    firstSeen: number;
    goneAt: number;
    reason: number;
  }>(select("gone", "gone_term", "item.gone_at AS goneAt, item.reason AS reason"), ...parameters);
  return [
    ...stayed.map((row) => ({ ...row, goneAt: 0, reason: "stayed" as const })),
    ...gone.map((row) => ({ ...row, reason: REASONS[row.reason]! })),
  ];
};

const hourOf = (millis: number) => Math.floor(millis / HOUR) * HOUR;

/** Listings by the hour in which they appeared, sales by the hour in which they left. */
const hourly = (listings: ReadonlyArray<Listing>): ReadonlyArray<HistoryHour> => {
  // A repriced listing is the same one; it appears once, with its last price.
  const appeared = listings.filter(({ reason }) => reason !== "repriced" && reason !== "changed");
  const listed = Map.groupBy(appeared, ({ firstSeen }) => hourOf(firstSeen));
  const sold = Map.groupBy(
    listings.filter(({ reason }) => reason === "sold"),
    ({ goneAt }) => hourOf(goneAt),
  );
  const hours = new Set([...listed.keys(), ...sold.keys()]);
  return [...hours]
    .toSorted((a, b) => a - b)
    .map((hour) => {
      const [came, left] = [listed.get(hour) ?? [], sold.get(hour) ?? []];
      return {
        hour,
        listed: came.length,
        listedMedian: medianOf(came.map(({ value }) => value)),
        sold: left.length,
        soldMedian: medianOf(left.map(({ value }) => value)),
      };
    });
};
