/**
 * Rates between currencies, from the hours of the exchange: what one unit of each currency is worth
 * in the league's base currency.
 *
 * A pair's rate is the mean of its last day, weighted by volume. A currency without a market
 * against the base is converted over the fewest others, those with most volume first.
 */
import type { Reader } from "./Reader.ts";

/** Values of currencies in one league. */
export interface Rates {
  /** The league of the markets; `null` where the league has none and all leagues were taken. */
  readonly league: string | null;
  /** The newest hour, in seconds since 1970; 0 without any. */
  readonly hour: number;
  /** The currency with most trade. */
  readonly base: string;
  /** Units of `base` for one of each currency. */
  readonly values: ReadonlyMap<string, number>;
}

/** One market over the last day. */
interface Pair {
  readonly first: string;
  readonly second: string;
  /** `second` for one `first`. */
  readonly rate: number;
  /** Hours with a trade. */
  readonly hours: number;
  readonly volumeFirst: number;
}

const DAY_SECONDS = 86_400;

const PAIRS = `SELECT first, second, count(*) AS hours, sum(volume_first) AS volumeFirst,
    sum(typical * (volume_first + 1)) / sum(volume_first + 1) AS rate
  FROM market_hour`;

/** The rates of a league at its newest hour, or at the last one until `at`. */
export const readRates = (reader: Reader, league: string, at = Number.MAX_SAFE_INTEGER): Rates => {
  const own = newestHour(reader, "WHERE league = ? AND hour <= ?", league, at);
  const hour = own === 0 ? newestHour(reader, "WHERE hour <= ?", at) : own;
  return reader.remember(`rates ${own === 0 ? "" : league} ${hour}`, () => {
    const day = [hour - DAY_SECONDS, hour] as const;
    const pairs =
      own === 0
        ? reader.all<Pair>(`${PAIRS} WHERE hour > ? AND hour <= ? GROUP BY 1, 2`, ...day)
        : reader.all<Pair>(
            `${PAIRS} WHERE league = ? AND hour > ? AND hour <= ? GROUP BY 1, 2`,
            league,
            ...day,
          );
    const base = mostTraded(pairs) ?? mostListed(reader) ?? "";
    return { league: own === 0 ? null : league, hour, base, values: valuesIn(base, pairs) };
  });
};

const newestHour = (reader: Reader, where: string, ...values: ReadonlyArray<string | number>) =>
  reader.get<{ readonly hour: number | null }>(
    `SELECT max(hour) AS hour FROM market_hour ${where}`,
    ...values,
  )?.hour ?? 0;

const mostTraded = (pairs: ReadonlyArray<Pair>): string | undefined => {
  const hours = new Map<string, number>();
  for (const pair of pairs)
    for (const code of [pair.first, pair.second])
      hours.set(code, (hours.get(code) ?? 0) + pair.hours);
  return [...hours].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
};

const mostListed = (reader: Reader): string | undefined =>
  reader.get<{ readonly code: string }>("SELECT code FROM currency ORDER BY no LIMIT 1")?.code;

/** Walks outwards from the base, pairs with most hours and volume first. */
const valuesIn = (base: string, pairs: ReadonlyArray<Pair>): ReadonlyMap<string, number> => {
  const values = new Map([[base, 1]]);
  const liquid = pairs.toSorted((a, b) => b.hours - a.hours || b.volumeFirst - a.volumeFirst);
  let reached = [base];
  while (reached.length > 0) {
    const frontier = new Set(reached);
    reached = [];
    for (const { first, rate, second } of liquid) {
      const [from, to, factor] = frontier.has(second)
        ? [second, first, rate]
        : [first, second, 1 / rate];
      if (!frontier.has(from) || values.has(to) || !(factor > 0) || !Number.isFinite(factor))
        continue;
      values.set(to, values.get(from)! * factor);
      reached.push(to);
    }
  }
  return values;
};
