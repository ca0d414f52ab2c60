/**
 * Computes the value of each currency in the base currency of a league, from the last day of the
 * exchange. The rate of a pair is its mean, weighted by volume. A currency without a market against
 * the base is converted over the fewest other currencies, over the most liquid markets first. A
 * league without an exchange has the rates of all leagues.
 */
import { type Reader, type Sql, sql } from "./Reader.ts";

export interface Rates {
  /** The newest hour, in seconds since 1970; 0 without an hour. */
  readonly hour: number;
  /** The currency with the most hours of trade. */
  readonly base: string;
  /** Amount of `base` for one unit of each currency. */
  readonly values: ReadonlyMap<string, number>;
}

/** A market, with its figures of the last day. */
interface Pair {
  readonly first: string;
  readonly second: string;
  /** Amount of `second` for one unit of `first`. */
  readonly rate: number;
  /** Number of hours with a trade. */
  readonly hours: number;
}

/** Length of a day in seconds. */
export const DAY = 86_400;

/** Reads the rates of a league at its newest hour, or at the last hour up to `at`. */
export const readRates = (reader: Reader, league: string, at = Number.MAX_SAFE_INTEGER): Rates => {
  const newestHour = (markets: Sql) =>
    reader.get<{ readonly hour: number | null }>(
      sql`SELECT max(hour) AS hour FROM market_hour WHERE ${markets} AND hour <= ${at}`,
    )?.hour ?? 0;
  const own = sql`league = ${league}`;
  const hasMarkets = newestHour(own) > 0;
  const markets = hasMarkets ? own : sql`TRUE`;
  const hour = newestHour(markets);
  return reader.remember(`rates of ${hasMarkets ? league : ""} at ${hour}`, () => {
    const pairs = reader.all<Pair>(sql`
      SELECT first, second, count(*) AS hours,
        sum(typical * (volume + 1)) / sum(volume + 1) AS rate
      FROM market_hour WHERE ${markets} AND hour > ${hour - DAY} AND hour <= ${hour}
      GROUP BY first, second ORDER BY hours DESC, sum(volume) DESC`);
    const base = mostTraded(pairs);
    return { hour, base, values: valuesIn(base, pairs) };
  });
};

const mostTraded = (pairs: ReadonlyArray<Pair>): string => {
  const hours = new Map<string, number>();
  for (const pair of pairs)
    for (const code of [pair.first, pair.second])
      hours.set(code, (hours.get(code) ?? 0) + pair.hours);
  return [...hours].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? "";
};

/** Computes the values of currencies, from the base outwards by one market at a time. */
const valuesIn = (base: string, pairs: ReadonlyArray<Pair>): ReadonlyMap<string, number> => {
  const values = new Map([[base, 1]]);
  let reached = new Set([base]);
  while (reached.size > 0) {
    const next = new Set<string>();
    for (const { first, rate, second } of pairs) {
      const [from, to, factor] = reached.has(second)
        ? [second, first, rate]
        : [first, second, 1 / rate];
      if (!reached.has(from) || values.has(to) || !(factor > 0) || factor === Infinity) continue;
      values.set(to, values.get(from)! * factor);
      next.add(to);
    }
    reached = next;
  }
  return values;
};
