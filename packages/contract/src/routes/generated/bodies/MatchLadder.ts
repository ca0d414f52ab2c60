/**
 * MatchLadder.
 *
 * Generated from the schema of `MatchLadder` by `pnpm generate`. Not to be edited.
 */
import {
  makeRecord,
  type PlainRecord,
  isEach,
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

/** MatchLadder. */
export const MatchLadder: PlainRecord<MatchLadder> = /*#__PURE__*/ makeRecord(
  "MatchLadder",
  { match: ["|", "n", { total: "u", entries: ["[", ["@", PvPLadderTeamEntry]] }] },
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
      if (!isEach(member, PvPLadderTeamEntry.is)) return false;
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
