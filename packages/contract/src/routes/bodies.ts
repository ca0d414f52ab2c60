/**
 * The JSON bodies of requests and responses (§4.2), as records, by their names in the table of
 * operations. This module exports nothing else.
 *
 * Bodies of requests follow the specification to the letter, because they rule what clients send; a
 * server refuses the same values with status 400. Bodies of responses keep members that the
 * specification does not name, as all records do. A `null` in place of a record means that there is
 * no such league, match, character or stash (§7). The specification states this for leagues and
 * matches. For their ladders it is a choice.
 */
import { Character } from "@game-data/schemas/Character";
import { CurrencyExchangePage } from "@game-data/schemas/CurrencyExchangePage";
import { ErrorObject } from "@game-data/schemas/ErrorObject";
import { EventLadderEntry } from "@game-data/schemas/EventLadderEntry";
import { ItemFilter } from "@game-data/schemas/ItemFilter";
import { LadderEntry } from "@game-data/schemas/LadderEntry";
import { League } from "@game-data/schemas/League";
import { LeagueAccount } from "@game-data/schemas/LeagueAccount";
import {
  absentable,
  literal,
  type Members,
  nullable,
  optional,
  type PlainRecord,
  record,
} from "@game-data/schemas/notation";
import { Profile } from "@game-data/schemas/Profile";
import { PublicStashPage } from "@game-data/schemas/PublicStashPage";
import { PvPLadderTeamEntry } from "@game-data/schemas/PvPLadderTeamEntry";
import { PvPMatch } from "@game-data/schemas/PvPMatch";
import { realm } from "@game-data/schemas/Realm";
import { StashTab } from "@game-data/schemas/StashTab";

export { CurrencyExchangePage, Profile, PublicStashPage };

const filterType = optional(literal("Normal", "Ruthless"));

const filterCreate = {
  filter_name: "string",
  realm,
  description: "?string",
  version: "?string",
  type: filterType,
  /** Default: false. */
  public: "?bool",
  filter: "string",
} as const;
/** The body of `POST /item-filter`. */
export interface FilterCreate extends Members<typeof filterCreate> {}
export const FilterCreate: PlainRecord<FilterCreate> = record("FilterCreate", filterCreate);

const filterUpdate = {
  filter_name: absentable("string"),
  realm: absentable(realm),
  description: "?string",
  version: "?string",
  type: filterType,
  public: absentable(literal(true)),
  filter: absentable("string"),
} as const;
/**
 * The body of `POST /item-filter/<id>`. An absent member keeps its value. A filter can be made
 * public, and never private again (§3).
 */
export interface FilterUpdate extends Members<typeof filterUpdate> {}
export const FilterUpdate: PlainRecord<FilterUpdate> = record("FilterUpdate", filterUpdate);

const filterList = { filters: [ItemFilter] } as const;
/** The response of `GET /item-filter`. */
export interface FilterList extends Members<typeof filterList> {}
export const FilterList: PlainRecord<FilterList> = record("FilterList", filterList);

const filterResult = { filter: ItemFilter } as const;
/** The response of `GET /item-filter/<id>` and `POST /item-filter`. */
export interface FilterResult extends Members<typeof filterResult> {}
export const FilterResult: PlainRecord<FilterResult> = record("FilterResult", filterResult);

const filterUpdated = { filter: ItemFilter, error: optional(ErrorObject) } as const;
/** The response of `POST /item-filter/<id>` with status 200. */
export interface FilterUpdated extends Members<typeof filterUpdated> {}
export const FilterUpdated: PlainRecord<FilterUpdated> = record("FilterUpdated", filterUpdated);

const filterAccepted = { filter: ItemFilter, error: ErrorObject } as const;
/** The response of `POST /item-filter/<id>` with status 202. `error` describes what is pending. */
export interface FilterAccepted extends Members<typeof filterAccepted> {}
export const FilterAccepted: PlainRecord<FilterAccepted> = record("FilterAccepted", filterAccepted);

const leagueList = { leagues: [League] } as const;
/** The response of `GET /league` and `GET /account/leagues`. */
export interface LeagueList extends Members<typeof leagueList> {}
export const LeagueList: PlainRecord<LeagueList> = record("LeagueList", leagueList);

const leagueResult = { league: nullable(League) } as const;
/** The response of `GET /league/<league>`. */
export interface LeagueResult extends Members<typeof leagueResult> {}
export const LeagueResult: PlainRecord<LeagueResult> = record("LeagueResult", leagueResult);

const ladder = {
  league: nullable({ total: "uint", cached_since: "?string", entries: [LadderEntry] }),
} as const;
/** The response of `GET /league/<league>/ladder`. */
export interface Ladder extends Members<typeof ladder> {}
export const Ladder: PlainRecord<Ladder> = record("Ladder", ladder);

const eventLadder = { league: nullable({ total: "uint", entries: [EventLadderEntry] }) } as const;
/** The response of `GET /league/<league>/event-ladder`. */
export interface EventLadder extends Members<typeof eventLadder> {}
export const EventLadder: PlainRecord<EventLadder> = record("EventLadder", eventLadder);

const matchList = { matches: [PvPMatch] } as const;
/** The response of `GET /pvp-match`. */
export interface MatchList extends Members<typeof matchList> {}
export const MatchList: PlainRecord<MatchList> = record("MatchList", matchList);

const matchResult = { match: nullable(PvPMatch) } as const;
/** The response of `GET /pvp-match/<match>`. */
export interface MatchResult extends Members<typeof matchResult> {}
export const MatchResult: PlainRecord<MatchResult> = record("MatchResult", matchResult);

const matchLadder = { match: nullable({ total: "uint", entries: [PvPLadderTeamEntry] }) } as const;
/** The response of `GET /pvp-match/<match>/ladder`. */
export interface MatchLadder extends Members<typeof matchLadder> {}
export const MatchLadder: PlainRecord<MatchLadder> = record("MatchLadder", matchLadder);

const characterList = { characters: [Character] } as const;
/** The response of `GET /character`. */
export interface CharacterList extends Members<typeof characterList> {}
export const CharacterList: PlainRecord<CharacterList> = record("CharacterList", characterList);

const characterResult = { character: nullable(Character) } as const;
/** The response of `GET /character/<name>`. */
export interface CharacterResult extends Members<typeof characterResult> {}
export const CharacterResult: PlainRecord<CharacterResult> = record(
  "CharacterResult",
  characterResult,
);

const stashList = { stashes: [StashTab] } as const;
/** The response of `GET /stash/<league>` and `GET /guild/stash/<league>`. */
export interface StashList extends Members<typeof stashList> {}
export const StashList: PlainRecord<StashList> = record("StashList", stashList);

const stashResult = { stash: nullable(StashTab) } as const;
/** The response of `GET /stash/<league>/<stash_id>` and `GET /guild/stash/<league>/<stash_id>`. */
export interface StashResult extends Members<typeof stashResult> {}
export const StashResult: PlainRecord<StashResult> = record("StashResult", stashResult);

const leagueAccountResult = { league_account: LeagueAccount } as const;
/** The response of `GET /league-account/<league>`. */
export interface LeagueAccountResult extends Members<typeof leagueAccountResult> {}
export const LeagueAccountResult: PlainRecord<LeagueAccountResult> = record(
  "LeagueAccountResult",
  leagueAccountResult,
);

const errorBody = { error: ErrorObject } as const;
/** The body of every error of the data API, with the numeric code in `error.code`. */
export interface ErrorBody extends Members<typeof errorBody> {}
export const ErrorBody: PlainRecord<ErrorBody> = record("ErrorBody", errorBody);
