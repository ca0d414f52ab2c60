/**
 * Translates the filters of a search into SQL over `item`. Values are always bound, and
 * the words of a full-text query are quoted one by one, so no input is read as syntax.
 */
import { modKey, packedRange, rangeFacets, termFacet } from "../indexer/facets.ts";
import { RARITIES } from "../indexer/itemFacts.ts";
import type { Filters } from "./Parameters.ts";
import type { Parameter, Reader } from "./Reader.ts";

/** A condition with its parameters. */
interface Condition {
  readonly sql: string;
  readonly parameters: ReadonlyArray<Parameter>;
}

const WORD = /[\p{L}\p{N}]+/gu;
const MOST_WORDS = 12;

/**
 * The query of FTS5 for words, each quoted, the last one as a prefix; `undefined` without words.
 */
export const fullText = (input: string): string | undefined => {
  const words = (input.toWellFormed().match(WORD) ?? []).slice(0, MOST_WORDS);
  return words.length === 0 ? undefined : `${words.map((word) => `"${word}"`).join(" ")}*`;
};

/**
 * The terms that are asked for; `undefined` where any will do. With `ranked`, so many of the best
 * matches, the best first: to rank all takes longer than to find them.
 */
export const findTerms = (
  reader: Reader,
  { base, name, q }: Filters,
  ranked?: number,
): ReadonlyArray<number> | undefined => {
  const words = q === undefined ? undefined : fullText(q);
  const conditions: Array<Condition> = [];
  if (base !== undefined) conditions.push({ sql: "term.base = ?", parameters: [base] });
  if (name !== undefined) conditions.push({ sql: "term.name = ?", parameters: [name] });
  if (words !== undefined) conditions.push({ sql: "term_text MATCH ?", parameters: [words] });
  if (conditions.length === 0) return undefined;
  const from =
    words === undefined ? "term" : "term_text CROSS JOIN term ON term.no = term_text.rowid";
  const { parameters, sql } = allOf(conditions);
  return numbersOf(
    reader,
    `SELECT term.no FROM ${from} WHERE ${sql}
       ${words === undefined || ranked === undefined ? "" : "ORDER BY rank"} LIMIT ?`,
    ...parameters,
    ranked ?? -1,
  );
};

const numbersOf = (reader: Reader, sql: string, ...parameters: ReadonlyArray<Parameter>) =>
  reader.all<{ readonly no: number }>(sql, ...parameters).map(({ no }) => no);

/** Filters as conditions: exact ones, and the query of `item_facet` that finds a part of them. */
export interface Conditions {
  /** Everything besides league and price. */
  readonly all: Condition;
  /** Those that `match` covers. */
  readonly indexed: Condition;
  /** `undefined` where no filter has facets. */
  readonly match: string | undefined;
  readonly terms: ReadonlyArray<number> | undefined;
  /** The query for one term. */
  readonly matchOf: (term: number) => string;
}

/** More alternatives than these are too common to collect. */
const MOST_FACETS = 400;

/** Translates the filters of a search in a league. */
export const toConditions = (reader: Reader, league: number, filters: Filters): Conditions => {
  const { corrupted, ilvlMax, ilvlMin, linksMin, modText, rarity, socketsMin } = filters;
  const indexed: Array<Condition> = [];
  const rest: Array<Condition> = [];
  const modFacets: Array<ReadonlyArray<string>> = [];
  const terms = findTerms(reader, filters);
  if (terms !== undefined)
    indexed.push({
      sql: "item.term IN (SELECT value FROM json_each(?))",
      parameters: [JSON.stringify(terms)],
    });
  for (const { max, min, template } of filters.mod ?? []) {
    // Without a number where no listing has it.
    const no = numbersOf(reader, "SELECT no FROM mod WHERE template = ?", template)[0];
    modFacets.push(no === undefined ? [] : rangeFacets(league, no, min, max));
    const key = modKey(no ?? -1);
    indexed.push({
      sql: `substr(item.mods, nullif(instr(item.mods, ?), 0) + ?, 6) BETWEEN ? AND ?`,
      parameters: [key, key.length, ...packedRange(min, max)],
    });
  }
  const words = modText === undefined ? undefined : fullText(modText);
  if (words !== undefined) {
    const mods = numbersOf(
      reader,
      "SELECT rowid AS no FROM mod_text WHERE mod_text MATCH ?",
      words,
    );
    modFacets.push(mods.flatMap((mod) => rangeFacets(league, mod)));
    indexed.push({
      sql: "EXISTS (SELECT 1 FROM json_each(?) WHERE instr(item.mods, value) > 0)",
      parameters: [JSON.stringify(mods.map(modKey))],
    });
  }
  const add = (sql: string, value: Parameter | undefined) =>
    value === undefined ? undefined : rest.push({ sql, parameters: [value] });
  add("item.rarity = ?", rarity === undefined ? undefined : RARITIES.indexOf(rarity));
  add("item.ilvl >= ?", ilvlMin);
  add("item.ilvl <= ?", ilvlMax);
  add("item.sockets >= ?", socketsMin);
  add("item.links >= ?", linksMin);
  add("item.corrupted = ?", corrupted === undefined ? undefined : Number(corrupted === "yes"));
  const matchOf = (facets: ReadonlyArray<string> | undefined) =>
    [...(facets === undefined ? [] : [facets]), ...modFacets]
      .map((each) => `(${each.join(" OR ") || "none"})`)
      .join(" AND ");
  const facets = terms?.map((term) => termFacet(league, term));
  const isMatchable = [facets ?? [], ...modFacets].every(({ length }) => length <= MOST_FACETS);
  return {
    all: allOf([...rest, ...indexed]),
    indexed: allOf(indexed),
    match: !isMatchable || indexed.length === 0 ? undefined : matchOf(facets),
    terms,
    matchOf: (term) => matchOf([termFacet(league, term)]),
  };
};

/** Several conditions as one. */
const allOf = (conditions: ReadonlyArray<Condition>): Condition => {
  return {
    sql: conditions.map(({ sql }) => sql).join(" AND ") || "TRUE",
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
};
