/**
 * Checks a price: the distribution of similar listings, their history, and what sold against what
 * stayed.
 */
import { termFacet } from "../indexer/facets.ts";
import { REASONS } from "../indexer/tables.ts";
import { listedIn, matching } from "./plan.ts";
import type { HistoryHour, PriceCheck } from "./records.ts";
import { describe, newest, type Scope, search, valueSql } from "./search.ts";

const PERCENTILES = [5, 10, 25, 50, 75, 90, 95] as const;
/** Listings that a check is of at most: the newest ones. */
const MOST_SORTED = 10_000;
/** Without facets, the newest numbers that are looked at. */
const MOST_SCANNED = 50_000;
const BUCKETS = 24;
const HISTORY_ROWS = 5000;
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

/** Prices of the matches, ascending: all of them, or the newest where there are too many. */
const similarPrices = (scope: Scope) => {
  const { conditions, filters, league, reader } = scope;
  const last = reader.get<{ no: number | null }>("SELECT max(no) AS no FROM item")?.no ?? 0;
  const { match } = conditions;
  const above = match === undefined ? Math.max(0, last - MOST_SCANNED) : 0;
  const hits = newest(
    { ...scope, filters: { ...filters, priceMin: filters.priceMin ?? 0 } },
    match === undefined ? listedIn(league) : matching(match),
    MOST_SORTED + 1,
    [above, Number.MAX_SAFE_INTEGER],
  );
  const values = Float64Array.from(hits.slice(0, MOST_SORTED), ({ value }) => value!).toSorted();
  return { values, isSample: above > 0 || hits.length > MOST_SORTED };
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
  const { conditions, league, reader, values } = scope;
  const { terms } = conditions;
  if (terms === undefined) return undefined;
  const facets = terms.map((term) => termFacet(league.no, term)).join(" OR ") || "none";
  const price = `${valueSql(values)} AS value, item.first_seen AS firstSeen`;
  const stayed = reader.all<Pick<Listing, "value" | "firstSeen">>(
    `SELECT ${price} FROM item_facet CROSS JOIN item ON item.no = item_facet.rowid
     WHERE item_facet MATCH ? ORDER BY item_facet.rowid DESC LIMIT ?`,
    facets,
    HISTORY_ROWS,
  );
  const gone = reader.all<Pick<Listing, "value" | "firstSeen" | "goneAt"> & { reason: number }>(
    `SELECT ${price}, gone_at AS goneAt, reason FROM gone AS item INDEXED BY gone_term
     WHERE item.term IN (SELECT value FROM json_each(?)) AND item.league = ?
     ORDER BY item.gone_at DESC LIMIT ?`,
    JSON.stringify(terms),
    league.no,
    HISTORY_ROWS,
  );
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
