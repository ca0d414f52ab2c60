/**
 * The currency exchange: markets and their movement, the hours of one market, and the best routes
 * from one currency to another.
 */
import { InvalidParameter } from "./Parameters.ts";
import { type Pair, readRates } from "./rates.ts";
import type { Reader } from "./Reader.ts";
import type { Market, MarketHour, Route } from "./records.ts";

const DAY_SECONDS = 86_400;

/** The markets of a league over its last day, those that moved most first. */
export const movers = (reader: Reader, league: string): ReadonlyArray<Market> => {
  const { hour } = ownRates(reader, league);
  const rows = reader.all<{ first: string; second: string; typical: number; volume: number }>(
    `SELECT first, second, typical, volume_first AS volume FROM market_hour
     WHERE league = ? AND hour > ? ORDER BY hour`,
    league,
    hour - DAY_SECONDS,
  );
  return [...Map.groupBy(rows, ({ first, second }) => `${first}|${second}`).values()]
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
};

/**
 * The kept hours of a market, oldest first; a market is found by either order of its currencies.
 */
export const marketHistory = (
  reader: Reader,
  league: string,
  first: string,
  second: string,
): ReadonlyArray<MarketHour> => {
  const hours = (a: string, b: string) =>
    reader.all<MarketHour>(
      `SELECT hour, low, high, typical, volume_first AS volumeFirst, volume_second AS volumeSecond
       FROM market_hour WHERE league = ? AND first = ? AND second = ? ORDER BY hour DESC LIMIT 1100`,
      league,
      a,
      b,
    );
  const turned = hours(second, first).map(
    ({ high, hour, low, typical, volumeFirst, volumeSecond }) => ({
      hour,
      low: 1 / high,
      high: 1 / low,
      typical: 1 / typical,
      volumeFirst: volumeSecond,
      volumeSecond: volumeFirst,
    }),
  );
  const byHour = new Map([...turned, ...hours(first, second)].map((row) => [row.hour, row]));
  return [...byHour.values()].toSorted((a, b) => a.hour - b.hour);
};

const MOST_ROUTES = 5;

/** The best ways from one currency to another over at most two others. */
export const routes = (
  reader: Reader,
  league: string,
  from: string,
  to: string,
): ReadonlyArray<Route> => {
  const { pairs } = ownRates(reader, league);
  const edges = new Map<string, Array<Edge>>();
  const add = (start: string, edge: Edge) => {
    const known = edges.get(start) ?? [];
    edges.set(start, [...known.filter(({ to: end }) => end !== edge.to), edge]);
  };
  for (const { first, hours, rate, second } of pairs.toSorted(byHours)) {
    add(first, { to: second, rate, hours });
    add(second, { to: first, rate: 1 / rate, hours });
  }
  if (!edges.has(from))
    throw new InvalidParameter("from", `“${from}” has no market in “${league}”`);
  if (!edges.has(to)) throw new InvalidParameter("to", `“${to}” has no market in “${league}”`);
  const found: Array<Route> = [];
  const walk = (at: string, route: Route) => {
    for (const { hours, rate, to: next } of edges.get(at) ?? []) {
      if (next === from || route.hops.some((hop) => hop.to === next)) continue;
      const longer = {
        hops: [...route.hops, { from: at, to: next, rate }],
        rate: route.rate * rate,
        hours: Math.min(route.hours, hours),
      };
      if (next === to) found.push(longer);
      else if (longer.hops.length < 3) walk(next, longer);
    }
  };
  if (from !== to) walk(from, { hops: [], rate: 1, hours: Infinity });
  return found.toSorted((a, b) => b.rate - a.rate).slice(0, MOST_ROUTES);
};

interface Edge {
  readonly to: string;
  readonly rate: number;
  readonly hours: number;
}

const byHours = (a: Pair, b: Pair): number => a.hours - b.hours;

/** Rates of the league's own markets. */
const ownRates = (reader: Reader, league: string) => {
  const rates = readRates(reader, league);
  if (rates.league === null)
    throw new InvalidParameter("league", `the exchange has no market in “${league}”`);
  return rates;
};
