/**
 * Searches listings. Prices are in many currencies, and results are ordered by price in one.
 *
 * A search by price scans the listings of each currency in the order of an index, until each
 * currency has enough for a page. The page has the cheapest of them. If the full-text table finds
 * few listings for the words of a search, it sorts these instead of passing most of the league in a
 * scan.
 */
import { RARITIES } from "../index/rarities.ts";
import type { ListedItem } from "../web/records.ts";
import { type Conditions, isOneOf, toConditions } from "./conditions.ts";
import type { Cursor, Filters, SearchRequest } from "./Filters.ts";
import { type Rates, readRates } from "./rates.ts";
import { InvalidParameter, join, type Reader, type Sql, sql } from "./Reader.ts";

/** The conditions of a search, with the league, currency and rates from the index. */
export interface Scope extends Conditions {
  readonly reader: Reader;
  readonly filters: Filters;
  readonly league: { readonly no: number; readonly name: string };
  readonly rates: Rates;
  /** The currency of the price range, of the shown prices and of the order. */
  readonly currency: string;
  /** Amount of `currency` for one unit of each currency that has a market. */
  readonly values: ReadonlyMap<string, number>;
}

/** Looks up league, currency and rates. Throws `InvalidParameter` if the index lacks one. */
export const openScope = (reader: Reader, filters: Filters, hour?: number): Scope => {
  requireRange("priceMin", filters.priceMin, filters.priceMax);
  requireRange("ilvlMin", filters.ilvlMin, filters.ilvlMax);
  const league = reader.get<Scope["league"]>(
    filters.league === undefined
      ? sql`SELECT no, name FROM league WHERE name <> '' ORDER BY listed DESC LIMIT 1`
      : sql`SELECT no, name FROM league WHERE name = ${filters.league}`,
  );
  if (league === undefined)
    throw new InvalidParameter("league", `no listing is in the league “${filters.league ?? ""}”`);
  const rates = readRates(reader, league.name, hour);
  const currency = filters.currency ?? rates.base;
  const worth = rates.values.get(currency);
  if (worth === undefined)
    throw new InvalidParameter("currency", `no market leads to “${currency}”`);
  const values = new Map(Array.from(rates.values, ([code, value]) => [code, value / worth]));
  const conditions = toConditions(reader, league.no, filters);
  return { reader, filters, league, rates, currency, values, ...conditions };
};

const requireRange = (parameter: string, from = 0, to = Infinity): void => {
  if (from > to)
    throw new InvalidParameter(parameter, `${from} is above the end of the range, ${to}`);
};

/** A found listing: its number, and its price in the currency of the search. */
export interface Hit {
  readonly no: number;
  readonly value: number | null;
}

type Page = Pick<SearchRequest, "cursor" | "limit" | "sort">;

/** Returns a page of results, and the cursor of the next page if there is one. */
export const search = (scope: Scope, page: Page) => {
  const { limit = 50, sort = "price" } = page;
  const rows = sort === "age" ? byAge(scope, page, limit + 1) : byPrice(scope, page, limit + 1);
  const hits = rows.slice(0, limit);
  const last = rows.length > limit ? hits.at(-1) : undefined;
  const next: Cursor | undefined = last && {
    value: last.value ?? 0,
    no: last.no,
    hour: scope.rates.hour,
  };
  return { hits, next };
};

/** Maximum of full-text matches that are sorted. A search with more scans in price order. */
export const MAX_SORTED = 2000;

/** Returns the full-text matches, or `undefined` without a query or if there are too many. */
const rareListings = ({ match, reader }: Scope): ReadonlyArray<number> | undefined => {
  if (match === undefined) return undefined;
  const found = reader.numbers(
    sql`SELECT rowid AS no FROM item_word WHERE item_word MATCH ${match} LIMIT ${MAX_SORTED + 1}`,
  );
  return found.length > MAX_SORTED ? undefined : found;
};

