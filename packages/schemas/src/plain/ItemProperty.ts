/** A property line of an item (§2, ItemProperty). */
export { ItemProperty } from "./generated/ItemProperty.ts";
export type { ItemPropertyValue } from "./ItemPropertyValue.ts";
