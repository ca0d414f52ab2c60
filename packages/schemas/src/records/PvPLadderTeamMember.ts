import { type Members, type PlainRecord, record } from "../record.ts";
import { Account } from "./Account.ts";

const pvpLadderTeamMember = {
  account: Account,
  character: {
    /** Unique 64-digit hexadecimal string. */
    id: "hex-64",
    name: "string",
    level: "uint",
    class: "string",
    league: "?string",
    /** Count of objective completions. */
    score: "?uint",
  },
  public: "?true",
} as const;
/** A character in a team of a PvP ladder, and its account. */
export interface PvPLadderTeamMember extends Members<typeof pvpLadderTeamMember> {}
export const PvPLadderTeamMember: PlainRecord<PvPLadderTeamMember> = record(
  "PvPLadderTeamMember",
  pvpLadderTeamMember,
);
