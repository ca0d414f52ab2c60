import { type Members, type PlainRecord, record } from "../record.ts";

const leagueRule = {
  /** E.g. `Hardcore`, `NoParties`. */
  id: "string",
  name: "string",
  description: "?string",
} as const;
/** A rule of a league, such as `Hardcore` or `NoParties`. */
export interface LeagueRule extends Members<typeof leagueRule> {}
export const LeagueRule: PlainRecord<LeagueRule> = record("LeagueRule", leagueRule);
