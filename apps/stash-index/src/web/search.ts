/**
 * Searches the index. By price the order is exact in one currency, although prices are in many:
 * the cheapest rows of each currency come from the index and are merged at today's rates.
 */
import { RARITIES } from "../indexer/itemFacts.ts";
import { hash } from "node:crypto";
import type { Cursor, Filters, SORTS } from "./Parameters.ts";
import { type Conditions, findTerms, fullText, toConditions } from "./filters.ts";
import { type League, listedIn, matching, type Source, sourceFor } from "./plan.ts";
import { type Rates, readRates } from "./rates.ts";
import { InvalidParameter, type Parameter, type Reader } from "./Reader.ts";
import type { ListedItem } from "./records.ts";

/** A search. */
export interface SearchRequest extends Filters {
  readonly sort: (typeof SORTS)[number];
  readonly limit: number;
  readonly cursor?: Cursor | undefined;
}

/** A match: the item's number and its price in the currency of the answer. */
export interface Hit {
  readonly no: number;
  readonly value: number | null;
  readonly term?: number;
  /** When it was listed, in milliseconds since 1970. */
  readonly firstSeen?: number;
}

/** A resolved search: league, rates and conditions. */
export interface Scope {
  readonly reader: Reader;
  readonly league: League;
  readonly rates: Rates;
  readonly currency: string;
  /** Value of one unit, by the number of a currency. */
  readonly values: ReadonlyMap<number, number>;
  readonly conditions: Conditions;
  readonly filters: Filters;
}

/** Resolves names to numbers. Fails on a league or currency that the index does not know. */
export const openScope = (reader: Reader, filters: Filters, hour?: number): Scope => {
  refuseContradictions(filters);
  const league =
    filters.league === undefined
      ? reader.get<League>(
          "SELECT no, name, listed FROM league WHERE name <> '' ORDER BY listed DESC LIMIT 1",
        )
      : reader.get<League>("SELECT no, name, listed FROM league WHERE name = ?", filters.league);
  if (league === undefined)
    throw new InvalidParameter("league", `no listing is in the league “${filters.league ?? ""}”`);
  const rates = readRates(reader, league.name, hour);
  const currency = filters.currency ?? rates.base;
  const worth = rates.values.get(currency);
  if (worth === undefined)
    throw new InvalidParameter("currency", `no market leads to “${currency}”`);
  for (const parameter of ["q", "modText"] as const)
    if (filters[parameter] !== undefined && fullText(filters[parameter]) === undefined)
      throw new InvalidParameter(parameter, "has no word");
  // Those with a market, and no others: anybody makes a currency by a note.
  const currencies = reader.all<{ no: number; code: string }>(
    "SELECT no, code FROM currency WHERE code IN (SELECT value FROM json_each(?))",
    JSON.stringify([...rates.values.keys()]),
  );
  const values = new Map<number, number>();
  for (const { code, no } of currencies) {
    const value = rates.values.get(code)! / worth;
    if (value > 0) values.set(no, value);
  }
  const conditions = toConditions(reader, league.no, filters);
  return { reader, league, rates, currency, values, conditions, filters };
};

/** A range that ends before it begins finds nothing; it is told of instead. */
const refuseContradictions = (filters: Filters): void => {
  for (const [least, most] of [
    ["priceMin", "priceMax"],
    ["ilvlMin", "ilvlMax"],
  ] as const) {
    const [from = 0, to = Infinity] = [filters[least], filters[most]];
    if (from > to) throw new InvalidParameter(least, `${from} is above ${most}, which is ${to}`);
  }
};

/** Tells searches apart, whatever the order of their parameters. */
const digestOf = (filters: Filters): string => {
  const given = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hash("sha1", JSON.stringify(given), "base64url").slice(0, 8);
};

/** Finds a page of results, and the cursor of the next one if there are more. */
export const search = (
  scope: Scope,
  { cursor, limit, sort }: Pick<SearchRequest, "cursor" | "limit" | "sort">,
): { readonly hits: ReadonlyArray<Hit>; readonly next: Cursor | undefined } => {
  if (cursor !== undefined && cursor.sort !== sort)
    throw new InvalidParameter("cursor", `belongs to a search by ${cursor.sort}`);
  const of = digestOf(scope.filters);
  if (cursor !== undefined && cursor.of !== of)
    throw new InvalidParameter("cursor", "belongs to a search with other filters");
  const wanted = limit + 1;
  const rows = ORDERS[sort](scope, wanted, cursor);
  const hits = rows.slice(0, limit);
  const last = hits.at(-1);
  if (last === undefined || rows.length <= limit) return { hits, next: undefined };
  const { no, term = 0, value } = last;
  return { hits, next: { sort, no, value: value ?? 0, term, of, hour: scope.rates.hour } };
};

