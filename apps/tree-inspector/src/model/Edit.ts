/**
 * One change to a link: a field set, a list entry added or taken away. The result is a new payload,
 * or the codec's refusal.
 */
import { encode, type MasteryEffect, type TreeLink, TreeLinkError } from "@game-data/tree-link";
import { explain } from "@game-data/tree-link/text";
import type { Field } from "@game-data/tree-link/layout";

/** A list of a link. */
export type ListName = "hashes" | "extendedHashes" | "masteries";

/** The new payload, or why there is none. */
export type Edited =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly message: string };

/** Sets the value of a field; counts follow from their lists and are not set. */
export const setField = (link: TreeLink, field: Field, value: number): Edited => {
  // What a number field gives for an empty text.
  if (Number.isNaN(value)) return { ok: false, message: "A field holds a whole number." };
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

/** Puts another character into a payload; its padding stays. */
export const setCharacter = (payload: string, index: number, character: string): string =>
  payload.slice(0, index) + character + payload.slice(index + 1);

/** The payload of bytes of which one is another. They need be no link. */
export const setByte = (bytes: Uint8Array, index: number, value: number): string => {
  const binary = Array.from(bytes.with(index, value), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_");
};

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
    if (error instanceof TreeLinkError) return { ok: false, message: explain(error) };
    throw error;
  }
};
