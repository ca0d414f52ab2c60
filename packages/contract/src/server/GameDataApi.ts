/**
 * The whole interface as one `HttpApi`: every endpoint of §4.1 and §4.2 with its parameters,
 * results, errors and scopes.
 *
 * A server implements its groups with `HttpApiBuilder.group(GameDataApi, …)`, a client derives from
 * it with `HttpApiClient.make`, the OpenAPI document comes from `OpenApi.fromApi`. The OAuth server
 * and the data API have separate addresses (§1): take `OAuthApi` and `DataApi` where they are not
 * at the same one.
 *
 * Servers must give the router `routerConfig`: its defaults would lower-case paths, join slashes
 * and refuse long names.
 */
import * as HttpApi from "effect/http-api/HttpApi";
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as OpenApi from "effect/http-api/OpenApi";
import {
  AccountLeaguesGroup,
  CharactersGroup,
  CurrencyExchangeGroup,
  GuildStashesGroup,
  ItemFiltersGroup,
  LeagueAccountsGroup,
  LeaguesGroup,
  ProfileGroup,
  PublicStashTabsGroup,
  PvPMatchesGroup,
  StashesGroup,
} from "./groups.ts";
import { OAuthGroup } from "./oauthGroup.ts";
import { completeOpenApi } from "./openApi.ts";

const about = (title: string, ...groups: ReadonlyArray<HttpApiGroup.Constraint>) =>
  OpenApi.annotations({
    title,
    version: "1",
    description: "Data of a game account over HTTP, with access by OAuth 2.1.",
    transform: completeOpenApi(groups, OAuthGroup),
  });

const dataGroups = [
  ProfileGroup,
  ItemFiltersGroup,
  LeaguesGroup,
  PvPMatchesGroup,
  AccountLeaguesGroup,
  CharactersGroup,
  StashesGroup,
  LeagueAccountsGroup,
  GuildStashesGroup,
  PublicStashTabsGroup,
  CurrencyExchangeGroup,
] as const;

/** The data API (§4.2), under {base_url}. */
export class DataApi
  extends /*#__PURE__*/ HttpApi.make("DataApi")
    .add(...dataGroups)
    .annotateMerge(about("Game Data API", ...dataGroups)) {}

/** The OAuth server (§4.1), under {auth_url}. */
export class OAuthApi
  extends /*#__PURE__*/ HttpApi.make("OAuthApi")
    .add(OAuthGroup)
    .annotateMerge(about("Game Data API: OAuth server", OAuthGroup)) {}

/** The whole interface (§4). */
export class GameDataApi
  extends /*#__PURE__*/ HttpApi.make("GameDataApi")
    .add(OAuthGroup, ...dataGroups)
    .annotateMerge(about("Game Data API", OAuthGroup, ...dataGroups)) {}

/**
 * The `HttpRouter.RouterConfig` of a server, so that paths are read as they were written.
 */
export const routerConfig = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 1000,
} as const;
