/**
 * The currency exchange: markets and their movement, and the hours of one market.
 */
import { readRates } from "./rates.ts";
import { InvalidParameter, type Reader } from "./Reader.ts";
import type { Market, MarketHour } from "./records.ts";

const DAY_SECONDS = 86_400;

/** The markets of a league over its last day, those that moved most first. */
export const markets = (
  reader: Reader,
  { league, limit = 100 }: { readonly league: string; readonly limit?: number },
): { readonly markets: ReadonlyArray<Market> } => {
  const { hour } = ownRates(reader, league);
  const rows = reader.all<{ first: string; second: string; typical: number; volume: number }>(
    `SELECT first, second, typical, volume_first AS volume FROM market_hour
     WHERE league = ? AND hour > ? ORDER BY hour`,
    league,
    hour - DAY_SECONDS,
  );
  const moved = [...Map.groupBy(rows, ({ first, second }) => `${first}|${second}`).values()]
    .map((hours) => {
      const [oldest, newest] = [hours[0]!, hours.at(-1)!];
      return {
        first: newest.first,
        second: newest.second,
        rate: newest.typical,
        change: newest.typical / oldest.typical - 1,
        volumeFirst: hours.reduce((sum, { volume }) => sum + volume, 0),
        hours: hours.length,
      };
    })
    .toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change) || b.hours - a.hours);
  return { markets: moved.slice(0, limit) };
};

/**
 * The kept hours of a market, oldest first; a market is found by either order of its currencies.
 */
export const history = (
  reader: Reader,
  { first, league, second }: Readonly<Record<"first" | "league" | "second", string>>,
): { readonly hours: ReadonlyArray<MarketHour> } => {
  // An hour may be there in both orders: then as it is asked for. Where a group asks for `min`, SQLite
  // takes the other columns from the row that has it.
  const hours = reader.all<MarketHour>(
    `SELECT hour, low, high, typical, volumeFirst, volumeSecond FROM (
       SELECT hour, low, high, typical, volume_first AS volumeFirst, volume_second AS volumeSecond,
         0 AS turned FROM market_hour WHERE league = ?1 AND first = ?2 AND second = ?3
       UNION ALL
       SELECT hour, 1 / high, 1 / low, 1 / typical, volume_second, volume_first, 1 FROM market_hour
       WHERE league = ?1 AND first = ?3 AND second = ?2)
     GROUP BY hour HAVING min(turned) >= 0 ORDER BY hour DESC LIMIT 1100`,
    league,
    first,
    second,
  );
  return { hours: hours.toReversed() };
};

/** What one unit of each currency is worth. */
export const currencies = (reader: Reader, { league }: { readonly league: string }) => {
  const { base, hour, values } = readRates(reader, league);
  return { base, hour, values: Object.fromEntries(values) };
};

/** Rates of the league's own markets. */
const ownRates = (reader: Reader, league: string) => {
  const rates = readRates(reader, league);
  if (rates.league === null)
    throw new InvalidParameter("league", `the exchange has no market in “${league}”`);
  return rates;
};
