/**
 * What is in one link and not in the other: `tree-link/compare`. Lists are compared as sets: order
 * says nothing about a tree.
 */
import type { MasteryEffect, TreeLink } from "./TreeLink.ts";

/** Entries of one list that only one of the links has; a mastery effect reads `node → effect`. */
export interface ListChange {
  readonly list: "hashes" | "extendedHashes" | "masteries";
  readonly added: ReadonlyArray<string>;
  readonly removed: ReadonlyArray<string>;
}

/** The differences on the way from one link to another. */
export interface Comparison {
  readonly values: ReadonlyArray<{
    readonly field: string;
    readonly from: string;
    readonly to: string;
  }>;
  readonly lists: ReadonlyArray<ListChange>;
}

const VALUES = ["version", "class", "ascendancy", "alternateAscendancy", "fullscreen"] as const;
const LISTS = ["hashes", "extendedHashes", "masteries"] as const;

/** Compares two links. */
export const compare = (from: TreeLink, to: TreeLink): Comparison => ({
  values: VALUES.map((field) => ({
    field,
    from: valueOf(from, field),
    to: valueOf(to, field),
  })).filter((change) => change.from !== change.to),
  lists: LISTS.map((list) => {
    const [before, after] = [entries(from, list), entries(to, list)];
    return {
      list,
      added: after.filter((entry) => !before.includes(entry)),
      removed: before.filter((entry) => !after.includes(entry)),
    };
  }).filter(({ added, removed }) => added.length + removed.length > 0),
});

const valueOf = (link: TreeLink, field: (typeof VALUES)[number]): string => {
  const value = (link as Partial<Record<typeof field, number>>)[field];
  return value === undefined ? "none" : String(value);
};

const entries = (link: TreeLink, list: (typeof LISTS)[number]): ReadonlyArray<string> => {
  const all =
    (link as Partial<Record<typeof list, ReadonlyArray<number | MasteryEffect>>>)[list] ?? [];
  return [...new Set(all.map(show))];
};

const show = (entry: number | MasteryEffect): string =>
  typeof entry === "number" ? String(entry) : `${entry.node} → ${entry.effect}`;
