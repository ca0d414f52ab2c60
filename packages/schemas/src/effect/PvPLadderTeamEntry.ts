/** A rank of a PvP ladder (§2, PvPLadderTeamEntry). */
import { DateTimeString } from "./DateTime.ts";
import * as Plain from "../plain/generated/PvPLadderTeamEntry.ts";
import { array, nullish, record, uint, type RecordSchema } from "../internal/wire.ts";
import { PvPLadderTeamMember } from "./PvPLadderTeamMember.ts";

const fields = {
  rank: uint,
  rating: /*#__PURE__*/ nullish(uint, "only present if the match uses Glicko ratings"),
  points: /*#__PURE__*/ nullish(uint),
  games_played: /*#__PURE__*/ nullish(uint),
  cumulative_opponent_points: /*#__PURE__*/ nullish(uint),
  last_game_time: /*#__PURE__*/ nullish(DateTimeString, "date-time"),
  members: /*#__PURE__*/ array(PvPLadderTeamMember),
};

/** A rank of a PvP ladder. */
export type PvPLadderTeamEntry = Plain.PvPLadderTeamEntry;
/** A rank of a PvP ladder. */
export const PvPLadderTeamEntry: RecordSchema<PvPLadderTeamEntry, typeof fields> =
  /*#__PURE__*/ record<PvPLadderTeamEntry>()(
    Plain.PvPLadderTeamEntry,
    "A rank of a PvP ladder",
    fields,
  );
