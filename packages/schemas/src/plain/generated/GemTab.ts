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
import { makeRecord, type PlainRecord, type Shape } from "../PlainRecord.ts";
import { isObject } from "../tests.ts";
import { check as checkGemPage, GemPage } from "./GemPage.ts";

/** A tab of a gem's description. */
export interface GemTab {
  readonly name?: string | null;
  readonly pages: ReadonlyArray<GemPage>;
}

const shape: Shape = { "name?": "sn", pages: ["[", ["@", GemPage]] };

/** A tab of a gem's description. */
export const GemTab: PlainRecord<GemTab> = /*#__PURE__*/ makeRecord("GemTab", shape, check);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "pages") {
      if (!Array.isArray(member)) return false;
      for (let i0 = 0; i0 < member.length; i0++) {
        const element0: unknown = member[i0];
        if (!checkGemPage(element0)) return false;
      }
      required++;
    } else if (key === "name") {
      if (!(typeof member === "string")) return false;
    }
  }
  return required === 1;
}
