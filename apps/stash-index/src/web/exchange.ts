/**
 * The currency exchange: markets and their movement, the hours of one market, and the best routes
 * from one currency to another.
 */
import { readRates } from "./rates.ts";
import { InvalidParameter, type Reader } from "./Reader.ts";
import type { Market, MarketHour, Route } from "./records.ts";

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

const MOST_ROUTES = 5;
const MOST_HOPS = 3;

interface Edge {
  readonly to: string;
  readonly rate: number;
  /** Units of the start that were traded. */
  readonly volume: number;
  readonly hour: number;
}

/**
 * The best ways from one currency to another over at most two others. Each hop is at the worst
 * price of the market's newest hour with a trade: prices of different hours contradict each other,
 * and typical ones promise a gain that nobody gets.
 */
export const routes = (
  reader: Reader,
  { from, league, to }: Readonly<Record<"from" | "league" | "to", string>>,
): { readonly routes: ReadonlyArray<Route> } => {
  const edges = edgesOf(reader, league);
  for (const [parameter, code] of Object.entries({ from, to }))
    if (!edges.has(code))
      throw new InvalidParameter(parameter, `“${code}” has no market in “${league}”`);
  const best: Array<Route> = [];
  const keep = (route: Route) => {
    best.push(route);
    best.sort((a, b) => b.rate - a.rate);
    best.length = Math.min(best.length, MOST_ROUTES);
  };
  const walk = (at: string, { hops, most, rate }: Route) => {
    // The last hop can only be the one to the end, so a market is met once for each first hop.
    const ways = edges.get(at) ?? new Map<string, Edge>();
    const end = ways.get(to);
    const isLast = hops.length === MOST_HOPS - 1;
    const taken = isLast ? (end === undefined ? [] : [end]) : ways.values();
    for (const hop of taken) {
      if (hop.to === from || hops.some((each) => each.to === hop.to)) continue;
      const longer = { rate: rate * hop.rate, most: Math.min(most, hop.volume / rate) };
      // Less than one unit of the start is no way to go.
      if (longer.most < 1) continue;
      const isEnd = hop.to === to;
      if (isEnd && best.length === MOST_ROUTES && longer.rate <= best.at(-1)!.rate) continue;
      const route = { ...longer, hops: [...hops, { from: at, to: hop.to, rate: hop.rate }] };
      if (isEnd) keep(route);
      else if (!isLast) walk(hop.to, route);
    }
  };
  if (from !== to) walk(from, { hops: [], rate: 1, most: Number.MAX_VALUE });
  return { routes: best };
};

/** What one unit of each currency is worth. */
export const currencies = (reader: Reader, { league }: { readonly league: string }) => {
  const { base, hour, values } = readRates(reader, league);
  return { base, hour, values: Object.fromEntries(values) };
};

type Edges = ReadonlyMap<string, ReadonlyMap<string, Edge>>;

/** The markets of the last day by the currency that is given: read once for an hour. */
const edgesOf = (reader: Reader, league: string): Edges => {
  const { hour: newest } = ownRates(reader, league);
  return reader.remember(`edges ${league} ${newest}`, () => {
    const edges = new Map<string, Map<string, Edge>>();
    const add = (start: string, edge: Edge) => {
      const known = edges.get(start) ?? new Map<string, Edge>();
      if ((known.get(edge.to)?.hour ?? 0) < edge.hour) edges.set(start, known.set(edge.to, edge));
    };
    for (const { first, high, hour, low, second, volumeFirst, volumeSecond } of reader.all<
      Omit<MarketHour, "typical"> & Pick<Market, "first" | "second">
    >(
      `SELECT first, second, low, high, volume_first AS volumeFirst, volume_second AS volumeSecond,
           max(hour) AS hour FROM market_hour WHERE league = ? AND hour > ? GROUP BY 1, 2`,
      league,
      newest - DAY_SECONDS,
    )) {
      add(first, { to: second, rate: low, volume: volumeFirst, hour });
      add(second, { to: first, rate: 1 / high, volume: volumeSecond, hour });
    }
    return edges;
  });
};

/** Rates of the league's own markets. */
const ownRates = (reader: Reader, league: string) => {
  const rates = readRates(reader, league);
  if (rates.league === null)
    throw new InvalidParameter("league", `the exchange has no market in “${league}”`);
  return rates;
};
