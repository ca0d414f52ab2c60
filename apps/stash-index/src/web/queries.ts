/**
 * The queries of the API by their names: synchronous functions over a reader, run by the threads of
 * `QueryPool`.
 */
import { currencies, history, markets } from "./exchange.ts";
import { fullText } from "./filters.ts";
import { parseItem, toFilters } from "./itemInput.ts";
import type { Filters } from "./Parameters.ts";
import { checkPrice } from "./priceCheck.ts";
import type { Reader } from "./Reader.ts";
import { describe, openScope, search, type SearchRequest } from "./search.ts";
import { tab, tabs } from "./sellers.ts";

const PAGE_SIZE = 50;

const SUGGESTIONS = {
  terms: `SELECT DISTINCT CASE WHEN term.name = '' THEN term.base ELSE term.name END AS text
    FROM (SELECT rowid AS no FROM term_text WHERE term_text MATCH ? ORDER BY rank LIMIT 40) AS found
    JOIN term ON term.no = found.no LIMIT 10`,
  mods: `SELECT template AS text FROM (SELECT rowid AS no FROM mod_text WHERE mod_text MATCH ? ORDER BY rank LIMIT 10)
    AS found JOIN mod ON mod.no = found.no`,
  sellers: "SELECT name AS text FROM seller WHERE name >= ? AND name < ? ORDER BY name LIMIT 10",
} as const;

/** The queries, each with the parameters of its endpoint. */
export const QUERIES = {
  search: (reader: Reader, request: Filters & Partial<SearchRequest>) => {
    const { cursor, limit = PAGE_SIZE, sort = "price", ...filters } = request;
    const scope = openScope(reader, filters, cursor?.hour);
    const { hits, next } = search(scope, { limit, sort, cursor });
    return {
      league: scope.league.name,
      currency: scope.currency,
      items: describe(reader, hits),
      cursor: next ?? null,
    };
  },
  suggest: (
    reader: Reader,
    { q, what = "terms" }: { readonly q: string; readonly what?: keyof typeof SUGGESTIONS },
  ) => {
    const words = what === "sellers" ? [q, `${q}\u{10ffff}`] : [fullText(q) ?? '""'];
    const found = reader.all<{ readonly text: string }>(SUGGESTIONS[what], ...words);
    return { suggestions: found.map(({ text }) => text) };
  },
  filters: (reader: Reader, { item }: { readonly item: string }) =>
    toFilters(reader, parseItem(reader, item)),
  priceCheck: (reader: Reader, filters: Filters) => checkPrice(openScope(reader, filters)),
  markets,
  history,
  currencies,
  tabs,
  tab,
} as const;

/** The queries by their names. */
export type Queries = typeof QUERIES;
