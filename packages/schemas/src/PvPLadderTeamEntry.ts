/** A rank of a PvP ladder (§2, PvPLadderTeamEntry). */
import type * as Schema from "effect/Schema";
import { DateTimeString } from "./DateTime.ts";
import { check } from "./internal/generated/PvPLadderTeamEntry.ts";
import { array, maybe, record, uint, type RecordSchema } from "./internal/wire.ts";
import { PvPLadderTeamMember } from "./PvPLadderTeamMember.ts";

const fields = {
  rank: uint,
  rating: /*#__PURE__*/ maybe(uint, "only present if the match uses Glicko ratings"),
  points: /*#__PURE__*/ maybe(uint),
  games_played: /*#__PURE__*/ maybe(uint),
  cumulative_opponent_points: /*#__PURE__*/ maybe(uint),
  last_game_time: /*#__PURE__*/ maybe(DateTimeString, "date-time"),
  members: /*#__PURE__*/ array(PvPLadderTeamMember),
};

/** A rank of a PvP ladder. */
export interface PvPLadderTeamEntry extends Schema.Struct.Type<typeof fields> {}
/** A rank of a PvP ladder. */
export const PvPLadderTeamEntry: RecordSchema<PvPLadderTeamEntry, typeof fields> =
  /*#__PURE__*/ record<PvPLadderTeamEntry>()(
    "PvPLadderTeamEntry",
    "A rank of a PvP ladder",
    fields,
    check,
  );
