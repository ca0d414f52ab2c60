/**
 * Checks a price: the distribution of similar listings, and what sold against what stayed.
 */
import { REASONS } from "../indexer/tables.ts";
import { listedIn, matching } from "./plan.ts";
import type { PriceCheck } from "./records.ts";
import { describe, type Hit, newest, priceBounds, type Scope, search, valueSql } from "./search.ts";

const PERCENTILES = [5, 10, 25, 50, 75, 90, 95] as const;
/** Listings that a check is of at most: the newest ones. */
const MOST_SORTED = 10_000;
/** Without facets, the newest numbers that are looked at. */
const MOST_SCANNED = 50_000;
const BUCKETS = 24;
const ENDED_ROWS = 5000;

/** Fewer listings than these say little of a price. */
const LEAST_LISTINGS = 8;
/** The upper quartile is at most so many times the lower one where one price speaks for all. */
const WIDEST = 4;

/** Checks the price of what the scope's filters describe. */
export const checkPrice = (scope: Scope): PriceCheck => {
  const { hits, isSample } = similarListings(scope);
  const values = Float64Array.from(hits, ({ value }) => value!).toSorted();
  const cheapest = search(scope, { sort: "price", limit: 10 }).hits;
  const past = scope.conditions.terms && [...hits.map(stayedOf), ...endedOf(scope)];
  const drawn = withinFences(values);
  return {
    league: scope.league.name,
    currency: scope.currency,
    listings: values.length,
    isSample,
    doubt: doubtOf(values),
    ...groupsOf(scope, hits),
    percentiles: percentilesOf(values),
    histogram: histogramOf(drawn),
    outliers: values.length - drawn.length,
    cheapest: describe(scope.reader, cheapest),
    outcome: past === undefined ? null : outcomeOf(past),
  };
};

const MOST_GROUPS = 8;

/** What the listings are of: how many names and bases, and the most frequent ones. */
const groupsOf = ({ reader }: Scope, hits: ReadonlyArray<Hit>) => {
  const byTerm = Map.groupBy(hits, ({ term }) => term!);
  const most = [...byTerm].toSorted(([, a], [, b]) => b.length - a.length).slice(0, MOST_GROUPS);
  const groups = most.map(([term, of]) => ({
    ...reader.get<{ name: string; base: string }>(
      "SELECT name, base FROM term WHERE no = ?",
      term,
    )!,
    listings: of.length,
    median: medianOf(of.map(({ value }) => value))!,
  }));
  return { kinds: byTerm.size, groups };
};

/** Matches with a price: all of them, or the newest where there are too many. */
const similarListings = (scope: Scope) => {
  const { conditions, league, reader } = scope;
  const last = reader.get<{ no: number | null }>("SELECT max(no) AS no FROM item")?.no ?? 0;
  const { match } = conditions;
  const above = match === undefined ? Math.max(0, last - MOST_SCANNED) : 0;
  const hits = newest(
    priced(scope),
    match === undefined ? listedIn(league) : matching(match),
    MOST_SORTED + 1,
    [above, Number.MAX_SAFE_INTEGER],
  );
  return { hits: hits.slice(0, MOST_SORTED), isSample: above > 0 || hits.length > MOST_SORTED };
};

/** Leaves out what has no price. */
const priced = (scope: Scope): Scope => {
  const { filters } = scope;
  return { ...scope, filters: { ...filters, priceMin: filters.priceMin ?? 0 } };
};

/** Why the median is no price: too few listings, or listings of too different things. */
const doubtOf = (sorted: Float64Array): PriceCheck["doubt"] => {
  if (sorted.length < LEAST_LISTINGS) return "few";
  return quantile(sorted, 0.75) > WIDEST * quantile(sorted, 0.25) ? "wide" : null;
};

/** Without the values that are far from the others: Tukey's fences, of the logarithms. */
const withinFences = (sorted: Float64Array): Float64Array => {
  if (sorted.length === 0) return sorted;
  const [lower, upper] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  const reach = (upper / lower) ** 1.5;
  return sorted.filter((value) => value >= lower / reach && value <= upper * reach);
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

/** Equal steps of the logarithm. */
const histogramOf = (sorted: Float64Array): PriceCheck["histogram"] => {
  const [low, high] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  const step = Math.log(high / low) / BUCKETS;
  if (!(step > 0)) return [];
  const counts = Array.from({ length: BUCKETS }, () => 0);
  for (const value of sorted)
    counts[Math.min(BUCKETS - 1, Math.floor(Math.log(value / low) / step))]! += 1;
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

const stayedOf = ({ firstSeen = 0, value }: Hit): Listing => ({
  value,
  firstSeen,
  goneAt: 0,
  reason: "stayed",
});

/** The newest listings that ended, under the same filters as those that did not. */
const endedOf = (scope: Scope): ReadonlyArray<Listing> => {
  const { conditions, league, reader, values } = scope;
  return reader
    .all<Omit<Listing, "reason"> & { readonly reason: number }>(
      `SELECT ${valueSql(values)} AS value, item.first_seen AS firstSeen, gone_at AS goneAt, reason
       FROM gone AS item INDEXED BY gone_term
       WHERE item.league = ? AND ${conditions.all.sql} AND value BETWEEN ? AND ?
       ORDER BY item.gone_at DESC LIMIT ?`,
      league.no,
      ...conditions.all.parameters,
      ...priceBounds(priced(scope)),
      ENDED_ROWS,
    )
    .map((row) => ({ ...row, reason: REASONS[row.reason]! }));
};

const outcomeOf = (listings: ReadonlyArray<Listing>): NonNullable<PriceCheck["outcome"]> => {
  const by = Map.groupBy(listings, ({ reason }) => reason);
  const of = (reason: Listing["reason"]) => by.get(reason) ?? [];
  const medianValue = (reason: Listing["reason"]) => medianOf(of(reason).map(({ value }) => value));
  return {
    sold: of("sold").length,
    unlisted: of("unlisted").length,
    repriced: of("repriced").length,
    stayed: of("stayed").length,
    soldMedian: medianValue("sold"),
    stayedMedian: medianValue("stayed"),
    soldAfterMillis: medianOf(of("sold").map(({ firstSeen, goneAt }) => goneAt - firstSeen)),
  };
};
