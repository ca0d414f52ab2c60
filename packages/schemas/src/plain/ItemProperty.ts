/**
 * A property line of an item (§2, ItemProperty).
 *
 * @example
 * ```ts
 * import { ItemProperty } from "@game-data/schemas/ItemProperty";
 *
 * if (!ItemProperty.is({ name: "Quality", values: [["+20%", 1]] })) throw new Error("a property");
 * ```
 */
export { ItemProperty } from "./generated/ItemProperty.ts";
export type { ItemPropertyValue } from "./ItemPropertyValue.ts";
