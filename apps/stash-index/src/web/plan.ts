/**
 * Chooses how a search walks the index: in the order of the answer until the page is full, or over
 * the rows of the rarest filter, which are then sorted.
 *
 * The first is right for common matches, the second for rare ones. Both counts are known well
 * enough: a filter's own rows are counted in its index up to a bound, and filters are taken as
 * independent.
 */
import { type Filters, MOD_NO, modParameters, termCondition } from "./filters.ts";
import type { Parameter, Reader } from "./Reader.ts";

/** The league of a search. */
export interface League {
  readonly no: number;
  readonly name: string;
  readonly listed: number;
}

/** Rows to look at, as `FROM … WHERE …` over `item`. */
interface Source {
  readonly from: string;
  readonly where: string;
  readonly parameters: ReadonlyArray<Parameter>;
}

/** How to walk. */
export interface Plan {
  readonly kind: "inOrder" | "collect";
  /** For `collect`: the rows of the rarest filter. */
  readonly source: Source;
  /** How many of the league's items match, by estimate. */
  readonly estimate: number;
}

/** A filter's rows are counted to here; more are too many to sort anyway. */
const COUNTED = 40_000;
/** A row of a filter costs about so many times a row that is met in order. */
const COLLECT_COST = 2;

/** Makes the plan for `wanted` rows. */
export const makePlan = (
  reader: Reader,
  league: League,
  filters: Filters,
  wanted: number,
): Plan => {
  const sources: Array<{ readonly source: Source; readonly rows: number }> = [];
  const term = termCondition(reader, filters);
  if (term !== undefined) {
    const source: Source = {
      from: "item INDEXED BY item_term",
      where: `${term.sql} AND item.league = ?`,
      parameters: [...term.parameters, league.no],
    };
    sources.push({ source, rows: count(reader, source) });
  }
  for (const mod of filters.mods) {
    const [template, least, most] = modParameters(mod) as [string, number, number];
    const source: Source = {
      from: "item_mod AS d INDEXED BY item_mod_value CROSS JOIN item ON item.no = d.item",
      where: `d.mod = ${MOD_NO} AND d.league = ? AND d.value BETWEEN ? AND ?`,
      parameters: [template, league.no, least, most],
    };
    const counted = { ...source, from: "item_mod AS d INDEXED BY item_mod_value" };
    sources.push({ source, rows: count(reader, counted) });
  }
  const whole: Source = {
    from: "item INDEXED BY item_price",
    where: "item.league = ?",
    parameters: [league.no],
  };
  const listed = Math.max(1, league.listed);
  const share = sources.reduce(
    (all, { rows }) => all * Math.min(1, rows / listed),
    uncountedShare(filters),
  );
  const estimate = listed * share;
  const inOrder = Math.min(listed, wanted / Math.max(share, 1 / listed));
  const rarest = sources.toSorted((a, b) => a.rows - b.rows)[0];
  return rarest !== undefined && rarest.rows * COLLECT_COST <= inOrder
    ? { kind: "collect", source: rarest.source, estimate }
    : { kind: "inOrder", source: whole, estimate };
};

/** What the filters without an index of their own leave, by rule of thumb. */
const uncountedShare = (filters: Filters): number => {
  const { corrupted, ilvlMax, ilvlMin, linksMin, modText, rarity, socketsMin } = filters;
  const shares = [
    rarity === undefined ? 1 : 0.25,
    linksMin === undefined && socketsMin === undefined ? 1 : 0.25,
    ilvlMin === undefined && ilvlMax === undefined ? 1 : 0.5,
    corrupted === "yes" ? 0.1 : 1,
    modText === undefined ? 1 : 0.3,
  ];
  return shares.reduce((all, each) => all * each, 1);
};

const count = (reader: Reader, { from, parameters, where }: Source): number =>
  reader.countUpTo(COUNTED, `FROM ${from} WHERE ${where}`, ...parameters);
