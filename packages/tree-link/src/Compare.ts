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
import {
  type FieldName,
  isList,
  type ListName,
  membersOf,
  type NumberName,
  READING_ORDER,
} from "./internal/table.ts";
import { fromPassives, type PassivesInput } from "./Passives.ts";
import type { MasteryEffect, TreeLink } from "./TreeLink.ts";

export type { ListName } from "./internal/table.ts";

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

const VALUES: ReadonlyArray<"version" | NumberName> = [
  "version",
  ...READING_ORDER.filter((name) => !isList(name)),
];
const LISTS: ReadonlyArray<ListName> = READING_ORDER.filter((name) => isList(name));

/**
 * Compares two links, or the nodes of a link with the passives of a character. Without differences
 * all three members are empty.
 *
 * Passives have no version, class or ascendancy by number, so no values are compared with them; and
 * their masteries have no order where they are an object.
 */
export const compare = (from: TreeLink, to: TreeLink | PassivesInput): Comparison =>
  "version" in to ? compareLinks(from, to) : compareNodes(from, to);

/** Whether a comparison found no difference, not even in order. */
export const isSame = ({ lists, reordered, values }: Comparison): boolean =>
  [lists, reordered, values].every((differences) => differences.length === 0);

const compareNodes = (from: TreeLink, passives: PassivesInput): Comparison => {
  const nodes = fromPassives(passives, { class: 0, alternateAscendancy: 0 });
  const { lists, reordered } = compareLinks(from, nodes);
  const isOrdered = Array.isArray(passives.mastery_effects);
  return {
    values: [],
    lists,
    reordered: reordered.filter((list) => isOrdered || list !== "masteries"),
  };
};

const compareLinks = (from: TreeLink, to: TreeLink): Comparison => {
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

const valueOf = (link: TreeLink, field: "version" | NumberName): string =>
  String(membersOf(link)[field] ?? "none");

const entries = (link: TreeLink, list: FieldName): ReadonlyArray<string> => {
  const all = membersOf(link)[list];
  return Array.isArray(all) ? all.map(show) : [];
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
