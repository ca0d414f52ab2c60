/**
 * The differences between two links: `tree-link/compare`.
 *
 * Lists are compared entry by entry with their number of copies. A list with the same entries in
 * another order is named apart: the tree is the same, the payload is not.
 *
 * ```ts
 * import { decode } from "@game-data/tree-link";
 * import { compare } from "@game-data/tree-link/compare";
 *
 * const [list] = compare(decode("AAAABgAAAAAA"), decode("AAAABgAAAfdPAAA=")).lists;
 * if (list?.added[0] !== "63311") throw new Error("one node more");
 * ```
 */
import type { MasteryEffect, TreeLink } from "./TreeLink.ts";

/** The lists of a link. */
export type ListName = "hashes" | "extendedHashes" | "masteries";

/**
 * Entries of one list that only one of the links has, once for each copy. A mastery effect reads
 * `node → effect`.
 */
export interface ListChange {
  readonly list: ListName;
  readonly added: ReadonlyArray<string>;
  readonly removed: ReadonlyArray<string>;
}

/** The differences between one link and another. */
export interface Comparison {
  readonly values: ReadonlyArray<{
    readonly field: string;
    readonly from: string;
    readonly to: string;
  }>;
  readonly lists: ReadonlyArray<ListChange>;
  /** Lists with the same entries in another order. */
  readonly reordered: ReadonlyArray<ListName>;
}

const VALUES = ["version", "class", "ascendancy", "alternateAscendancy", "fullscreen"] as const;
const LISTS: ReadonlyArray<ListName> = ["hashes", "extendedHashes", "masteries"];

/** Compares two links. Without differences all three members are empty. */
export const compare = (from: TreeLink, to: TreeLink): Comparison => {
  const values = VALUES.map((field) => ({
    field,
    from: valueOf(from, field),
    to: valueOf(to, field),
  })).filter((change) => change.from !== change.to);
  const lists = LISTS.map((list) => {
    const [before, after] = [entries(from, list), entries(to, list)];
    return { list, added: without(after, before), removed: without(before, after) };
  }).filter(({ added, removed }) => added.length + removed.length > 0);
  const reordered = LISTS.filter((list) => {
    if (lists.some((change) => change.list === list)) return false;
    const after = entries(to, list);
    return entries(from, list).some((entry, i) => entry !== after[i]);
  });
  return { values, lists, reordered };
};

const valueOf = (link: TreeLink, field: (typeof VALUES)[number]): string => {
  const value = (link as Partial<Record<typeof field, number>>)[field];
  return value === undefined ? "none" : String(value);
};

const entries = (link: TreeLink, list: ListName): ReadonlyArray<string> => {
  const all = (link as Partial<Record<ListName, ReadonlyArray<number | MasteryEffect>>>)[list];
  return (all ?? []).map(show);
};

const show = (entry: number | MasteryEffect): string =>
  typeof entry === "number" ? String(entry) : `${entry.node} → ${entry.effect}`;

/** Returns the entries of `all` without one copy for each entry of `others`. */
const without = (
  all: ReadonlyArray<string>,
  others: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const copies = new Map<string, number>();
  for (const entry of others) copies.set(entry, (copies.get(entry) ?? 0) + 1);
  return all.filter((entry) => {
    const left = copies.get(entry) ?? 0;
    copies.set(entry, left - 1);
    return left <= 0;
  });
};
