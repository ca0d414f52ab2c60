/**
 * LeagueList.
 *
 * Generated from the schema of `LeagueList` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isEach, isObject } from "@game-data/schemas/PlainRecord";
import { League } from "@game-data/schemas/League";

/** LeagueList. */
export interface LeagueList {
  readonly leagues: ReadonlyArray<League>;
}

/** LeagueList. */
export const LeagueList: PlainRecord<LeagueList> = /*#__PURE__*/ makeRecord(
  "LeagueList",
  { leagues: ["[", ["@", League]] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "leagues") {
      if (!isEach(member, League.is)) return false;
      required++;
    }
  }
  return required === 1;
}
