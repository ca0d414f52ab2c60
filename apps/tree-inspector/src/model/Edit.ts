/**
 * One change to a link: a field set, a list entry added or taken away. The result is a new payload,
 * or the codec's refusal.
 */
import { encode, type MasteryEffect, type TreeLink, TreeLinkError } from "@game-data/tree-link";
import type { Field } from "@game-data/tree-link/layout";

/** A list of a link. */
export type ListName = "hashes" | "extendedHashes" | "masteries";

/** The new payload, or why there is none. */
export type Edited =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly message: string };

/** Sets the value of a field; counts follow from their lists and are not set. */
export const setField = (link: TreeLink, field: Field, value: number): Edited => {
  if (field.index === undefined) return write({ ...link, [field.name]: value });
  const list = field.group as ListName;
  return write({
    ...link,
    [list]: entriesOf(link, list).with(field.index, changed(link, field, value)),
  });
};

/** Takes an entry out of its list. */
export const removeEntry = (link: TreeLink, list: ListName, index: number): Edited =>
  write({ ...link, [list]: entriesOf(link, list).toSpliced(index, 1) });

/** Puts an entry at the end of a list: a hash, or a mastery effect of 0 and 0 to be filled in. */
export const addEntry = (link: TreeLink, list: ListName): Edited =>
  write({
    ...link,
    [list]: [...entriesOf(link, list), list === "masteries" ? { node: 0, effect: 0 } : 0],
  });

const entriesOf = (link: TreeLink, list: ListName): ReadonlyArray<unknown> =>
  (link as unknown as Record<ListName, ReadonlyArray<unknown>>)[list];

const changed = (link: TreeLink, field: Field, value: number): unknown =>
  field.group === "masteries"
    ? { ...(entriesOf(link, "masteries")[field.index!] as MasteryEffect), [field.name]: value }
    : value;

const write = (link: unknown): Edited => {
  try {
    return { ok: true, payload: encode(link as TreeLink) };
  } catch (error) {
    if (error instanceof TreeLinkError) return { ok: false, message: error.message };
    throw error;
  }
};
