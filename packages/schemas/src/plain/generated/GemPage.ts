/**
 * A page of a gem's description.
 *
 * Generated from the schema of `GemPage` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { GemPage } from "@game-data/schemas";
 *
 * const result = GemPage.safeDecode(null);
 * if (result.ok) throw new Error("null is no GemPage");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isStrings } from "../tests.ts";
import { check as checkItemProperty, ItemProperty } from "./ItemProperty.ts";

/** A page of a gem's description. */
export interface GemPage {
  readonly skillName?: string | null;
  readonly description?: string | null;
  readonly properties?: ReadonlyArray<ItemProperty> | null;
  readonly stats?: ReadonlyArray<string> | null;
}

/** A page of a gem's description. */
export const GemPage: PlainRecord<GemPage> = /*#__PURE__*/ makeRecord(
  "GemPage",
  {
    "skillName?": "sn",
    "description?": "sn",
    "properties?": ["|", "n", ["[", ["@", ItemProperty]]],
    "stats?": ["|", "n", ["[", "s"]],
  },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "skillName" || key === "description") {
      if (!(typeof member === "string")) return false;
    } else if (key === "properties") {
      if (!isEach(member, checkItemProperty)) return false;
    } else if (key === "stats") {
      if (!isStrings(member)) return false;
    }
  }
  return true;
}