type Order = (scope: Scope, wanted: number, cursor: Cursor | undefined) => ReadonlyArray<Hit>;

/** The price in the answer's currency, as an expression. Amounts are numbers of ours, not input. */
export const valueSql = (values: Scope["values"]): string =>
  values.size === 0
    ? "NULL"
    : `item.amount * CASE item.currency ${[...values].map(([no, value]) => `WHEN ${no} THEN ${value}`).join(" ")} END`;

export const priceBounds = ({ filters }: Scope) =>
  [filters.priceMin ?? 0, filters.priceMax ?? Number.MAX_VALUE] as const;

const hasPriceFilter = ({ filters }: Scope) =>
  filters.priceMin !== undefined || filters.priceMax !== undefined;

const byPrice =
  (direction: "ASC" | "DESC"): Order =>
  (scope, wanted, cursor) => {
    const source = sourceFor(scope.reader, scope.league, scope.conditions, wanted);
    const page = { direction, wanted, cursor };
    return source === undefined ? mergeByPrice(scope, page) : collectByPrice(scope, source, page);
  };

interface PricePage {
  readonly direction: "ASC" | "DESC";
  readonly wanted: number;
  readonly cursor: Cursor | undefined;
}

/** Sorts the rows that the facets find. */
const collectByPrice = (
  scope: Scope,
  source: Source,
  { cursor, direction, wanted }: PricePage,
): ReadonlyArray<Hit> => {
  const after = direction === "ASC" ? ">" : "<";
  const conditions = scope.conditions.all;
  const keyset = cursor === undefined ? "" : `AND (value, no) ${after} (?, ?)`;
  return scope.reader.all<Hit>(
    `SELECT no, value FROM (
       SELECT item.no AS no, ${valueSql(scope.values)} AS value FROM ${source.from}
       WHERE ${source.where} AND ${conditions.sql})
     WHERE value BETWEEN ? AND ? ${keyset} ORDER BY value ${direction}, no ${direction} LIMIT ?`,
    ...source.parameters,
    ...conditions.parameters,
    ...priceBounds(scope),
    ...(cursor === undefined ? [] : [cursor.value, cursor.no]),
    wanted,
  );
};

interface Head {
  readonly rows: Iterator<{ readonly no: number; readonly amount: number }>;
  readonly value: number;
  hit: Hit | undefined;
}

/** Walks every currency from its cheapest listing on, and always takes the cheapest of all. */
const mergeByPrice = (
  scope: Scope,
  { cursor, direction, wanted }: PricePage,
): ReadonlyArray<Hit> => {
  const { league, reader, values } = scope;
  const conditions = scope.conditions.all;
  const sign = direction === "ASC" ? 1 : -1;
  const [least, most] = priceBounds(scope);
  const isAfter = ({ no, value }: { no: number; value: number }) =>
    cursor === undefined || sign * (value - cursor.value || no - cursor.no) > 0;
  const sql = `SELECT item.no AS no, item.amount AS amount FROM item INDEXED BY item_price
     WHERE item.league = ? AND item.currency = ? AND item.amount BETWEEN ? AND ? AND ${conditions.sql}
     ORDER BY item.amount ${direction}, item.no ${direction}`;
  const advance = (head: Head) => {
    for (;;) {
      const { done, value: row } = head.rows.next();
      if (done === true) return void (head.hit = undefined);
      const hit = { no: row.no, value: row.amount * head.value };
      if (hit.value >= least && hit.value <= most && isAfter(hit)) return void (head.hit = hit);
    }
  };
  // Bounds are widened by a rounding error; the exact comparison is that of `advance`.
  const low = cursor !== undefined && sign > 0 ? Math.max(least, cursor.value) : least;
  const high = cursor !== undefined && sign < 0 ? Math.min(most, cursor.value) : most;
  const heads = [...values].map(([currency, value], slot): Head => {
    const range = [
      (low / value) * (1 - 1e-12),
      Math.min(Number.MAX_VALUE, (high / value) * (1 + 1e-12)),
    ];
    const parameters: ReadonlyArray<Parameter> = [
      league.no,
      currency,
      ...range,
      ...conditions.parameters,
    ];
    const head: Head = { rows: reader.iterate(slot + 1, sql, parameters), value, hit: undefined };
    advance(head);
    return head;
  });
  const hits: Array<Hit> = [];
  while (hits.length < wanted) {
    let best: Head | undefined;
    for (const head of heads)
      if (head.hit !== undefined && (best === undefined || precedes(head.hit, best.hit!, sign)))
        best = head;
    if (best === undefined) break;
    hits.push(best.hit!);
    advance(best);
  }
  for (const { rows } of heads) rows.return?.();
  return hits;
};

