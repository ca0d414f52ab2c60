/**
 * MatchList.
 *
 * Generated from the schema of `MatchList` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape, isObject } from "@game-data/schemas/PlainRecord";
import { PvPMatch } from "@game-data/schemas/PvPMatch";

/** MatchList. */
export interface MatchList {
  readonly matches: ReadonlyArray<PvPMatch>;
}

const shape: Shape = { matches: ["[", ["@", PvPMatch]] };

/** MatchList. */
export const MatchList: PlainRecord<MatchList> = /*#__PURE__*/ makeRecord(
  "MatchList",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "matches") {
      if (!Array.isArray(member)) return false;
      for (let i0 = 0; i0 < member.length; i0++) {
        const element0: unknown = member[i0];
        if (!PvPMatch.is(element0)) return false;
      }
      required++;
    }
  }
  return required === 1;
}
