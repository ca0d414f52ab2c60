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

/** Shares of a league's listings. */
export interface Shares {
  /** Those that match. */
  readonly all: number;
  /** Those that the facets find. */
  readonly indexed: number;
}

/** Estimates the shares of a search. */
export const estimateShares = (
  reader: Reader,
  league: League,
  { all, indexed }: Conditions,
): Shares => {
  const found = reader.get<{ seen: number; hits: number; indexed: number }>(
    `SELECT count(*) AS seen, total(${all.sql}) AS hits, total(${indexed.sql}) AS indexed
     FROM item NOT INDEXED WHERE item.no > (SELECT max(no) FROM item) - ? AND item.league = ?`,
    ...all.parameters,
    ...indexed.parameters,
    SAMPLED,
    league.no,
  )!;
  const share = (hits: number) => (hits + 0.5) / (found.seen + 1);
  return { all: share(found.hits), indexed: share(found.indexed) };
};

/** The rows to collect and sort for `wanted` rows; `undefined` where a walk in order is shorter. */
export const sourceFor = (
  wanted: number,
  league: League,
  { match }: Conditions,
  shares: Shares,
): Source | undefined => {
  if (match === undefined) return undefined;
  const walked = Math.min(league.listed, wanted / shares.all);
  return shares.indexed * league.listed * COLLECT_COST <= walked ? matching(match) : undefined;
};
