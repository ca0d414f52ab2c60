/** The queries of the API: synchronous functions that run in query threads. */
import type { ListedItem, Market, MarketHour } from "../web/records.ts";
import { fullText } from "./conditions.ts";
import type { Filters, SearchRequest } from "./Filters.ts";
import { readItem } from "./itemInput.ts";
import { checkPrice } from "./priceCheck.ts";
import { DAY, readRates } from "./rates.ts";
import { type Reader, type Sql, sql } from "./Reader.ts";
import {
  describe,
  type Hit,
  isInRangeOrAny,
  isListed,
  openScope,
  search,
  value,
} from "./search.ts";

/** Maximum of added, and of ended, listings that one event of `watch` contains. */
const MAX_CHANGES = 200;
const MAX_HOURS = 1100;
const MAX_MARKETS = 100;

/** The queries by name. Each receives the parameters of its endpoint. */
export const QUERIES = {
  search: (reader: Reader, request: SearchRequest) => {
    const scope = openScope(reader, request, request.cursor?.hour);
    const { hits, next = null } = search(scope, request);
    const items = describe(reader, hits);
    return { league: scope.league.name, currency: scope.currency, items, cursor: next };
  },

  priceCheck: (reader: Reader, filters: Filters) => checkPrice(openScope(reader, filters)),

  /** Returns the newest added and the newest ended listings after page `after`, up to `until`. */
  changes: (
    reader: Reader,
    { after, until, ...filters }: Filters & { readonly after: number; readonly until: number },
  ): ReadonlyArray<ListedItem> => {
    const scope = openScope(reader, filters);
    const find = (where: Sql) =>
      reader.all<Hit>(sql`
        SELECT no, value FROM (SELECT item.no, ${value(scope)} AS value FROM item ${where})
        WHERE ${isInRangeOrAny(scope)} ORDER BY no DESC LIMIT ${MAX_CHANGES}`);
    const listed = find(sql`INDEXED BY item_seq
      WHERE item.seq > ${after} AND item.seq <= ${until} AND ${isListed(scope)}`);
    const ended = find(sql`INDEXED BY item_ended
      WHERE item.ended IS NOT NULL AND item.ended_seq > ${after} AND item.ended_seq <= ${until}
        AND item.league = ${scope.league.no} AND ${scope.where}`);
    return describe(reader, [...ended, ...listed]);
  },

  /** Returns filters for items like the given item. */
  filters: readItem,

  suggest: (
    reader: Reader,
    { q, what = "terms" }: { readonly q: string; readonly what?: "terms" | "mods" },
  ) => {
    const words = fullText(q);
    const found =
      what === "terms"
        ? sql`SELECT DISTINCT iif(name = '', base, name) AS text FROM term
            WHERE no IN (SELECT rowid FROM term_text WHERE term_text MATCH ${words}
              ORDER BY rank LIMIT 40) LIMIT 10`
        : sql`SELECT template AS text FROM mod
            WHERE no IN (SELECT rowid FROM mod_text WHERE mod_text MATCH ${words}
              ORDER BY rank LIMIT 10)`;
    return { suggestions: reader.all<{ readonly text: string }>(found).map(({ text }) => text) };
  },

  /** Returns the value of one unit of each currency in the base currency of the league. */
  currencies: (reader: Reader, { league }: { readonly league: string }) => {
    const { base, hour, values } = readRates(reader, league);
    return { base, hour, values: Object.fromEntries(values) };
  },

  /** Returns the markets of a league in its last day, the largest price change first. */
  markets: (reader: Reader, { league }: { readonly league: string }) => {
    const { hour } = readRates(reader, league);
    const markets = reader.all<Market>(sql`
      SELECT first, second, newest.typical AS rate, newest.typical / oldest.typical - 1 AS change,
        day.volumeFirst, day.hours
      FROM (SELECT first, second, sum(volume) AS volumeFirst, count(*) AS hours,
          min(hour) AS oldestHour, max(hour) AS newestHour
        FROM market_hour WHERE league = ${league} AND hour > ${hour - DAY}
        GROUP BY first, second) AS day
      JOIN market_hour AS oldest USING (first, second) JOIN market_hour AS newest USING (first, second)
      WHERE oldest.league = ${league} AND oldest.hour = oldestHour
        AND newest.league = ${league} AND newest.hour = newestHour
      ORDER BY abs(change) DESC, hours DESC LIMIT ${MAX_MARKETS}`);
    return { markets };
  },

  /** Returns the stored hours of a market, oldest first, for either order of its currencies. */
  history: (
    reader: Reader,
    { first, league, second }: Readonly<Record<"first" | "league" | "second", string>>,
  ) => {
    const hours = reader.all<MarketHour>(sql`
      SELECT hour, low, high, typical FROM market_hour
      WHERE league = ${league} AND first = ${first} AND second = ${second}
      UNION ALL SELECT hour, 1 / high, 1 / low, 1 / typical FROM market_hour
      WHERE league = ${league} AND first = ${second} AND second = ${first}
      ORDER BY hour DESC LIMIT ${MAX_HOURS}`);
    return { hours: hours.toReversed() };
  },
} as const;

export type Queries = typeof QUERIES;
export type Input<Name extends keyof Queries> = Parameters<Queries[Name]>[1];
export type Output<Name extends keyof Queries> = ReturnType<Queries[Name]>;
