import { dictionary, type Members, optional, type PlainRecord, record } from "../record.ts";

const itemMod = {
  description: "string",
  flags: optional(dictionary("bool")),
} as const;
/** A mod as an object: its text in `description`, and flags such as `crafted` or `fractured`. */
export interface ItemMod extends Members<typeof itemMod> {}
export const ItemMod: PlainRecord<ItemMod> = record("ItemMod", itemMod);

/** Returns the text of a mod, which is a string or an object with a `description`. */
export const modText = (mod: string | ItemMod): string =>
  typeof mod === "string" ? mod : mod.description;
