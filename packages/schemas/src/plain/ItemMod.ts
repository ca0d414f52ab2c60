/** A mod of an item as an object, and the text of a mod in either form. */
import type { ItemMod } from "./generated/ItemMod.ts";

export { ItemMod } from "./generated/ItemMod.ts";

/** The text of a mod in either form. */
export const modText = (mod: string | ItemMod): string =>
  typeof mod === "string" ? mod : mod.description;
