/**
 * A tab of a gem's description.
 *
 * Generated from the schema of `GemTab` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { GemTab } from "@game-data/schemas";
 *
 * const result = GemTab.safeDecode(null);
 * if (result.ok) throw new Error("null is no GemTab");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject } from "../tests.ts";
import { check as checkGemPage, GemPage } from "./GemPage.ts";

/** A tab of a gem's description. */
export interface GemTab {
  readonly name?: string | null;
  readonly pages: ReadonlyArray<GemPage>;
}

/** A tab of a gem's description. */
export const GemTab: PlainRecord<GemTab> = /*#__PURE__*/ makeRecord(
  "GemTab",
  { "name?": "sn", pages: ["[", ["@", GemPage]] },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "pages") {
      if (!isEach(member, checkGemPage)) return false;
      required++;
    } else if (key === "name") {
      if (!(typeof member === "string")) return false;
    }
  }
  return required === 1;
}
