/**
 * Checks a price: the distribution of similar listings, and prices of sold against listed items.
 * Reads only the newest rows, so that the cost of a check has a limit.
 */
import type { Ending } from "../index/tables.ts";
import type { PriceCheck } from "../web/records.ts";
import { sql } from "./Reader.ts";
import { isInRange, isListed, type Scope, value } from "./search.ts";

const PERCENTILES = [5, 10, 25, 50, 75, 90, 95] as const;
/** Limits of rows that are read, newest first: with a full-text query, and without one. */
const MAX_MATCHES = 20_000;
const MAX_ROWS = 50_000;
/** Maximum of ended listings that are read, newest first, over all names and bases. */
const MAX_ENDED = 5000;
const MAX_ENDED_TERMS = 100;
const BUCKETS = 24;
const MAX_GROUPS = 8;
/** With fewer listings, or a larger ratio of the quartiles, the median is not reliable. */
const MIN_LISTINGS = 8;
const MAX_QUARTILE_RATIO = 4;

interface Listing {
  readonly value: number;
  readonly term: number;
}

interface EndedListing {
  readonly value: number;
  readonly ended: Ending;
  /** Milliseconds from the first appearance to the end. */
  readonly millis: number;
}

/** Checks the price of the items that a search finds. */
export const checkPrice = (scope: Scope): PriceCheck => {
  const { isSample, listings } = similarListings(scope);
  const values = Float64Array.from(listings, (each) => each.value).toSorted();
  const drawn = withinFences(values);
  return {
    league: scope.league.name,
    currency: scope.currency,
    listings: values.length,
    isSample,
    doubt: doubt(values),
    groups: groups(scope, listings),
    percentiles:
      values.length === 0
        ? null
        : Object.fromEntries(PERCENTILES.map((each) => [`p${each}`, quantile(values, each / 100)])),
    histogram: histogram(drawn),
    outliers: values.length - drawn.length,
    outcome: scope.terms === undefined ? null : outcome(values, endedListings(scope, scope.terms)),
  };
};

/** Reads the listings with a price that match, or only the newest if there are too many. */
const similarListings = (scope: Scope) => {
  const { match, reader } = scope;
  const most = match === undefined ? MAX_ROWS : MAX_MATCHES;
  const rows =
    match === undefined
      ? sql`SELECT no FROM item ORDER BY no DESC`
      : sql`SELECT rowid AS no FROM item_word WHERE item_word MATCH ${match} ORDER BY rowid DESC`;
  const listings = reader.all<Listing & { readonly count: number }>(sql`
    WITH newest AS MATERIALIZED (${rows} LIMIT ${most})
    SELECT value, term, count FROM (
      SELECT ${value(scope)} AS value, item.term, (SELECT count(*) FROM newest) AS count
      FROM newest CROSS JOIN item ON item.no = newest.no WHERE ${isListed(scope)})
    WHERE ${isInRange(scope)}`);
  return { listings, isSample: listings[0]?.count === most };
};

/** Reads the newest ended listings of the first names and bases, because a word may be in many. */
const endedListings = (scope: Scope, terms: ReadonlyArray<number>): ReadonlyArray<EndedListing> => {
  const { league, reader, where } = scope;
  const read = terms.slice(0, MAX_ENDED_TERMS);
  return read.flatMap((term) =>
    reader.all<EndedListing>(sql`
      SELECT value, ended, millis FROM (
        SELECT ${value(scope)} AS value, ended, ended_at - seen_at AS millis FROM (
          SELECT * FROM item INDEXED BY item_term_ended
          WHERE ended IS NOT NULL AND league = ${league.no} AND term = ${term}
          ORDER BY ended_seq DESC LIMIT ${Math.ceil(MAX_ENDED / read.length)}) AS item
        WHERE ${where})
      WHERE ${isInRange(scope)}`),
  );
};

/** Returns why the median is not a reliable price, or `null` if it is. */
const doubt = (sorted: Float64Array): PriceCheck["doubt"] => {
  if (sorted.length < MIN_LISTINGS) return "few";
  return quantile(sorted, 0.75) > MAX_QUARTILE_RATIO * quantile(sorted, 0.25) ? "wide" : null;
};

/** Drops outliers by Tukey's fences of the logarithms. */
const withinFences = (sorted: Float64Array): Float64Array => {
  const [lower, upper] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  const reach = (upper / lower) ** 1.5;
  return sorted.filter((each) => each >= lower / reach && each <= upper * reach);
};

/** Returns the value below which a share of the sorted values lies; NaN without values. */
const quantile = (sorted: Float64Array, share: number): number => {
  const at = (sorted.length - 1) * share;
  const [low = NaN, high = NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
};

const median = (values: Iterable<number>): number | null => {
  const sorted = Float64Array.from(values).toSorted();
  return sorted.length === 0 ? null : quantile(sorted, 0.5);
};

/** Counts listings in `BUCKETS` price ranges, whose bounds have equal ratios. */
const histogram = (sorted: Float64Array): PriceCheck["histogram"] => {
  const [low = 0, high = 0] = [sorted[0], sorted.at(-1)];
  const step = Math.log(high / low) / BUCKETS;
  if (!(step > 0)) return [];
  const counts = Array.from({ length: BUCKETS }, () => 0);
  for (const each of sorted)
    counts[Math.min(BUCKETS - 1, Math.floor(Math.log(each / low) / step))]! += 1;
  return counts.map((count, bucket) => ({
    from: low * Math.exp(bucket * step),
    to: low * Math.exp((bucket + 1) * step),
    count,
  }));
};

/** Returns the most frequent names and bases, with their number and median price. */
const groups = ({ reader }: Scope, listings: ReadonlyArray<Listing>) =>
  [...Map.groupBy(listings, ({ term }) => term)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_GROUPS)
    .map(([term, group]) => ({
      ...reader.get<{ readonly name: string; readonly base: string }>(
        sql`SELECT name, base FROM term WHERE no = ${term}`,
      )!,
      listings: group.length,
      median: median(group.map((each) => each.value))!,
    }));

const outcome = (listed: Float64Array, ended: ReadonlyArray<EndedListing>) => {
  const { repriced = [], sold = [], unlisted = [] } = Object.groupBy(ended, (each) => each.ended);
  return {
    sold: sold.length,
    unlisted: unlisted.length,
    repriced: repriced.length,
    stayed: listed.length,
    soldMedian: median(sold.map((each) => each.value)),
    stayedMedian: median(listed),
    soldAfterMillis: median(sold.map(({ millis }) => millis)),
  };
};
