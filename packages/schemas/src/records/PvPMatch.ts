import { type Members, optional, type PlainRecord, record, words } from "../record.ts";
import { realmWord } from "./Realm.ts";

const pvpMatch = {
  /** Name of the match. */
  id: "string",
  realm: optional(realmWord),
  startAt: "?date-time",
  endAt: "?date-time",
  /** Link to a forum thread. */
  url: "?string",
  description: "string",
  glickoRatings: "bool",
  pvp: "true",
  style: words("Blitz Swiss Arena"),
  registerAt: "?date-time",
  complete: "?true",
  upcoming: "?true",
  inProgress: "?true",
} as const;
/** A PvP match, which has a ladder of teams. */
export interface PvPMatch extends Members<typeof pvpMatch> {}
export const PvPMatch: PlainRecord<PvPMatch> = record("PvPMatch", pvpMatch);
