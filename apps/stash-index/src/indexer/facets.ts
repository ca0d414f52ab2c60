/**
 * Encodes mods and terms for the index. An item's row has its mods as text, which a walk over
 * prices checks exactly. A full-text table has a word for its term and for each mod with a step of
 * the value, which finds the rare ones: its segments are appended, not inserted at random places.
 */

import type { DatabaseSync } from "node:sqlite";

/** A mod's number and its value. */
export type NumberedMod = readonly [mod: number, value: number];

const WIDTH = 6;
const MOST = 36 ** WIDTH - 1;
const base36 = (value: number) => value.toString(36);
const clamp = (value: number) => Math.min(MOST, Math.max(0, value));
const inWidth = (hundredths: number) => base36(clamp(hundredths)).padStart(WIDTH, "0");

/** The mods of a row: `|MOD=VALUE` each, the value in hundredths and of one width. */
export const packMods = (mods: ReadonlyArray<NumberedMod>): string =>
  mods.map(([mod, value]) => `|${base36(mod)}=${inWidth(Math.round(value * 100))}`).join("");

/** Reads the text of `packMods`. */
export const unpackMods = (packed: string): ReadonlyArray<NumberedMod> =>
  packed
    .split("|")
    .slice(1)
    .map((each) => each.split("=").map((part) => Number.parseInt(part, 36)) as [number, number])
    .map(([mod, hundredths]) => [mod, hundredths / 100]);

/** Gives the text before a mod's value in a row. */
export const modKey = (mod: number): string => `|${base36(mod)}=`;

/** The least and the greatest value of a range, as rows have them. */
export const packedRange = (min = 0, max = Infinity): readonly [string, string] => [
  inWidth(Math.ceil(min * 100 - 1e-6)),
  inWidth(Math.floor(max * 100 + 1e-6)),
];

/** Steps of a value: two for each doubling, from 1 to 20,000. */
const step = (value: number): number =>
  Math.min(29, Math.max(0, Math.floor(2 * Math.log2(Math.max(value, 0.01)) + 1)));

const modFacet = (league: number, mod: number) => `l${league}m${mod}v`;

/** Gives the words of an item from its row: its mods are as `packMods` wrote them. */
export const facetsOf = (league: number, term: number, mods: string): string =>
  [
    termFacet(league, term),
    ...unpackMods(mods).map(([mod, value]) => `${modFacet(league, mod)}${step(value)}`),
  ].join(" ");

/** Gives the word of a term. */
export const termFacet = (league: number, term: number): string => `l${league}t${term}`;

/** Gives the words of a mod's range. */
export const rangeFacets = (
  league: number,
  mod: number,
  min = 0,
  max = Infinity,
): ReadonlyArray<string> => {
  const [from, to] = [step(min), step(max)];
  return Array.from({ length: to - from + 1 }, (_, at) => `${modFacet(league, mod)}${from + at}`);
};

/** Pages of the stream from one merge of all segments to the next. */
const MERGE_EVERY = 600;
const MERGED_LEAVES = 64;

/**
 * Opens the writer of the full-text table. What a page adds and drops is written by `write`, at its
 * end.
 *
 * A row leaves by a mark in a newer segment, which the words of the row have to repeat. The table's
 * own `contentless_delete` keeps the numbers of what left in a list beside the segment instead, and
 * every row that a search meets is looked up in it: with 6 % gone a search took ten times as long.
 */
export const openFacets = (db: DatabaseSync) => {
  const insert = db.prepare("INSERT INTO item_facet (rowid, facets) VALUES (?, ?)");
  const remove = db.prepare(
    "INSERT INTO item_facet (item_facet, rowid, facets) VALUES ('delete', ?, ?)",
  );
  // A new segment comes with each page. Merged into one, bit by bit, they are read far faster.
  const merge = db.prepare("INSERT INTO item_facet (item_facet, rank) VALUES ('merge', ?)");
  const added = new Map<number, string>();
  const dropped = new Map<number, string>();
  const forget = () => {
    added.clear();
    dropped.clear();
  };
  return {
    add: (no: number, facets: string) => void added.set(no, facets),
    drop: (no: number, facets: string) => void (added.delete(no) || dropped.set(no, facets)),
    /** Forgets what was not written: its page comes again. */
    forget,
    write: (seq: number) => {
      // In the order of their numbers, of which those that were added have the greatest: at a smaller
      // number than the last one a new segment begins.
      for (const [no, facets] of [...dropped].toSorted(([a], [b]) => a - b)) remove.run(no, facets);
      for (const [no, facets] of added) insert.run(no, facets);
      forget();
      // A negative number begins a merge of all segments; the others go on with it.
      merge.run(seq % MERGE_EVERY === 0 ? -MERGED_LEAVES : MERGED_LEAVES);
    },
  };
};
export type Facets = ReturnType<typeof openFacets>;
