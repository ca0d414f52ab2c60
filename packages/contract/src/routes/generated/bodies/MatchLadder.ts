/**
 * MatchLadder.
 *
 * Generated from the schema of `MatchLadder` by `pnpm generate`. Not to be edited.
 */
import {
  makeRecord,
  type PlainRecord,
  type Shape,
  isObject,
  isUint,
} from "@game-data/schemas/PlainRecord";
import { PvPLadderTeamEntry } from "@game-data/schemas/PvPLadderTeamEntry";

/** MatchLadder. */
export interface MatchLadder {
  readonly match: {
    readonly total: number;
    readonly entries: ReadonlyArray<PvPLadderTeamEntry>;
  } | null;
}

const shape: Shape = {
  match: ["|", "n", { total: "u", entries: ["[", ["@", PvPLadderTeamEntry]] }],
};

/** MatchLadder. */
export const MatchLadder: PlainRecord<MatchLadder> = /*#__PURE__*/ makeRecord(
  "MatchLadder",
  shape,
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "total") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "entries") {
      if (!Array.isArray(member)) return false;
      for (let i0 = 0; i0 < member.length; i0++) {
        const element0: unknown = member[i0];
        if (!PvPLadderTeamEntry.is(element0)) return false;
      }
      required++;
    }
  }
  return required === 2;
}

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "match") {
      if (!(member === null || part1(member))) return false;
      required++;
    }
  }
  return required === 1;
}
