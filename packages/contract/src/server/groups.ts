/**
 * The groups of the data API (§4.2), in the order of the specification.
 *
 * Endpoints are made with `disableCodecs`: what goes into a URL gets its codec here, and bodies are
 * checked by the compiled checks of their records.
 */
import * as Schema from "effect/Schema";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
import * as OpenApi from "effect/http-api/OpenApi";
import { CurrencyExchangePage, Profile, PublicStashPage } from "../effect/recordCodecs.ts";
import {
  EventLadderQuery,
  FilterCreate,
  FilterQuery,
  FilterUpdate,
  LadderQuery,
  LeagueQuery,
  LeaguesQuery,
  MatchesQuery,
  MatchLadderQuery,
  MatchQuery,
  Name,
  PublicStashTabsQuery,
  StashId,
} from "../effect/Requests.ts";
import {
  CharacterList,
  CharacterResult,
  EventLadder,
  FilterAccepted,
  FilterList,
  FilterResult,
  FilterUpdated,
  Ladder,
  LeagueAccountResult,
  LeagueList,
  LeagueResult,
  MatchLadder,
  MatchList,
  MatchResult,
  StashList,
  StashResult,
} from "../effect/Responses.ts";
import { consoleRealms, pathRealms } from "../Queries.ts";
import { bodyErrors, commonErrors } from "./Errors.ts";
import { ambiguousRealmVariants, realmVariants } from "./realmVariants.ts";
import { BearerAuth, RequestDecodingErrors, RequiredScopes } from "./Security.ts";
import { stringMembers, strings } from "./stringCodecs.ts";

/**
 * The account behind the access token (§4.2, Profile).
 *
 * `GET /profile`
 */
export class ProfileGroup
  extends /*#__PURE__*/ HttpApiGroup.make("profile")
    .add(
      HttpApiEndpoint.get("get", "/profile", {
        disableCodecs: true,
        success: Profile,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["account:profile"])
        .annotate(OpenApi.Summary, "The profile of the account"),
    )
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}

/**
 * Item filters of the account (§4.2, Item filters).
 *
 * The schema of status 202 stands before that of 200: a server encodes by the first schema that
 * fits, and every 202 body fits the schema of 200 as well.
 *
 * `/item-filter`
 */
export class ItemFiltersGroup
  extends /*#__PURE__*/ HttpApiGroup.make("itemFilters")
    .add(
      HttpApiEndpoint.get("list", "/item-filter", {
        disableCodecs: true,
        success: FilterList,
        error: commonErrors,
      }).annotate(OpenApi.Summary, "The online filters on the account, without their text"),
      HttpApiEndpoint.get("get", "/item-filter/:id", {
        disableCodecs: true,
        params: stringMembers({ id: Name }),
        success: FilterResult,
        error: commonErrors,
      }).annotate(OpenApi.Summary, "One filter with its text"),
      HttpApiEndpoint.post("create", "/item-filter", {
        disableCodecs: true,
        query: strings(FilterQuery),
        payload: FilterCreate,
        success: FilterResult,
        error: bodyErrors,
      }).annotate(OpenApi.Summary, "Create a filter"),
      HttpApiEndpoint.post("update", "/item-filter/:id", {
        disableCodecs: true,
        params: stringMembers({ id: Name }),
        query: strings(FilterQuery),
        payload: FilterUpdate,
        success: [FilterAccepted.pipe(HttpApiSchema.status(202)), FilterUpdated],
        error: bodyErrors,
      }).annotate(OpenApi.Summary, "Change some properties of a filter"),
    )
    .annotateEndpoints(RequiredScopes, ["account:item_filter"])
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}

const leagueParams = stringMembers({ league: Name });

/**
 * Leagues and their ladders (§4.2, Leagues).
 *
 * `/league`
 */
