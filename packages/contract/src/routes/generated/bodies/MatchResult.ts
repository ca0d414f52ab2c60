/**
 * MatchResult.
 *
 * Generated from the schema of `MatchResult` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape } from "@game-data/schemas/PlainRecord";
import { PvPMatch } from "@game-data/schemas/PvPMatch";

/** MatchResult. */
export interface MatchResult {
  readonly match: PvPMatch | null;
}

const shape: Shape = { match: ["|", "n", ["@", PvPMatch]] };

/** MatchResult. */
export const MatchResult: PlainRecord<MatchResult> = /*#__PURE__*/ makeRecord(
  "MatchResult",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    if (key === "match") {
      if (!(PvPMatch.is(member) || member === null)) return false;
      required++;
    }
  }
  return required === 1;
}
