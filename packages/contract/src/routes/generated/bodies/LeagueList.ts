/**
 * LeagueList.
 *
 * Generated from the schema of `LeagueList` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape, isObject } from "@game-data/schemas/PlainRecord";
import { League } from "@game-data/schemas/League";

/** LeagueList. */
export interface LeagueList {
  readonly leagues: ReadonlyArray<League>;
}

const shape: Shape = { leagues: ["[", ["@", League]] };

/** LeagueList. */
export const LeagueList: PlainRecord<LeagueList> = /*#__PURE__*/ makeRecord(
  "LeagueList",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "leagues") {
      if (!Array.isArray(member)) return false;
      for (let i0 = 0; i0 < member.length; i0++) {
        const element0: unknown = member[i0];
        if (!League.is(element0)) return false;
      }
      required++;
    }
  }
  return required === 1;
}
