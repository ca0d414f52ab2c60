import { type Members, omitted, optional, type PlainRecord, record } from "../record.ts";
import { LeagueRule } from "./LeagueRule.ts";
import { realmWord } from "./Realm.ts";

const league = {
  id: "string",
  realm: optional(realmWord),
  name: "?string",
  description: "?string",
  category: optional({
    /** Identifier of the league's category. */
    id: omitted("string"),
    /** Set for active challenge leagues. */
    current: "?true",
  }),
  rules: optional([LeagueRule]),
  registerAt: "?date-time",
  event: "?true",
  goal: "?string",
  /** Link to a forum thread. */
  url: "?string",
  startAt: "?date-time",
  /** Null for a permanent league. */
  endAt: "?date-time",
  timedEvent: "?true",
  scoreEvent: "?true",
  delveEvent: "?true",
  ancestorEvent: "?true",
  leagueEvent: "?true",
} as const;
/** A league. All members except `id` are optional. */
export interface League extends Members<typeof league> {}
export const League: PlainRecord<League> = record("League", league);
