/** A rank of a PvP ladder (§2, PvPLadderTeamEntry). */
import { DateTimeString } from "./DateTime.ts";
import * as Plain from "../plain/generated/PvPLadderTeamEntry.ts";
import * as wire from "../internal/wire.ts";
import { PvPLadderTeamMember } from "./PvPLadderTeamMember.ts";

const fields = {
  rank: wire.uint,
  rating: /*#__PURE__*/ wire.nullish(wire.uint, "only present if the match uses Glicko ratings"),
  points: /*#__PURE__*/ wire.nullish(wire.uint),
  games_played: /*#__PURE__*/ wire.nullish(wire.uint),
  cumulative_opponent_points: /*#__PURE__*/ wire.nullish(wire.uint),
  last_game_time: /*#__PURE__*/ wire.nullish(DateTimeString, "date-time"),
  members: /*#__PURE__*/ wire.array(PvPLadderTeamMember),
};

/** A rank of a PvP ladder. */
export type PvPLadderTeamEntry = Plain.PvPLadderTeamEntry;
export const PvPLadderTeamEntry: wire.RecordSchema<PvPLadderTeamEntry, typeof fields> =
  /*#__PURE__*/ wire.record(Plain.PvPLadderTeamEntry, "A rank of a PvP ladder", fields);
