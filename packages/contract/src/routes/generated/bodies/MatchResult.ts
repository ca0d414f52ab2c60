/**
 * MatchResult.
 *
 * Generated from the schema of `MatchResult` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";
import { PvPMatch } from "@game-data/schemas/PvPMatch";

/** MatchResult. */
export interface MatchResult {
  readonly match: PvPMatch | null;
}

/** MatchResult. */
export const MatchResult: PlainRecord<MatchResult> = /*#__PURE__*/ makeRecord(
  "MatchResult",
  { match: ["|", "n", ["@", PvPMatch]] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "match") {
      if (!(member === null || PvPMatch.is(member))) return false;
      required++;
    }
  }
  return required === 1;
}
