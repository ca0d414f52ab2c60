/**
 * MatchList.
 *
 * Generated from the schema of `MatchList` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isEach, isObject } from "@game-data/schemas/PlainRecord";
import { PvPMatch } from "@game-data/schemas/PvPMatch";

/** MatchList. */
export interface MatchList {
  readonly matches: ReadonlyArray<PvPMatch>;
}

/** MatchList. */
export const MatchList: PlainRecord<MatchList> = /*#__PURE__*/ makeRecord(
  "MatchList",
  { matches: ["[", ["@", PvPMatch]] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "matches") {
      if (!isEach(member, PvPMatch.is)) return false;
      required++;
    }
  }
  return required === 1;
}
