/**
 * The bodies that wrap the records in answers of the data API.
 *
 * Member names are the specification's, members beyond them are kept, as in the records. A `null`
 * record means that there is no such league, match, character or stash (§7); of ladders that is a
 * choice, because §7 says so of leagues and matches, and §4.2 is silent.
 */
import type * as Bodies from "../routes/generated/bodies.ts";
import * as Schema from "effect/Schema";
import { ErrorDetail } from "./ErrorBody.ts";
import {
  Character,
  EventLadderEntry,
  ItemFilter,
  LadderEntry,
  League,
  LeagueAccount,
  PvPLadderTeamEntry,
  PvPMatch,
  StashTab,
} from "@game-data/schemas/effect";

/** A structure that keeps members beyond the named ones. */
const open = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [
    Schema.Record(Schema.String, Schema.Any),
  ]) as unknown as Schema.Codec<Schema.Struct.Type<Fields>>;

const body = <Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields) =>
  open(fields).annotate({ identifier });

/** Of `GET /item-filter`. */
export type FilterList = Bodies.FilterList;
export const FilterList: Schema.Codec<FilterList> = /*#__PURE__*/ body("FilterList", {
  filters: Schema.Array(ItemFilter),
});

/** Of `GET /item-filter/<id>` and `POST /item-filter`. */
export type FilterResult = Bodies.FilterResult;
export const FilterResult: Schema.Codec<FilterResult> = /*#__PURE__*/ body("FilterResult", {
  filter: ItemFilter,
});

/** Of `POST /item-filter/<id>` with status 200. */
export type FilterUpdated = Bodies.FilterUpdated;
export const FilterUpdated: Schema.Codec<FilterUpdated> = /*#__PURE__*/ body("FilterUpdated", {
  filter: ItemFilter,
  error: Schema.optionalKey(Schema.NullOr(ErrorDetail)),
});

/** Of `POST /item-filter/<id>` with status 202: more processing is needed, and `error` says why. */
export type FilterAccepted = Bodies.FilterAccepted;
export const FilterAccepted: Schema.Codec<FilterAccepted> = /*#__PURE__*/ body("FilterAccepted", {
  filter: ItemFilter,
  error: ErrorDetail,
});

/** Of `GET /league` and `GET /account/leagues`. */
export type LeagueList = Bodies.LeagueList;
export const LeagueList: Schema.Codec<LeagueList> = /*#__PURE__*/ body("LeagueList", {
  leagues: Schema.Array(League),
});

/** Of `GET /league/<league>`. */
export type LeagueResult = Bodies.LeagueResult;
export const LeagueResult: Schema.Codec<LeagueResult> = /*#__PURE__*/ body("LeagueResult", {
  league: Schema.NullOr(League),
});

/** Of `GET /league/<league>/ladder`. */
export type Ladder = Bodies.Ladder;
export const Ladder: Schema.Codec<Ladder> = /*#__PURE__*/ body("Ladder", {
  league: Schema.NullOr(
    open({
      total: Schema.Natural,
      cached_since: Schema.optionalKey(Schema.NullOr(Schema.String)),
      entries: Schema.Array(LadderEntry),
    }),
  ),
});

/** Of `GET /league/<league>/event-ladder`. */
export type EventLadder = Bodies.EventLadder;
export const EventLadder: Schema.Codec<EventLadder> = /*#__PURE__*/ body("EventLadder", {
  league: Schema.NullOr(open({ total: Schema.Natural, entries: Schema.Array(EventLadderEntry) })),
});

/** Of `GET /pvp-match`. */
export type MatchList = Bodies.MatchList;
export const MatchList: Schema.Codec<MatchList> = /*#__PURE__*/ body("MatchList", {
  matches: Schema.Array(PvPMatch),
});

/** Of `GET /pvp-match/<match>`. */
export type MatchResult = Bodies.MatchResult;
export const MatchResult: Schema.Codec<MatchResult> = /*#__PURE__*/ body("MatchResult", {
  match: Schema.NullOr(PvPMatch),
});

/** Of `GET /pvp-match/<match>/ladder`. */
export type MatchLadder = Bodies.MatchLadder;
export const MatchLadder: Schema.Codec<MatchLadder> = /*#__PURE__*/ body("MatchLadder", {
  match: Schema.NullOr(open({ total: Schema.Natural, entries: Schema.Array(PvPLadderTeamEntry) })),
});

/** Of `GET /character`. */
export type CharacterList = Bodies.CharacterList;
export const CharacterList: Schema.Codec<CharacterList> = /*#__PURE__*/ body("CharacterList", {
  characters: Schema.Array(Character),
});

/** Of `GET /character/<name>`. */
export type CharacterResult = Bodies.CharacterResult;
export const CharacterResult: Schema.Codec<CharacterResult> = /*#__PURE__*/ body(
  "CharacterResult",
  { character: Schema.NullOr(Character) },
);

/** Of `GET /stash/<league>` and `GET /guild/stash/<league>`. */
export type StashList = Bodies.StashList;
export const StashList: Schema.Codec<StashList> = /*#__PURE__*/ body("StashList", {
  stashes: Schema.Array(StashTab),
});

/** Of `GET /stash/<league>/<stash_id>` and `GET /guild/stash/<league>/<stash_id>`. */
export type StashResult = Bodies.StashResult;
export const StashResult: Schema.Codec<StashResult> = /*#__PURE__*/ body("StashResult", {
  stash: Schema.NullOr(StashTab),
});

/** Of `GET /league-account/<league>`. */
export type LeagueAccountResult = Bodies.LeagueAccountResult;
export const LeagueAccountResult: Schema.Codec<LeagueAccountResult> = /*#__PURE__*/ body(
  "LeagueAccountResult",
  { league_account: LeagueAccount },
);