const byPrice = (scope: Scope, { cursor, sort }: Page, wanted: number): ReadonlyArray<Hit> => {
  const { filters, league, reader, values, where } = scope;
  const [sign, direction, after] =
    sort === "-price" ? [-1, sql`DESC`, sql`<`] : [1, sql`ASC`, sql`>`];
  const onPage =
    cursor === undefined
      ? isInRange(scope)
      : sql`${isInRange(scope)} AND (value, item.no) ${after} (${cursor.value}, ${cursor.no})`;
  const rare = rareListings(scope);
  if (rare !== undefined)
    return reader.all<Hit>(sql`
      SELECT item.no, ${value(scope)} AS value FROM item NOT INDEXED
      WHERE ${isOneOf(sql`item.no`, rare)} AND ${isListed(scope)} AND ${onPage}
      ORDER BY value ${direction}, item.no ${direction} LIMIT ${wanted}`);
  const low = Math.max(filters.priceMin ?? 0, sign > 0 ? (cursor?.value ?? 0) : 0);
  const high = Math.min(
    filters.priceMax ?? Number.MAX_VALUE,
    sign < 0 ? (cursor?.value ?? Infinity) : Infinity,
  );
  const cheapest = Array.from(values, ([code, worth]) => {
    // The range of amounts on the page, widened by a possible rounding error.
    const [from, to] = [(low / worth) * (1 - 1e-12), (high / worth) * (1 + 1e-12)];
    return reader.all<Hit & { readonly value: number }>(sql`
      SELECT item.no, item.amount * ${worth} AS value FROM item INDEXED BY item_price
      WHERE item.ended IS NULL AND item.league = ${league.no} AND item.currency = ${code}
        AND item.amount BETWEEN ${from} AND ${Math.min(Number.MAX_VALUE, to)}
        AND ${where} AND ${onPage}
      ORDER BY item.amount ${direction}, item.no ${direction} LIMIT ${wanted}`);
  });
  return cheapest
    .flat()
    .toSorted((a, b) => sign * (a.value - b.value || a.no - b.no))
    .slice(0, wanted);
};

/** Finds the newest listings. Without a price range, includes listings without a price. */
const byAge = (scope: Scope, { cursor }: Page, wanted: number): ReadonlyArray<Hit> => {
  const rare = rareListings(scope);
  return scope.reader.all<Hit>(sql`
    SELECT item.no, ${value(scope)} AS value FROM item NOT INDEXED
    WHERE item.no < ${cursor?.no ?? Number.MAX_SAFE_INTEGER} AND ${isListed(scope)}
      AND ${rare === undefined ? sql`TRUE` : isOneOf(sql`item.no`, rare)}
      AND ${isInRangeOrAny(scope)}
    ORDER BY item.no DESC LIMIT ${wanted}`);
};

/** Returns the condition that a row is listed and matches all filters except the price. */
export const isListed = ({ league, where }: Scope): Sql =>
  sql`item.ended IS NULL AND item.league = ${league.no} AND ${where}`;

/** Returns the price in the currency of the search; NULL if its currency has no market. */
export const value = ({ values }: Scope): Sql => {
  const cases = Array.from(values, ([code, worth]) => sql`WHEN ${code} THEN ${worth}`);
  return sql`item.amount * CASE item.currency ${join(cases, " ")} END`;
};

/** Returns the condition that the column `value` is in the price range. */
export const isInRange = ({ filters: { priceMax, priceMin } }: Scope): Sql =>
  sql`value BETWEEN ${priceMin ?? 0} AND ${priceMax ?? Number.MAX_VALUE}`;

/** Returns the condition of `isInRange`, which also holds without a price if there is no range. */
export const isInRangeOrAny = (scope: Scope): Sql =>
  (scope.filters.priceMin ?? scope.filters.priceMax) === undefined ? sql`TRUE` : isInRange(scope);

type ItemRow = Omit<ListedItem, "isCorrupted" | "mods" | "price" | "rarity" | "title" | "value"> & {
  readonly rarity: number;
  readonly corrupted: number;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly doc: string;
};

/** Reads the shown facts of listings, in the order of `hits`. */
export const describe = (reader: Reader, hits: ReadonlyArray<Hit>): ReadonlyArray<ListedItem> => {
  const rows = reader.all<ItemRow>(sql`
    SELECT item.no, term.name, term.base, rarity, ilvl, sockets, links, corrupted, amount, currency,
      tab.seller, tab.id AS tab, tab.name AS tabName, seen_at AS firstSeen, ended, doc
    FROM json_each(${JSON.stringify(hits.map(({ no }) => no))}) AS hit
    CROSS JOIN item ON item.no = hit.value JOIN term ON term.no = item.term
    JOIN item_doc ON item_doc.no = item.no JOIN tab ON tab.no = item.tab`);
  const byNo = new Map(rows.map((row) => [row.no, row]));
  return hits.flatMap((hit) => {
    const row = byNo.get(hit.no);
    if (row === undefined) return [];
    const { amount, corrupted, currency, doc, rarity, ...shown } = row;
    const [title = "", ...mods] = JSON.parse(doc) as ReadonlyArray<string>;
    const price = amount === null || currency === null ? null : { amount, currency };
    const word = RARITIES[rarity] ?? `frame ${rarity}`;
    const isCorrupted = corrupted === 1;
    return [{ ...shown, title, mods, rarity: word, isCorrupted, price, value: hit.value }];
  });
};
