/**
 * The records of `@game-data/schemas/effect` as plain codecs.
 *
 * The very same schemas, so whatever is registered for them (compiled checks) holds here too. Only
 * the type is narrowed: the types of the API would otherwise drag every member of every record
 * through each declaration file.
 */
import * as Schemas from "@game-data/schemas/effect";
import type * as Schema from "effect/Schema";

export const Character: Schema.Codec<Schemas.Character> = Schemas.Character;
export const CurrencyExchangePage: Schema.Codec<Schemas.CurrencyExchangePage> =
  Schemas.CurrencyExchangePage;
export const ErrorObject: Schema.Codec<Schemas.ErrorObject> = Schemas.ErrorObject;
export const EventLadderEntry: Schema.Codec<Schemas.EventLadderEntry> = Schemas.EventLadderEntry;
export const ItemFilter: Schema.Codec<Schemas.ItemFilter> = Schemas.ItemFilter;
export const LadderEntry: Schema.Codec<Schemas.LadderEntry> = Schemas.LadderEntry;
export const League: Schema.Codec<Schemas.League> = Schemas.League;
export const LeagueAccount: Schema.Codec<Schemas.LeagueAccount> = Schemas.LeagueAccount;
export const Profile: Schema.Codec<Schemas.Profile> = Schemas.Profile;
export const PublicStashPage: Schema.Codec<Schemas.PublicStashPage> = Schemas.PublicStashPage;
export const PvPLadderTeamEntry: Schema.Codec<Schemas.PvPLadderTeamEntry> =
  Schemas.PvPLadderTeamEntry;
export const PvPMatch: Schema.Codec<Schemas.PvPMatch> = Schemas.PvPMatch;
export const StashTab: Schema.Codec<Schemas.StashTab> = Schemas.StashTab;
