/** A property line of an item (§2, ItemProperty). */
import * as Schema from "effect/Schema";
import { DisplayMode } from "./DisplayMode.ts";
import { check } from "./internal/generated/ItemProperty.ts";
import {
  array,
  maybe,
  note,
  record,
  rounded,
  string,
  uint,
  type RecordSchema,
  type Wire,
} from "./internal/wire.ts";

/**
 * A value and its type: the value is text even where it is a number (`+20%`, `17/20`). Elements
 * after the second are unheard of, and would be kept.
 */
export type ItemPropertyValue = readonly [
  value: string,
  type: number,
  ...rest: ReadonlyArray<unknown>,
];
/** A value and its type. */
export const ItemPropertyValue: Wire<ItemPropertyValue> = /*#__PURE__*/ Schema.TupleWithRest(
  /*#__PURE__*/ Schema.Tuple([string, uint]),
  [Schema.Any],
);

const fields = {
  name: string,
  values: /*#__PURE__*/ note(
    /*#__PURE__*/ array(ItemPropertyValue),
    "each inner array: element 0 string, element 1 uint (value type)",
  ),
  displayMode: /*#__PURE__*/ maybe(DisplayMode, "DisplayMode"),
  progress: /*#__PURE__*/ maybe(/*#__PURE__*/ rounded(2), "rounded to 2 decimal places"),
  type: /*#__PURE__*/ maybe(uint),
  suffix: /*#__PURE__*/ maybe(string),
  icon: /*#__PURE__*/ maybe(string),
};

/** A property line of an item. */
export interface ItemProperty extends Schema.Struct.Type<typeof fields> {}
/** A property line of an item. */
export const ItemProperty: RecordSchema<ItemProperty, typeof fields> =
  /*#__PURE__*/ record<ItemProperty>()("ItemProperty", "A property line of an item", fields, check);
