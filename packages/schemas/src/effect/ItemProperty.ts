/** A property line of an item (§2, ItemProperty). */
import * as Schema from "effect/Schema";
import { DisplayMode } from "./DisplayMode.ts";
import type * as PlainValue from "../plain/ItemPropertyValue.ts";
import * as Plain from "../plain/generated/ItemProperty.ts";
import * as wire from "../internal/wire.ts";

/**
 * A value and its type: the value is text even where it is a number (`+20%`, `17/20`). Elements
 * after the second are unheard of, and would be kept.
 */
export type ItemPropertyValue = PlainValue.ItemPropertyValue;
/** A value and its type. */
export const ItemPropertyValue: wire.Wire<ItemPropertyValue> = /*#__PURE__*/ Schema.TupleWithRest(
  /*#__PURE__*/ Schema.Tuple([wire.string, wire.uint]),
  [Schema.Any],
);

const fields = {
  name: wire.string,
  values: /*#__PURE__*/ wire.describe(
    /*#__PURE__*/ wire.array(ItemPropertyValue),
    "each inner array: element 0 string, element 1 uint (value type)",
  ),
  displayMode: /*#__PURE__*/ wire.nullish(DisplayMode, "DisplayMode"),
  progress: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.rounded(2),
    "rounded to 2 decimal places",
  ),
  type: /*#__PURE__*/ wire.nullish(wire.uint),
  suffix: /*#__PURE__*/ wire.nullish(wire.string),
  icon: /*#__PURE__*/ wire.nullish(wire.string),
};

/** A property line of an item. */
export type ItemProperty = Plain.ItemProperty;
export const ItemProperty: wire.RecordSchema<ItemProperty, typeof fields> =
  /*#__PURE__*/ wire.record(Plain.ItemProperty, "A property line of an item", fields);
