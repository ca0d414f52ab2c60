import { type Members, type PlainRecord, record } from "../record.ts";
import { PvPLadderTeamMember } from "./PvPLadderTeamMember.ts";

const pvpLadderTeamEntry = {
  rank: "uint",
  /** Only present if the match uses Glicko ratings. */
  rating: "?uint",
  points: "?uint",
  games_played: "?uint",
  cumulative_opponent_points: "?uint",
  last_game_time: "?date-time",
  members: [PvPLadderTeamMember],
} as const;
/** A rank of a PvP ladder, with the members of the team. */
export interface PvPLadderTeamEntry extends Members<typeof pvpLadderTeamEntry> {}
export const PvPLadderTeamEntry: PlainRecord<PvPLadderTeamEntry> = record(
  "PvPLadderTeamEntry",
  pvpLadderTeamEntry,
);
