/**
 * Translates filters into SQL over `item`, and into a query of the full-text table `item_word` that
 * finds a part of them. Values are bound, and the words of a search are quoted one by one, so no
 * input is read as syntax.
 */
import { termWord, valueRange } from "../index/words.ts";
import { RARITIES } from "../index/rarities.ts";
import type { Filters } from "./Filters.ts";
import { join, type Reader, type Sql, sql } from "./Reader.ts";

/** The conditions of a search. */
export interface Conditions {
  /** Everything but league and price, exactly. */
  readonly where: Sql;
  /** The full-text query; `undefined` if the filters have no words or too many. */
  readonly match: string | undefined;
  /** The names and bases that the filters allow; `undefined` if they allow any. */
  readonly terms: ReadonlyArray<number> | undefined;
}

/** Full-text queries with more alternatives are slower than a walk over prices. */
const MAX_ALTERNATIVES = 400;
const MAX_WORDS = 12;

/** Returns the query of FTS5 for words. The last word may be incomplete. */
export const fullText = (input: string): string => {
  const words = (input.toWellFormed().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS);
  return words.length === 0 ? '""' : `${words.map((word) => `"${word}"`).join(" ")}*`;
};

/** Translates the filters of a search in a league. */
export const toConditions = (reader: Reader, league: number, filters: Filters): Conditions => {
  const terms = findTerms(reader, filters);
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
    ...plainConditions(filters),
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

/** Compares a column with any number of numbers. */
export const isOneOf = (column: Sql, numbers: ReadonlyArray<number>): Sql =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`;

const findTerms = (reader: Reader, { base, name, q }: Filters) => {
  const parts = [
    ...given(base, (text) => sql`base = ${text}`),
    ...given(name, (text) => sql`name = ${text}`),
    ...given(
      q,
      (words) => sql`no IN (SELECT rowid FROM term_text WHERE term_text MATCH ${fullText(words)})`,
    ),
  ];
  return parts.length === 0
    ? undefined
    : reader.numbers(sql`SELECT no FROM term WHERE ${join(parts, " AND ")}`);
};

const given = <A>(value: A | undefined, condition: (value: A) => Sql): ReadonlyArray<Sql> =>
  value === undefined ? [] : [condition(value)];

const plainConditions = (filters: Filters): ReadonlyArray<Sql> => {
  const { corrupted, ilvlMax, ilvlMin, linksMin, rarity, seller, socketsMin } = filters;
  return [
    ...given(rarity, (word) => sql`item.rarity = ${RARITIES.indexOf(word)}`),
    ...given(ilvlMin, (least) => sql`item.ilvl >= ${least}`),
    ...given(ilvlMax, (most) => sql`item.ilvl <= ${most}`),
    ...given(socketsMin, (least) => sql`item.sockets >= ${least}`),
    ...given(linksMin, (least) => sql`item.links >= ${least}`),
    ...given(corrupted, (word) => sql`item.corrupted = ${Number(word === "yes")}`),
    ...given(seller, (name) => sql`item.tab IN (SELECT no FROM tab WHERE seller = ${name})`),
  ];
};

const modRange = (
  reader: Reader,
  league: number,
  {
    max = Number.MAX_VALUE,
    min = -Number.MAX_VALUE,
    template,
  }: NonNullable<Filters["mod"]>[number],
) => {
  const [mod] = reader.numbers(sql`SELECT no FROM mod WHERE template = ${template}`);
  if (mod === undefined) return { where: sql`FALSE`, words: [] };
  return {
    where: sql`item.mods ->> ${`$."${mod}"`} BETWEEN ${min} AND ${max}`,
    words: valueRange(league, mod, min, max),
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
