/**
 * Searches listings. Prices are in many currencies, and the order is exact in one of them.
 *
 * A search by price walks the listings of each currency, which the index has in the order of their
 * amounts, and always takes the cheapest of all, until the page is full. If the full-text table
 * finds few listings with the words of the search, they are sorted instead, because a walk would
 * pass most of the league to find them.
 */
import { hash } from "node:crypto";
import { RARITIES } from "../index/rarities.ts";
import type { ListedItem } from "../web/records.ts";
import { type Conditions, isOneOf, toConditions } from "./conditions.ts";
import type { Cursor, Filters, SearchRequest } from "./Filters.ts";
import { type Rates, readRates } from "./rates.ts";
import { InvalidParameter, join, type Reader, type Sql, sql } from "./Reader.ts";

/** A resolved search. */
export interface Scope extends Conditions {
  readonly reader: Reader;
  readonly filters: Filters;
  readonly league: { readonly no: number; readonly name: string };
  readonly rates: Rates;
  /** The currency of prices and of their order. */
  readonly currency: string;
  /** Units of `currency` for one of each currency that has a market. */
  readonly values: ReadonlyMap<string, number>;
}

/** Resolves names. Throws `InvalidParameter` for a league or currency that the index does not have. */
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

/** A match: the number of a listing, and its price in the currency of the search. */
export interface Hit {
  readonly no: number;
  readonly value: number | null;
}

/** Finds a page of listings, and the cursor of the next page if there is one. */
export const search = (
  scope: Scope,
  { cursor, limit = 50, sort = "price" }: Pick<SearchRequest, "cursor" | "limit" | "sort">,
): { readonly hits: ReadonlyArray<Hit>; readonly next: Cursor | undefined } => {
  const of = digest({ ...scope.filters, sort });
  if (cursor !== undefined && cursor.of !== of)
    throw new InvalidParameter("cursor", "belongs to another search");
  const rows = (sort === "age" ? byAge : byPrice)(scope, { sort, wanted: limit + 1, cursor });
  const hits = rows.slice(0, limit);
  const last = rows.length > limit ? hits.at(-1) : undefined;
  const next = last && { value: last.value ?? 0, no: last.no, hour: scope.rates.hour, of };
  return { hits, next };
};

/** Distinguishes searches, whatever the order of their parameters. */
const digest = (request: object): string => {
  const entries = Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hash("sha1", JSON.stringify(entries), "base64url").slice(0, 8);
};

interface PageRequest {
  readonly sort: SearchRequest["sort"];
  readonly wanted: number;
  readonly cursor: Cursor | undefined;
}

/** Collects this many listings to sort them, at most. */
export const MAX_SORTED = 2000;

/** Returns all listings that have the words of a search, unless they are many. */
const rareListings = ({ match, reader }: Scope): ReadonlyArray<number> | undefined => {
  if (match === undefined) return undefined;
  const found = reader.numbers(
    sql`SELECT rowid AS no FROM item_word WHERE item_word MATCH ${match} LIMIT ${MAX_SORTED + 1}`,
  );
  return found.length > MAX_SORTED ? undefined : found;
};

const byPrice = (scope: Scope, page: PageRequest): ReadonlyArray<Hit> => {
  const rare = rareListings(scope);
  return rare === undefined ? walk(scope, page) : sorted(scope, page, rare);
};

const sorted = (
  scope: Scope,
  { cursor, sort, wanted }: PageRequest,
  listings: ReadonlyArray<number>,
): ReadonlyArray<Hit> => {
  const direction = sort === "-price" ? sql`DESC` : sql`ASC`;
  const comparison = sort === "-price" ? sql`<` : sql`>`;
  const isAfter =
    cursor === undefined
      ? sql`TRUE`
      : sql`(value, no) ${comparison} (${cursor.value}, ${cursor.no})`;
  return scope.reader.all<Hit>(sql`
    SELECT no, value FROM (
      SELECT item.no, ${value(scope)} AS value FROM item NOT INDEXED
      WHERE ${isOneOf(sql`item.no`, listings)} AND ${isListed(scope)})
    WHERE ${isInRange(scope)} AND ${isAfter} ORDER BY value ${direction}, no ${direction}
    LIMIT ${wanted}`);
};

/** The next listing of one currency. */
interface Head {
  readonly rows: Iterator<{ readonly no: number; readonly amount: number }>;
  /** What one unit of the currency is worth. */
  readonly worth: number;
  hit: (Hit & { readonly value: number }) | undefined;
}

