/**
 * The bodies that wrap the records in answers of the data API.
 *
 * Member names are the specification's, members beyond them are kept, as in the records. A `null`
 * record means that there is no such league, match, character or stash (§7); of ladders that is a
 * choice, because §7 says so of leagues and matches, and §4.2 is silent.
 */
import type * as Schemas from "@game-data/schemas";
import * as Schema from "effect/Schema";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
import { ErrorDetail } from "./Errors.ts";
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
} from "./internal/Records.ts";

/** A structure that keeps members beyond the named ones. */
const open = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [
    Schema.Record(Schema.String, Schema.Any),
  ]) as unknown as Schema.Codec<Schema.Struct.Type<Fields>>;

const body = <Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields) =>
  open(fields).annotate({ identifier });

/** Of `GET /item-filter`. */
export interface FilterList {
  readonly filters: ReadonlyArray<Schemas.ItemFilter>;
}
/** Of `GET /item-filter`. */
export const FilterList: Schema.Codec<FilterList> = /*#__PURE__*/ body("FilterList", {
  filters: Schema.Array(ItemFilter),
});

/** Of `GET /item-filter/<id>` and `POST /item-filter`. */
export interface FilterResult {
  readonly filter: Schemas.ItemFilter;
}
/** Of `GET /item-filter/<id>` and `POST /item-filter`. */
export const FilterResult: Schema.Codec<FilterResult> = /*#__PURE__*/ body("FilterResult", {
  filter: ItemFilter,
});

/** Of `POST /item-filter/<id>` with status 200. */
export interface FilterUpdated {
  readonly filter: Schemas.ItemFilter;
  readonly error?: ErrorDetail | null;
}
/** Of `POST /item-filter/<id>` with status 200. */
export const FilterUpdated: Schema.Codec<FilterUpdated> = /*#__PURE__*/ body("FilterUpdated", {
  filter: ItemFilter,
  error: Schema.optionalKey(Schema.NullOr(ErrorDetail)),
});

/** Of `POST /item-filter/<id>` with status 202: more processing is needed, and `error` says why. */
export interface FilterAccepted {
  readonly filter: Schemas.ItemFilter;
  readonly error: ErrorDetail;
}
/** Of `POST /item-filter/<id>` with status 202: more processing is needed, and `error` says why. */
export const FilterAccepted: Schema.Codec<FilterAccepted> = /*#__PURE__*/ body("FilterAccepted", {
  filter: ItemFilter,
  error: ErrorDetail,
}).pipe(HttpApiSchema.status(202));

/** Of `GET /league` and `GET /account/leagues`. */
export interface LeagueList {
  readonly leagues: ReadonlyArray<Schemas.League>;
}
/** Of `GET /league` and `GET /account/leagues`. */
export const LeagueList: Schema.Codec<LeagueList> = /*#__PURE__*/ body("LeagueList", {
  leagues: Schema.Array(League),
});

/** Of `GET /league/<league>`. */
export interface LeagueResult {
  readonly league: Schemas.League | null;
}
/** Of `GET /league/<league>`. */
export const LeagueResult: Schema.Codec<LeagueResult> = /*#__PURE__*/ body("LeagueResult", {
  league: Schema.NullOr(League),
});

/** Of `GET /league/<league>/ladder`. */
export interface Ladder {
  readonly league: {
    readonly total: number;
    readonly cached_since?: string | null;
    readonly entries: ReadonlyArray<Schemas.LadderEntry>;
  } | null;
}
/** Of `GET /league/<league>/ladder`. */
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
export interface EventLadder {
  readonly league: {
    readonly total: number;
    readonly entries: ReadonlyArray<Schemas.EventLadderEntry>;
  } | null;
}
/** Of `GET /league/<league>/event-ladder`. */
export const EventLadder: Schema.Codec<EventLadder> = /*#__PURE__*/ body("EventLadder", {
  league: Schema.NullOr(open({ total: Schema.Natural, entries: Schema.Array(EventLadderEntry) })),
});

/** Of `GET /pvp-match`. */
export interface MatchList {
  readonly matches: ReadonlyArray<Schemas.PvPMatch>;
}
/** Of `GET /pvp-match`. */
export const MatchList: Schema.Codec<MatchList> = /*#__PURE__*/ body("MatchList", {
  matches: Schema.Array(PvPMatch),
});

/** Of `GET /pvp-match/<match>`. */
export interface MatchResult {
  readonly match: Schemas.PvPMatch | null;
}
/** Of `GET /pvp-match/<match>`. */
export const MatchResult: Schema.Codec<MatchResult> = /*#__PURE__*/ body("MatchResult", {
  match: Schema.NullOr(PvPMatch),
});

/** Of `GET /pvp-match/<match>/ladder`. */
export interface MatchLadder {
  readonly match: {
    readonly total: number;
    readonly entries: ReadonlyArray<Schemas.PvPLadderTeamEntry>;
  } | null;
}
/** Of `GET /pvp-match/<match>/ladder`. */
export const MatchLadder: Schema.Codec<MatchLadder> = /*#__PURE__*/ body("MatchLadder", {
  match: Schema.NullOr(open({ total: Schema.Natural, entries: Schema.Array(PvPLadderTeamEntry) })),
});

/** Of `GET /character`. */
export interface CharacterList {
  readonly characters: ReadonlyArray<Schemas.Character>;
}
/** Of `GET /character`. */
export const CharacterList: Schema.Codec<CharacterList> = /*#__PURE__*/ body("CharacterList", {
  characters: Schema.Array(Character),
});

/** Of `GET /character/<name>`. */
export interface CharacterResult {
  readonly character: Schemas.Character | null;
}
/** Of `GET /character/<name>`. */
export const CharacterResult: Schema.Codec<CharacterResult> = /*#__PURE__*/ body(
  "CharacterResult",
  { character: Schema.NullOr(Character) },
);

/** Of `GET /stash/<league>` and `GET /guild/stash/<league>`. */
export interface StashList {
  readonly stashes: ReadonlyArray<Schemas.StashTab>;
}
/** Of `GET /stash/<league>` and `GET /guild/stash/<league>`. */
export const StashList: Schema.Codec<StashList> = /*#__PURE__*/ body("StashList", {
  stashes: Schema.Array(StashTab),
});

/** Of `GET /stash/<league>/<stash_id>` and `GET /guild/stash/<league>/<stash_id>`. */
export interface StashResult {
  readonly stash: Schemas.StashTab | null;
}
/** Of `GET /stash/<league>/<stash_id>` and `GET /guild/stash/<league>/<stash_id>`. */
export const StashResult: Schema.Codec<StashResult> = /*#__PURE__*/ body("StashResult", {
  stash: Schema.NullOr(StashTab),
});

/** Of `GET /league-account/<league>`. */
export interface LeagueAccountResult {
  readonly league_account: Schemas.LeagueAccount;
}
/** Of `GET /league-account/<league>`. */
export const LeagueAccountResult: Schema.Codec<LeagueAccountResult> = /*#__PURE__*/ body(
  "LeagueAccountResult",
  { league_account: LeagueAccount },
);
