import { type Members, optional, pair, type PlainRecord, type Read, record } from "../record.ts";
import { displayMode } from "./DisplayMode.ts";

/** The text of a property's value, and the number of the value's type. */
export const itemPropertyValue = pair("string", "uint");
/**
 * The text of a property's value (`+20%`, `17/20`), and the number of the value's type. Elements
 * after the second are not known to occur, but are kept.
 */
export type ItemPropertyValue = Read<typeof itemPropertyValue>;

const itemProperty = {
  name: "string",
  /** Each inner array has the text of a value (element 0) and the value's type (element 1). */
  values: [itemPropertyValue],
  displayMode: optional(displayMode),
  /** Rounded to 2 decimal places. */
  progress: "?double .01",
  type: "?uint",
  suffix: "?string",
  icon: "?string",
} as const;
/** A line of an item's description, such as its quality, with the values to insert. */
export interface ItemProperty extends Members<typeof itemProperty> {}
export const ItemProperty: PlainRecord<ItemProperty> = record("ItemProperty", itemProperty);
