/**
 * A rule of a league.
 *
 * Generated from the schema of `LeagueRule` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { LeagueRule } from "@game-data/schemas";
 *
 * const result = LeagueRule.safeDecode(null);
 * if (result.ok) throw new Error("null is no LeagueRule");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject } from "../tests.ts";

/** A rule of a league. */
export interface LeagueRule {
  /** E.g. `Hardcore`, `NoParties`. */
  readonly id: string;
  readonly name: string;
  readonly description?: string | null;
}

/** A rule of a league. */
export const LeagueRule: PlainRecord<LeagueRule> = /*#__PURE__*/ makeRecord(
  "LeagueRule",
  { id: "s", name: "s", "description?": "sn" },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "id" || key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "description") {
      if (!(typeof member === "string")) return false;
    }
  }
  return required === 2;
}