/** Walks all currencies at once in the order of price. */
const walk = (scope: Scope, { cursor, sort, wanted }: PageRequest): ReadonlyArray<Hit> => {
  const sign = sort === "-price" ? -1 : 1;
  const { from, to } = priceRange(scope);
  const isAfter = ({ no, value: price }: NonNullable<Head["hit"]>) =>
    cursor === undefined || sign * (price - cursor.value || no - cursor.no) > 0;
  const advance = (head: Head): void => {
    head.hit = undefined;
    for (let row = head.rows.next(); !row.done; row = head.rows.next()) {
      const { amount, no } = row.value;
      const hit = { no, value: amount * head.worth };
      if (hit.value < from || hit.value > to || !isAfter(hit)) continue;
      head.hit = hit;
      return;
    }
  };
  const low = sign > 0 ? Math.max(from, cursor?.value ?? 0) : from;
  const high = sign < 0 ? Math.min(to, cursor?.value ?? Infinity) : to;
  const heads = Array.from(scope.values, ([code, worth]): Head => {
    const rows = scope.reader.iterate<{ no: number; amount: number }>(
      listingsOf(scope, code, sort, [low / worth, high / worth]),
    );
    return { rows, worth, hit: undefined };
  });
  for (const head of heads) advance(head);
  const hits: Array<Hit> = [];
  while (hits.length < wanted) {
    const best = heads.reduce((a, b) => (precedes(b.hit, a.hit, sign) ? b : a));
    if (best.hit === undefined) break;
    hits.push(best.hit);
    advance(best);
  }
  for (const { rows } of heads) rows.return?.();
  return hits;
};

const precedes = (a: Head["hit"], b: Head["hit"], sign: number): boolean =>
  a !== undefined && (b === undefined || sign * (a.value - b.value || a.no - b.no) < 0);

/** The listings of one currency within a range that is wider by a rounding error. */
const listingsOf = (
  { league, where }: Scope,
  code: string,
  sort: SearchRequest["sort"],
  [low, high]: readonly [number, number],
): Sql => {
  const direction = sort === "-price" ? sql`DESC` : sql`ASC`;
  return sql`
    SELECT item.no, item.amount FROM item INDEXED BY item_price
    WHERE item.ended IS NULL AND item.league = ${league.no} AND item.currency = ${code}
      AND item.amount BETWEEN ${low * (1 - 1e-12)} AND ${Math.min(Number.MAX_VALUE, high * (1 + 1e-12))}
      AND ${where}
    ORDER BY item.amount ${direction}, item.no ${direction}`;
};

/** Newest first. Without a price range, listings without a price are found as well. */
const byAge = (scope: Scope, { cursor, wanted }: PageRequest): ReadonlyArray<Hit> => {
  const rare = rareListings(scope);
  return scope.reader.all<Hit>(sql`
    SELECT item.no, ${value(scope)} AS value FROM item NOT INDEXED
    WHERE item.no < ${cursor?.no ?? Number.MAX_SAFE_INTEGER} AND ${isListed(scope)}
      AND ${rare === undefined ? sql`TRUE` : isOneOf(sql`item.no`, rare)}
      AND ${hasPriceRange(scope) ? isInRange(scope) : sql`TRUE`}
    ORDER BY item.no DESC LIMIT ${wanted}`);
};

/** Whether a row is a listing of the search, at any price. */
export const isListed = ({ league, where }: Scope): Sql =>
  sql`item.ended IS NULL AND item.league = ${league.no} AND ${where}`;

/** The price in the currency of the search; NULL for a currency without a market. */
export const value = ({ values }: Scope): Sql => {
  const cases = Array.from(values, ([code, worth]) => sql`WHEN ${code} THEN ${worth}`);
  return sql`item.amount * CASE item.currency ${join(cases, " ")} END`;
};

const priceRange = ({ filters: { priceMax, priceMin } }: Scope) => ({
  from: priceMin ?? 0,
  to: priceMax ?? Number.MAX_VALUE,
});

export const hasPriceRange = ({ filters }: Scope): boolean =>
  filters.priceMin !== undefined || filters.priceMax !== undefined;

/** Whether the column `value` of a row is within the price range. */
export const isInRange = (scope: Scope): Sql => {
  const { from, to } = priceRange(scope);
  return sql`value BETWEEN ${from} AND ${to}`;
};

interface ItemRow extends Pick<
  ListedItem,
  | "no"
  | "name"
  | "base"
  | "ilvl"
  | "sockets"
  | "links"
  | "seller"
  | "tabName"
  | "firstSeen"
  | "ended"
> {
  readonly rarity: number;
  readonly corrupted: number;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly doc: string;
}

/** Describes listings in the order of `hits`. */
export const describe = (reader: Reader, hits: ReadonlyArray<Hit>): ReadonlyArray<ListedItem> => {
  const rows = reader.all<ItemRow>(sql`
    SELECT item.no, term.name, term.base, rarity, ilvl, sockets, links, corrupted, amount, currency,
      tab.seller, tab.name AS tabName, seen_at AS firstSeen, ended, doc
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