const precedes = (a: Hit, b: Hit, sign: number): boolean =>
  sign * (a.value! - b.value! || a.no - b.no) < 0;

/** Newest first: a number is given once and grows. */
export const newest = (
  scope: Scope,
  source: Source,
  wanted: number,
  [above, below]: readonly [number, number] = [0, Number.MAX_SAFE_INTEGER],
): ReadonlyArray<Hit> =>
  scope.reader.all<Hit>(
    `SELECT item.no AS no, item.term AS term, item.first_seen AS firstSeen,
       ${valueSql(scope.values)} AS value FROM ${source.from}
     WHERE ${source.where} AND ${source.no} > ? AND ${source.no} < ? AND ${scope.conditions.all.sql}
       ${hasPriceFilter(scope) ? "AND value BETWEEN ? AND ?" : ""}
     ORDER BY ${source.no} DESC LIMIT ?`,
    ...source.parameters,
    above,
    below,
    ...scope.conditions.all.parameters,
    ...(hasPriceFilter(scope) ? priceBounds(scope) : []),
    wanted,
  );

export const byAge: Order = (scope, wanted, cursor) => {
  const { conditions, league, reader } = scope;
  const source = sourceFor(reader, league, conditions, wanted) ?? listedIn(league);
  return newest(scope, source, wanted, [0, cursor?.no ?? Number.MAX_SAFE_INTEGER]);
};

/** The best match of the words first; of one term, the newest first. */
const byRelevance: Order = (scope, wanted, cursor) => {
  const { filters, conditions } = scope;
  if (filters.q === undefined) throw new InvalidParameter("sort", "relevance needs q");
  const terms = findTerms(scope.reader, filters, MOST_RANKED) ?? [];
  const from = cursor === undefined ? 0 : Math.max(0, terms.indexOf(cursor.term));
  const hits: Array<Hit> = [];
  for (const term of terms.slice(from)) {
    const range = [0, term === cursor?.term ? cursor.no : Number.MAX_SAFE_INTEGER] as const;
    hits.push(...newest(scope, matching(conditions.matchOf(term)), wanted - hits.length, range));
    if (hits.length === wanted) break;
  }
  return hits;
};

const MOST_RANKED = 200;

const ORDERS: Readonly<Record<SearchRequest["sort"], Order>> = {
  price: byPrice("ASC"),
  "-price": byPrice("DESC"),
  age: byAge,
  relevance: byRelevance,
};

interface ItemRow extends Omit<
  ListedItem,
  "rarity" | "isCorrupted" | "price" | "value" | "title" | "mods"
> {
  readonly rarity: number;
  readonly corrupted: number;
  readonly amount: number | null;
  readonly code: string | null;
  readonly doc: string;
}

/** Describes the hits for lists, in their order. */
export const describe = (reader: Reader, hits: ReadonlyArray<Hit>): ReadonlyArray<ListedItem> => {
  const rows = reader.all<ItemRow>(
    `SELECT item.no, term.name, term.base, item.rarity, item.ilvl, item.sockets, item.links, item.corrupted,
       item.amount, currency.code, coalesce(seller.name, '') AS seller, lower(hex(tab.key)) AS tab,
       coalesce(tab.name, '') AS tabName, item.first_seen AS firstSeen, item_doc.doc
     FROM json_each(?) AS wanted CROSS JOIN item ON item.no = wanted.value JOIN term ON term.no = item.term
     JOIN item_doc ON item_doc.no = item.no JOIN tab ON tab.no = item.tab LEFT JOIN seller ON seller.no = tab.seller
     LEFT JOIN currency ON currency.no = item.currency`,
    JSON.stringify(hits.map(({ no }) => no)),
  );
  const byNo = new Map(rows.map((row) => [row.no, row]));
  return hits.flatMap(({ no, value }) => {
    const row = byNo.get(no);
    if (row === undefined) return [];
    const { amount, code, corrupted, doc, rarity, ...shown } = row;
    const [title = "", ...mods] = JSON.parse(doc) as ReadonlyArray<string>;
    return [
      {
        ...shown,
        title,
        mods,
        rarity: RARITIES[rarity] ?? `frame ${rarity}`,
        isCorrupted: corrupted === 1,
        price: amount === null || code === null ? null : { amount, currency: code },
        value,
      },
    ];
  });
};
