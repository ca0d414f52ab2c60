/**
 * A property line of an item.
 *
 * Generated from the schema of `ItemProperty` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { ItemProperty } from "@game-data/schemas";
 *
 * const result = ItemProperty.safeDecode(null);
 * if (result.ok) throw new Error("null is no ItemProperty");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isUint } from "../tests.ts";
import type { ItemPropertyValue } from "../ItemPropertyValue.ts";
import type { DisplayMode } from "../DisplayMode.ts";

/** A property line of an item. */
export interface ItemProperty {
  readonly name: string;
  /** Each inner array: element 0 string, element 1 uint (value type). */
  readonly values: ReadonlyArray<ItemPropertyValue>;
  /** DisplayMode. */
  readonly displayMode?: DisplayMode | null;
  /** Rounded to 2 decimal places. */
  readonly progress?: number | null;
  readonly type?: number | null;
  readonly suffix?: string | null;
  readonly icon?: string | null;
}

/** A property line of an item. */
export const ItemProperty: PlainRecord<ItemProperty> = /*#__PURE__*/ makeRecord(
  "ItemProperty",
  {
    name: "s",
    values: ["[", ["(", false, "s", "u"]],
    "displayMode?": "un",
    "progress?": "fn",
    "type?": "un",
    "suffix?": "sn",
    "icon?": "sn",
  },
  check,
);

function part1(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length >= 2 && typeof value[0] === "string" && isUint(value[1])
  );
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "values") {
      if (!isEach(member, part1)) return false;
      required++;
    } else if (key === "displayMode" || key === "type") {
      if (!isUint(member)) return false;
    } else if (key === "progress") {
      if (!Number.isFinite(member)) return false;
    } else if (key === "suffix" || key === "icon") {
      if (!(typeof member === "string")) return false;
    }
  }
  return required === 2;
}
