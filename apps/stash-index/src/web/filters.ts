/**
 * What a search asks for, and its translation into SQL over `item`. Values are always bound, and
 * the words of a full-text query are quoted one by one, so no input is read as syntax.
 */
import { RARITIES, type Rarity } from "../indexer/itemFacts.ts";
import type { Parameter, Reader } from "./Reader.ts";

/** A mod with a range of its value. */
export interface ModRange {
  readonly template: string;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Every filter of a search; they are combined with "and". */
export interface Filters {
  readonly league?: string | undefined;
  /** Words of name and base; the last one may be incomplete. */
  readonly q?: string | undefined;
  readonly name?: string | undefined;
  readonly base?: string | undefined;
  readonly rarity?: Rarity | undefined;
  readonly ilvlMin?: number | undefined;
  readonly ilvlMax?: number | undefined;
  readonly socketsMin?: number | undefined;
  readonly linksMin?: number | undefined;
  readonly corrupted?: "yes" | "no" | undefined;
  /** Words of one mod. */
  readonly modText?: string | undefined;
  readonly mods: ReadonlyArray<ModRange>;
  /** In `currency`, or in the base currency. */
  readonly priceMin?: number | undefined;
  readonly priceMax?: number | undefined;
  readonly currency?: string | undefined;
}

/** A condition with its parameters. */
export interface Condition {
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
 * The terms that are asked for; `undefined` where any will do. They are found once and handed to
 * the search as a list, because it asks for them in every currency.
 */
export const termCondition = (
  reader: Reader,
  { base, name, q }: Filters,
): Condition | undefined => {
  const parts: Array<Condition> = [];
  const words = q === undefined ? undefined : fullText(q);
  if (words !== undefined)
    parts.push({ sql: "SELECT rowid FROM term_text WHERE term_text MATCH ?", parameters: [words] });
  if (base !== undefined)
    parts.push({ sql: "SELECT no FROM term WHERE base = ?", parameters: [base] });
  if (name !== undefined)
    parts.push({ sql: "SELECT no FROM term WHERE name = ?", parameters: [name] });
  if (parts.length === 0) return undefined;
  const found = reader.all<{ readonly no: number }>(
    `SELECT no FROM term WHERE ${parts.map(({ sql }) => `no IN (${sql})`).join(" AND ")}`,
    ...parts.flatMap(({ parameters }) => parameters),
  );
  return {
    sql: "item.term IN (SELECT value FROM json_each(?))",
    parameters: [JSON.stringify(found.map(({ no }) => no))],
  };
};

/** `[mod, least, most]` of a mod's range. */
export const modParameters = ({ max, min, template }: ModRange): ReadonlyArray<Parameter> => [
  template,
  min ?? -Number.MAX_VALUE,
  max ?? Number.MAX_VALUE,
];

/** The number of a template. An unknown one equals nothing. */
export const MOD_NO = "(SELECT no FROM mod WHERE template = ?)";

/** Everything besides league, terms and price. */
export const itemConditions = (filters: Filters): ReadonlyArray<Condition> => {
  const { corrupted, ilvlMax, ilvlMin, linksMin, modText, mods, rarity, socketsMin } = filters;
  const conditions: Array<Condition> = [];
  const add = (sql: string, ...parameters: ReadonlyArray<Parameter>) =>
    conditions.push({ sql, parameters });
  if (rarity !== undefined) add("item.rarity = ?", RARITIES.indexOf(rarity));
  if (ilvlMin !== undefined) add("item.ilvl >= ?", ilvlMin);
  if (ilvlMax !== undefined) add("item.ilvl <= ?", ilvlMax);
  if (socketsMin !== undefined) add("item.sockets >= ?", socketsMin);
  if (linksMin !== undefined) add("item.links >= ?", linksMin);
  if (corrupted !== undefined) add("item.corrupted = ?", corrupted === "yes" ? 1 : 0);
  for (const mod of mods)
    add(
      `EXISTS (SELECT 1 FROM item_mod AS m WHERE m.item = item.no AND m.mod = ${MOD_NO}
         AND m.value BETWEEN ? AND ?)`,
      ...modParameters(mod),
    );
  const words = modText === undefined ? undefined : fullText(modText);
  if (words !== undefined)
    add(
      `EXISTS (SELECT 1 FROM item_mod AS m WHERE m.item = item.no AND m.mod IN (
         SELECT rowid FROM mod_text WHERE mod_text MATCH ?))`,
      words,
    );
  return conditions;
};

/** Several conditions as one. */
export const allOf = (conditions: ReadonlyArray<Condition | undefined>): Condition => {
  const present = conditions.filter((condition) => condition !== undefined);
  return {
    sql: present.map(({ sql }) => sql).join(" AND ") || "TRUE",
    parameters: present.flatMap(({ parameters }) => parameters),
  };
};
