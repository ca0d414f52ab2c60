/**
 * Chooses how a search walks the index: in the order of the answer until the page is full, or over
 * the rows that the facets of its filters find, which are then sorted.
 *
 * The first is right for common matches, the second for rare ones. The newest items of the league
 * say how common they are, with all filters at once, so it does not matter whether filters depend
 * on each other.
 */
import type { Conditions } from "./filters.ts";
import type { Parameter, Reader } from "./Reader.ts";

/** The league of a search. */
export interface League {
  readonly no: number;
  readonly name: string;
  readonly listed: number;
}

/** Rows of `item` to look at; `no` is their number, by which they can be had in order. */
export interface Source {
  readonly from: string;
  readonly where: string;
  readonly no: string;
  readonly parameters: ReadonlyArray<Parameter>;
}

/** The items that a query of `item_facet` finds. */
export const matching = (match: string): Source => ({
  from: "item_facet CROSS JOIN item ON item.no = item_facet.rowid",
  where: "item_facet MATCH ?",
  no: "item_facet.rowid",
  parameters: [match],
});

/** The items of a league. */
export const listedIn = (league: League): Source => ({
  from: "item NOT INDEXED",
  where: "item.league = ?",
  no: "item.no",
  parameters: [league.no],
});

/** The newest numbers that the sample is taken from. */
const SAMPLED = 12_000;
/** A row that is collected costs about so many times a row that is met in order. */
const COLLECT_COST = 2;

/** Chooses the rows to collect for `wanted` rows; `undefined` where a walk in order is shorter. */
export const sourceFor = (
  reader: Reader,
  league: League,
  { all, indexed, match }: Conditions,
  wanted: number,
): Source | undefined => {
  if (match === undefined) return undefined;
  const found = reader.get<{ seen: number; hits: number; indexed: number }>(
    `SELECT count(*) AS seen, total(${all.sql}) AS hits, total(${indexed.sql}) AS indexed
     FROM item NOT INDEXED WHERE item.no > (SELECT max(no) FROM item) - ? AND item.league = ?`,
    ...all.parameters,
    ...indexed.parameters,
    SAMPLED,
    league.no,
  )!;
  const shareOf = (hits: number) => (hits + 0.5) / (found.seen + 1);
  const walked = Math.min(league.listed, wanted / shareOf(found.hits));
  const collected = shareOf(found.indexed) * league.listed;
  return collected * COLLECT_COST <= walked ? matching(match) : undefined;
};
