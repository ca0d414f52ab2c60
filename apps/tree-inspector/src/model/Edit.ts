/**
 * Changes a link: sets a field, adds or removes an entry of a list. Returns the new payload, or the
 * message of the codec's error.
 */
import { encode, type MasteryEffect, type TreeLink, TreeLinkError } from "@game-data/tree-link";
import { explain } from "@game-data/tree-link/text";
import type { Field } from "@game-data/tree-link/layout";

export type ListName = "hashes" | "extendedHashes" | "masteries";

/** Result of an edit: the new payload, or the reason why the codec refused the edit. */
export type Edited =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly message: string };

/** Sets the value of a field. Counts cannot be set, because they follow from their lists. */
export const setField = (link: TreeLink, field: Field, value: number): Edited => {
  // An empty number input has the value NaN.
  if (Number.isNaN(value)) return { ok: false, message: "A field holds a whole number." };
  if (field.index === undefined) return write({ ...link, [field.name]: value });
  const list = field.group as ListName;
  return write({
    ...link,
    [list]: entriesOf(link, list).with(field.index, changed(link, field, value)),
  });
};

export const removeEntry = (link: TreeLink, list: ListName, index: number): Edited =>
  write({ ...link, [list]: entriesOf(link, list).toSpliced(index, 1) });

/** Appends a hash of 0, or a mastery effect whose node and effect are 0. */
export const addEntry = (link: TreeLink, list: ListName): Edited =>
  write({
    ...link,
    [list]: [...entriesOf(link, list), list === "masteries" ? { node: 0, effect: 0 } : 0],
  });

/** Replaces a character of a payload. The padding stays. */
export const setCharacter = (payload: string, index: number, character: string): string =>
  payload.slice(0, index) + character + payload.slice(index + 1);

/** Replaces a byte. Returns the payload of the bytes, which may not be a valid link. */
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
