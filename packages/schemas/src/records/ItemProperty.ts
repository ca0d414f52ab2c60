import { type Members, optional, pair, type PlainRecord, type Read, record } from "../record.ts";
import { displayMode } from "./DisplayMode.ts";

/** A value and its type. */
export const itemPropertyValue = pair("string", "uint");
/**
 * A value and its type. The value is text even if it is a number (`+20%`, `17/20`). Elements after
 * the second are not known to occur, and are kept.
 */
export type ItemPropertyValue = Read<typeof itemPropertyValue>;

const itemProperty = {
  name: "string",
  /** Each inner array: element 0 string, element 1 uint (value type). */
  values: [itemPropertyValue],
  displayMode: optional(displayMode),
  /** Rounded to 2 decimal places. */
  progress: "?double .01",
  type: "?uint",
  suffix: "?string",
  icon: "?string",
} as const;
/** A property line of an item. */
export interface ItemProperty extends Members<typeof itemProperty> {}
export const ItemProperty: PlainRecord<ItemProperty> = record("ItemProperty", itemProperty);
