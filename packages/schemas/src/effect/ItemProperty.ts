/** A property line of an item (§2, ItemProperty). */
import * as Schema from "effect/Schema";
import { DisplayMode } from "./DisplayMode.ts";
import type * as PlainValue from "../plain/ItemPropertyValue.ts";
import * as Plain from "../plain/generated/ItemProperty.ts";
import {
  array,
  nullish,
  describe,
  record,
  rounded,
  string,
  uint,
  type RecordSchema,
  type Wire,
} from "../internal/wire.ts";

/**
 * A value and its type: the value is text even where it is a number (`+20%`, `17/20`). Elements
 * after the second are unheard of, and would be kept.
 */
export type ItemPropertyValue = PlainValue.ItemPropertyValue;
/** A value and its type. */
export const ItemPropertyValue: Wire<ItemPropertyValue> = /*#__PURE__*/ Schema.TupleWithRest(
  /*#__PURE__*/ Schema.Tuple([string, uint]),
  [Schema.Any],
);

const fields = {
  name: string,
  values: /*#__PURE__*/ describe(
    /*#__PURE__*/ array(ItemPropertyValue),
    "each inner array: element 0 string, element 1 uint (value type)",
  ),
  displayMode: /*#__PURE__*/ nullish(DisplayMode, "DisplayMode"),
  progress: /*#__PURE__*/ nullish(/*#__PURE__*/ rounded(2), "rounded to 2 decimal places"),
  type: /*#__PURE__*/ nullish(uint),
  suffix: /*#__PURE__*/ nullish(string),
  icon: /*#__PURE__*/ nullish(string),
};

/** A property line of an item. */
export type ItemProperty = Plain.ItemProperty;
/** A property line of an item. */
export const ItemProperty: RecordSchema<ItemProperty, typeof fields> =
  /*#__PURE__*/ record<ItemProperty>()(Plain.ItemProperty, "A property line of an item", fields);
