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
import { reading } from "./internal/reading.ts";
import { isList, type ListName, membersOf, READING_ORDER } from "./internal/table.ts";
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

/**
 * Compares two links, or the nodes of a link with the passives of a character. Without differences
 * all three members are empty.
 *
 * Passives have no version, class or ascendancy by number, so no values are compared with them; and
 * their masteries have no order where they are an object.
 *
 * @throws TreeLinkError `invalid-type`, with the name of the field or of the argument.
 */
export const compare = (from: TreeLink, to: TreeLink | PassivesInput): Comparison => {
  const before = reading("from", () => shown(from, "from"));
  return reading("to", () =>
    "version" in to ? differences(before, shown(to, "to")) : compareNodes(before, to),
  );
};

/** Whether a comparison found no difference, not even in order. */
export const isSame = (comparison: Comparison): boolean =>
  reading("comparison", () => {
    const { lists, reordered, values } = comparison;
    return [lists, reordered, values].every((differences) => differences.length === 0);
  });

/** The members of a link as text. */
interface Shown {
  readonly values: ReadonlyArray<{ readonly field: string; readonly value: string }>;
  readonly lists: ReadonlyArray<{ readonly list: ListName; readonly entries: Array<string> }>;
}

const shown = (link: TreeLink, argument: string): Shown => {
  const members = membersOf(link, argument);
  const [lists, numbers] = [READING_ORDER.filter(isList), READING_ORDER.filter((n) => !isList(n))];
  return {
    values: ["version" as const, ...numbers].map((field) => ({
      field,
      value: String(members[field] ?? "none"),
    })),
    lists: lists.map((list) => {
      const all = (members[list] ?? []) as ReadonlyArray<number | MasteryEffect>;
      return { list, entries: all.map(show) };
    }),
  };
};

const compareNodes = (before: Shown, passives: PassivesInput): Comparison => {
  const nodes = fromPassives(passives, { class: 0, alternateAscendancy: 0 });
  const { lists, reordered } = differences(before, shown(nodes, "to"));
  const isOrdered = Array.isArray(passives.mastery_effects);
  return {
    values: [],
    lists,
    reordered: reordered.filter((list) => isOrdered || list !== "masteries"),
  };
};

const differences = (before: Shown, after: Shown): Comparison => {
  const values = before.values
    .map(({ field, value }, i) => ({ field, from: value, to: after.values[i]!.value }))
    .filter((change) => change.from !== change.to);
  const lists: Array<ListChange> = [];
  const reordered: Array<ListName> = [];
  before.lists.forEach(({ entries, list }, i) => {
    const others = after.lists[i]!.entries;
    const change = { list, added: without(others, entries), removed: without(entries, others) };
    if (change.added.length + change.removed.length > 0) lists.push(change);
    else if (entries.some((entry, at) => entry !== others[at])) reordered.push(list);
  });
  return { values, lists, reordered };
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
