/**
 * Translates filters into SQL over `item`, and into a query of the full-text table `item_word` that
 * finds a superset. Values are bound, and each word is quoted, so no input is parsed as SQL or
 * FTS5.
 */
import { termWord, valueRange } from "../index/words.ts";
import { RARITIES } from "../index/rarities.ts";
import type { Filters } from "./Filters.ts";
import { join, type Reader, type Sql, sql } from "./Reader.ts";

/** The filters of a search as SQL. */
export interface Conditions {
  /** Exact condition for all filters except league and price. */
  readonly where: Sql;
  /** Full-text query; `undefined` if the filters have no words, or more than `MAX_ALTERNATIVES`. */
  readonly match: string | undefined;
  /** Numbers of the names and bases that match; `undefined` without a filter for them. */
  readonly terms: ReadonlyArray<number> | undefined;
}

/** A full-text query with more alternatives is slower than a scan in price order. */
const MAX_ALTERNATIVES = 400;
const MAX_WORDS = 12;

/** Returns an FTS5 query for words. The last word may be incomplete. */
export const fullText = (input: string): string => {
  const words = (input.toWellFormed().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS);
  return words.length === 0 ? '""' : `${words.map((word) => `"${word}"`).join(" ")}*`;
};

/** Compares a column with a list of any length, in one parameter. */
export const isOneOf = (column: Sql, numbers: ReadonlyArray<number>): Sql =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`;

/** Functions from the value of a filter to its condition. */
type Table = { readonly [Name in keyof Filters]?: (value: Required<Filters>[Name]) => Sql };

const TERM: Table = {
  base: (text) => sql`base = ${text}`,
  name: (text) => sql`name = ${text}`,
  q: (words) => sql`no IN (SELECT rowid FROM term_text WHERE term_text MATCH ${fullText(words)})`,
};

const ITEM: Table = {
  rarity: (word) => sql`item.rarity = ${RARITIES.indexOf(word)}`,
  ilvlMin: (least) => sql`item.ilvl >= ${least}`,
  ilvlMax: (most) => sql`item.ilvl <= ${most}`,
  socketsMin: (least) => sql`item.sockets >= ${least}`,
  linksMin: (least) => sql`item.links >= ${least}`,
  corrupted: (word) => sql`item.corrupted = ${Number(word === "yes")}`,
  seller: (name) => sql`item.tab IN (SELECT no FROM tab WHERE seller = ${name})`,
};

const select = (table: Table, filters: Filters): ReadonlyArray<Sql> =>
  Object.entries(table).flatMap(([name, condition]) => {
    const value = filters[name as keyof Filters];
    return value === undefined ? [] : [(condition as (given: typeof value) => Sql)(value)];
  });

/** Translates the filters of a search in one league. */
export const toConditions = (reader: Reader, league: number, filters: Filters): Conditions => {
  const ofTerm = select(TERM, filters);
  const terms =
    ofTerm.length === 0
      ? undefined
      : reader.numbers(sql`SELECT no FROM term WHERE ${join(ofTerm, " AND ")}`);
  const mods = [
    ...(filters.mod ?? []).map((range) => modRange(reader, league, range)),
    ...(filters.modText === undefined ? [] : [modWithWords(reader, league, filters.modText)]),
  ];
  const alternatives = [
    ...(terms === undefined ? [] : [terms.map((term) => termWord(league, term))]),
    ...mods.map(({ words }) => words),
  ];
  const isMatchable =
    alternatives.length > 0 && alternatives.every(({ length }) => length <= MAX_ALTERNATIVES);
  const parts = [
    ...select(ITEM, filters),
    ...(terms === undefined ? [] : [isOneOf(sql`item.term`, terms)]),
    ...mods.map(({ where }) => where),
  ];
  return {
    where: parts.length === 0 ? sql`TRUE` : join(parts, " AND "),
    match: isMatchable
      ? alternatives.map((words) => `(${words.join(" OR ") || "none"})`).join(" AND ")
      : undefined,
    terms,
  };
};

type ModRange = NonNullable<Filters["mod"]>[number];

const modRange = (reader: Reader, league: number, { max, min, template }: ModRange) => {
  const [mod] = reader.numbers(sql`SELECT no FROM mod WHERE template = ${template}`);
  if (mod === undefined) return { where: sql`FALSE`, words: [] };
  const [from, to] = [min ?? -Number.MAX_VALUE, max ?? Number.MAX_VALUE];
  return {
    where: sql`item.mods ->> ${`$."${mod}"`} BETWEEN ${from} AND ${to}`,
    words: valueRange(league, mod, from, to),
  };
};

const modWithWords = (reader: Reader, league: number, text: string) => {
  const mods = reader.numbers(
    sql`SELECT rowid AS no FROM mod_text WHERE mod_text MATCH ${fullText(text)}`,
  );
  const isFound = isOneOf(sql`CAST(mod.key AS INTEGER)`, mods);
  return {
    where: sql`EXISTS (SELECT 1 FROM json_each(item.mods) AS mod WHERE ${isFound})`,
    words: mods.flatMap((mod) => valueRange(league, mod)),
  };
};