export class LeaguesGroup
  extends /*#__PURE__*/ HttpApiGroup.make("leagues")
    .add(
      HttpApiEndpoint.get("list", "/league", {
        disableCodecs: true,
        query: strings(LeaguesQuery),
        success: LeagueList,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:leagues"])
        .annotate(OpenApi.Summary, "Leagues of a realm"),
      HttpApiEndpoint.get("get", "/league/:league", {
        disableCodecs: true,
        params: leagueParams,
        query: strings(LeagueQuery),
        success: LeagueResult,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:leagues"])
        .annotate(OpenApi.Summary, "One league, or null"),
      HttpApiEndpoint.get("ladder", "/league/:league/ladder", {
        disableCodecs: true,
        params: leagueParams,
        query: strings(LadderQuery),
        success: Ladder,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:leagues:ladder"])
        .annotate(OpenApi.Summary, "A page of a league's ladder (game 1 only)"),
      HttpApiEndpoint.get("eventLadder", "/league/:league/event-ladder", {
        disableCodecs: true,
        params: leagueParams,
        query: strings(EventLadderQuery),
        success: EventLadder,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:leagues:ladder"])
        .annotate(OpenApi.Summary, "A page of an event's ladder of private leagues (game 1 only)"),
    )
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}

const matchParams = stringMembers({ match: Name });

/**
 * PvP matches and their ladders (§4.2, PvP matches); game 1 only.
 *
 * `/pvp-match`
 */
export class PvPMatchesGroup
  extends /*#__PURE__*/ HttpApiGroup.make("pvpMatches")
    .add(
      HttpApiEndpoint.get("list", "/pvp-match", {
        disableCodecs: true,
        query: strings(MatchesQuery),
        success: MatchList,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:pvp_matches"])
        .annotate(OpenApi.Summary, "PvP matches of a realm"),
      HttpApiEndpoint.get("get", "/pvp-match/:match", {
        disableCodecs: true,
        params: matchParams,
        query: strings(MatchQuery),
        success: MatchResult,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:pvp_matches"])
        .annotate(OpenApi.Summary, "One PvP match, or null"),
      HttpApiEndpoint.get("ladder", "/pvp-match/:match/ladder", {
        disableCodecs: true,
        params: matchParams,
        query: strings(MatchLadderQuery),
        success: MatchLadder,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:pvp_matches:ladder"])
        .annotate(OpenApi.Summary, "A page of a PvP match's ladder of teams"),
    )
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}

/**
 * The account's current leagues, private ones included (§4.2, Account leagues); game 1 only.
 *
 * `/account/leagues[/<realm>]`
 */
export class AccountLeaguesGroup
  extends /*#__PURE__*/ HttpApiGroup.make("accountLeagues")
    .add(
      HttpApiEndpoint.get("list", "/account/leagues/:realm?", {
        disableCodecs: true,
        params: stringMembers({ realm: Schema.optionalKey(Schema.Literals(consoleRealms)) }),
        success: LeagueList,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["account:leagues"])
        .annotate(OpenApi.Summary, "The account's current leagues, private ones included"),
    )
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}

/**
 * The account's characters (§4.2, Characters).
 *
 * `/character[/<realm>]` and `/character[/<realm>]/<name>`
 */
export class CharactersGroup
  extends /*#__PURE__*/ HttpApiGroup.make("characters")
    .add(
      ...realmVariants({
        name: "list",
        before: "/character",
        after: "",
        realms: pathRealms,
        params: {},
        success: CharacterList,
        summary: "The account's characters, without equipment",
      }),
      ...ambiguousRealmVariants({
        name: "get",
        before: "/character",
        first: "name",
        after: "",
        realms: pathRealms,
        params: { name: Name },
        success: CharacterResult,
        summary: "One character with equipment, inventory and passives, or null",
      }),
    )
    .annotateEndpoints(RequiredScopes, ["account:characters"])
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}

/**
 * The account's stash tabs (§4.2, Stashes); game 1 only.
 *
 * `/stash[/<realm>]/<league>` and `/stash[/<realm>]/<league>/<stash_id>[/<substash_id>]`
 */
export class StashesGroup
  extends /*#__PURE__*/ HttpApiGroup.make("stashes")
    .add(
      ...realmVariants({
        name: "list",
        before: "/stash",
        after: "/:league",
        realms: consoleRealms,
        params: { league: Name },
        success: StashList,
        summary: "All tabs in a league, sub-tabs and tabs in folders included, without items",
      }),
      ...ambiguousRealmVariants({
        name: "get",
        before: "/stash",
        first: "league",
        after: "/:stash_id/:substash_id?",
        realms: consoleRealms,
        params: { league: Name, stash_id: StashId, substash_id: Schema.optionalKey(StashId) },
        success: StashResult,
        summary: "One tab with its items, or null; a sub-tab comes wrapped by its parent",
      }),
    )
    .annotateEndpoints(RequiredScopes, ["account:stashes"])
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}

/**
 * The account's atlas passives in a league (§4.2, League account); game 1 only.
 *
 * `/league-account[/<realm>]/<league>`
 */
export class LeagueAccountsGroup
  extends /*#__PURE__*/ HttpApiGroup.make("leagueAccounts")
    .add(
      ...realmVariants({
        name: "get",
        before: "/league-account",
        after: "/:league",
        realms: consoleRealms,
        params: { league: Name },
        success: LeagueAccountResult,
        summary: "The account's allocated atlas passives in a league",
      }),
    )
    .annotateEndpoints(RequiredScopes, ["account:league_accounts"])
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}

/**
 * The stash tabs of the account's guild (§4.2, Guild stashes); game 1 only.
 *
 * The specification names no scope for them. They are stash tabs that the account can see, so we
 * ask for `account:stashes`.
 *
 * `/guild[/<realm>]/stash/<league>` and
 * `/guild[/<realm>]/stash/<league>/<stash_id>[/<substash_id>]`
 */
export class GuildStashesGroup
  extends /*#__PURE__*/ HttpApiGroup.make("guildStashes")
    .add(
      ...realmVariants({
        name: "list",
        before: "/guild",
        after: "/stash/:league",
        realms: consoleRealms,
        params: { league: Name },
        success: StashList,
        summary: "The guild's tabs that the account can access in a league",
      }),
      ...realmVariants({
        name: "get",
        before: "/guild",
        after: "/stash/:league/:stash_id/:substash_id?",
        realms: consoleRealms,
        params: { league: Name, stash_id: StashId, substash_id: Schema.optionalKey(StashId) },
        success: StashResult,
        summary:
          "One tab of the guild with its items, or null; a sub-tab comes wrapped by its parent",
      }),
    )
    .annotateEndpoints(RequiredScopes, ["account:stashes"])
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}

/**
 * The stream of all public stashes of a realm (§4.2, Public stash stream); game 1 only.
 *
 * Pages are megabytes: a follower reads the body itself instead of going through a generated
 * client.
 *
 * `/public-stash-tabs[/<realm>]`
 */
export class PublicStashTabsGroup
  extends /*#__PURE__*/ HttpApiGroup.make("publicStashTabs")
    .add(
      HttpApiEndpoint.get("page", "/public-stash-tabs/:realm?", {
        disableCodecs: true,
        params: stringMembers({ realm: Schema.optionalKey(Schema.Literals(consoleRealms)) }),
        query: strings(PublicStashTabsQuery),
        success: PublicStashPage,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:psapi"])
        .annotate(OpenApi.Summary, "A page of the public stash stream"),
    )
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}

/**
 * The history of the currency exchange, hour by hour (§4.2, Currency exchange).
 *
 * `/currency-exchange[/<realm>][/<id>]`
 */
export class CurrencyExchangeGroup
  extends /*#__PURE__*/ HttpApiGroup.make("currencyExchange")
    .add(
      ...realmVariants({
        name: "page",
        before: "/currency-exchange",
        after: "/:id?",
        realms: pathRealms,
        params: { id: Schema.optionalKey(Schema.Natural) },
        success: CurrencyExchangePage,
        summary: "One hour of the currency exchange; without an id the first one",
      }),
    )
    .annotateEndpoints(RequiredScopes, ["service:cxapi"])
    .middleware(BearerAuth)
    .middleware(RequestDecodingErrors) {}
