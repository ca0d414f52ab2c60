/**
 * A rank of a PvP ladder.
 *
 * Generated from the schema of `PvPLadderTeamEntry` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { PvPLadderTeamEntry } from "@game-data/schemas";
 *
 * const result = PvPLadderTeamEntry.safeDecode(null);
 * if (result.ok) throw new Error("null is no PvPLadderTeamEntry");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isUint } from "../tests.ts";
import { check as checkPvPLadderTeamMember, PvPLadderTeamMember } from "./PvPLadderTeamMember.ts";

/** A rank of a PvP ladder. */
export interface PvPLadderTeamEntry {
  readonly rank: number;
  /** Only present if the match uses Glicko ratings. */
  readonly rating?: number | null;
  readonly points?: number | null;
  readonly games_played?: number | null;
  readonly cumulative_opponent_points?: number | null;
  /** Date-time. */
  readonly last_game_time?: string | null;
  readonly members: ReadonlyArray<PvPLadderTeamMember>;
}

/** A rank of a PvP ladder. */
export const PvPLadderTeamEntry: PlainRecord<PvPLadderTeamEntry> = /*#__PURE__*/ makeRecord(
  "PvPLadderTeamEntry",
  {
    rank: "u",
    "rating?": "un",
    "points?": "un",
    "games_played?": "un",
    "cumulative_opponent_points?": "un",
    "last_game_time?": "sn",
    members: ["[", ["@", PvPLadderTeamMember]],
  },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "rank") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "members") {
      if (!isEach(member, checkPvPLadderTeamMember)) return false;
      required++;
    } else if (
      key === "rating" ||
      key === "points" ||
      key === "games_played" ||
      key === "cumulative_opponent_points"
    ) {
      if (!isUint(member)) return false;
    } else if (key === "last_game_time") {
      if (!(typeof member === "string")) return false;
    }
  }
  return required === 2;
}
