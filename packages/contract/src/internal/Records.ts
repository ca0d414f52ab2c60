/** Placeholders until the record modules land. */
import { Schema } from "effect";

const record = (identifier: string) =>
  Schema.Record(Schema.String, Schema.Unknown).annotate({ identifier });
export const Realm = Schema.Literals(["pc", "console_a", "console_b", "game2"]);
export type Realm = typeof Realm.Type;
export const Profile = record("Profile");
export const ItemFilter = record("ItemFilter");
export const League = record("League");
export const LadderEntry = record("LadderEntry");
export const EventLadderEntry = record("EventLadderEntry");
export const PvPMatch = record("PvPMatch");
export const PvPLadderTeamEntry = record("PvPLadderTeamEntry");
export const Character = record("Character");
export const StashTab = record("StashTab");
export const LeagueAccount = record("LeagueAccount");
export const PublicStashPage = record("PublicStashPage");
export const CurrencyExchangePage = record("CurrencyExchangePage");
