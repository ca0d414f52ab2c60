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
import { makeRecord, type PlainRecord, type Shape } from "../PlainRecord.ts";

/** A rule of a league. */
export interface LeagueRule {
  /** E.g. `Hardcore`, `NoParties`. */
  readonly id: string;
  readonly name: string;
  readonly description?: string | null;
}

const shape: Shape = { id: "s", name: "s", "description?": "sn" };

/** A rule of a league. */
export const LeagueRule: PlainRecord<LeagueRule> = /*#__PURE__*/ makeRecord(
  "LeagueRule",
  shape,
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    if (key === "id" || key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "description") {
      if (!(typeof member === "string" || member === null)) return false;
    }
  }
  return required === 2;
}
