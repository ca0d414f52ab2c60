/**
 * LeagueResult.
 *
 * Generated from the schema of `LeagueResult` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";
import { League } from "@game-data/schemas/League";

/** LeagueResult. */
export interface LeagueResult {
  readonly league: League | null;
}

/** LeagueResult. */
export const LeagueResult: PlainRecord<LeagueResult> = /*#__PURE__*/ makeRecord(
  "LeagueResult",
  { league: ["|", "n", ["@", League]] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "league") {
      if (!(member === null || League.is(member))) return false;
      required++;
    }
  }
  return required === 1;
}
