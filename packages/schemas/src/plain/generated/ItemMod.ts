/**
 * A mod as an object; beyond the specification, which has the text alone.
 *
 * Generated from the schema of `ItemMod` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { ItemMod } from "@game-data/schemas";
 *
 * const result = ItemMod.safeDecode(null);
 * if (result.ok) throw new Error("null is no ItemMod");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject } from "../tests.ts";

/** A mod as an object; beyond the specification, which has the text alone. */
export interface ItemMod {
  readonly description: string;
  readonly flags?: { readonly [key: string]: boolean } | Readonly<Record<string, never>> | null;
}

/** A mod as an object; beyond the specification, which has the text alone. */
export const ItemMod: PlainRecord<ItemMod> = /*#__PURE__*/ makeRecord(
  "ItemMod",
  { description: "s", "flags?": ["|", "n", ["{", "b"], ["(", true]] },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (!(typeof member === "boolean")) return false;
  }
  return true;
}

function part2(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "description") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "flags") {
      if (!(part1(member) || part2(member))) return false;
    }
  }
  return required === 1;
}
