/**
 * A mod of an item as an object, and the text of a mod in either form.
 *
 * @example
 * ```ts
 * import { modText } from "@game-data/schemas/ItemMod";
 *
 * if (modText("+1 to Level") !== "+1 to Level") throw new Error("another text");
 * ```
 */
import type { ItemMod } from "./generated/ItemMod.ts";

export { ItemMod } from "./generated/ItemMod.ts";

/** The text of a mod in either form. */
export const modText = (mod: string | ItemMod): string =>
  typeof mod === "string" ? mod : mod.description;
