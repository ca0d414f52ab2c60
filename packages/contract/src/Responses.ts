/**
 * The bodies that wrap the records in answers of the data API.
 *
 * Member names are the specification's. A `null` record means that there is no such league, match, character or stash (§7).
 */
import { Schema } from "effect";
import { HttpApiSchema } from "effect/http-api";
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

const named = <Fields extends Schema.Struct.Fields>(identifier: string, fields: Fields) =>
  Schema.Struct(fields).annotate({ identifier });

/** Of `GET /item-filter`. */
export const FilterList = /*#__PURE__*/ named("FilterList", { filters: Schema.Array(ItemFilter) });

/** Of `GET /item-filter/<id>` and `POST /item-filter`. */
export const FilterResult = /*#__PURE__*/ named("FilterResult", { filter: ItemFilter });

/** Of `POST /item-filter/<id>` with status 200. */
export const FilterUpdated = /*#__PURE__*/ named("FilterUpdated", {
  filter: ItemFilter,
  error: Schema.optionalKey(Schema.NullOr(ErrorDetail)),
});

/** Of `POST /item-filter/<id>` with status 202: more processing is needed, and `error` says why. */
export const FilterAccepted = /*#__PURE__*/ named("FilterAccepted", {
  filter: ItemFilter,
  error: ErrorDetail,
}).pipe(HttpApiSchema.status(202));

/** Of `GET /league` and `GET /account/leagues`. */
export const LeagueList = /*#__PURE__*/ named("LeagueList", { leagues: Schema.Array(League) });

/** Of `GET /league/<league>`. */
export const LeagueResult = /*#__PURE__*/ named("LeagueResult", { league: Schema.NullOr(League) });

/** Of `GET /league/<league>/ladder`. */
export const Ladder = /*#__PURE__*/ named("Ladder", {
  league: Schema.Struct({
    total: Schema.Natural,
    cached_since: Schema.optionalKey(Schema.NullOr(Schema.String)),
    entries: Schema.Array(LadderEntry),
  }),
});

/** Of `GET /league/<league>/event-ladder`. */
export const EventLadder = /*#__PURE__*/ named("EventLadder", {
  league: Schema.Struct({ total: Schema.Natural, entries: Schema.Array(EventLadderEntry) }),
});

/** Of `GET /pvp-match`. */
export const MatchList = /*#__PURE__*/ named("MatchList", { matches: Schema.Array(PvPMatch) });

/** Of `GET /pvp-match/<match>`. */
export const MatchResult = /*#__PURE__*/ named("MatchResult", { match: Schema.NullOr(PvPMatch) });

/** Of `GET /pvp-match/<match>/ladder`. */
export const MatchLadder = /*#__PURE__*/ named("MatchLadder", {
  match: Schema.Struct({ total: Schema.Natural, entries: Schema.Array(PvPLadderTeamEntry) }),
});

/** Of `GET /character`. */
export const CharacterList = /*#__PURE__*/ named("CharacterList", {
  characters: Schema.Array(Character),
});

/** Of `GET /character/<name>`. */
export const CharacterResult = /*#__PURE__*/ named("CharacterResult", {
  character: Schema.NullOr(Character),
});

/** Of `GET /stash/<league>` and `GET /guild/stash/<league>`. */
export const StashList = /*#__PURE__*/ named("StashList", { stashes: Schema.Array(StashTab) });

/** Of `GET /stash/<league>/<stash_id>` and `GET /guild/stash/<league>/<stash_id>`. */
export const StashResult = /*#__PURE__*/ named("StashResult", { stash: Schema.NullOr(StashTab) });

/** Of `GET /league-account/<league>`. */
export const LeagueAccountResult = /*#__PURE__*/ named("LeagueAccountResult", {
  league_account: LeagueAccount,
});
