/**
 * The endpoints of the Game Data API as one HttpApi: paths, parameters, scopes, limits, errors.
 *
 * @packageDocumentation
 */
export { realms } from "@game-data/schemas";
export { Realm } from "@game-data/schemas/effect/Realm";
export * from "./Access.ts";
export * from "./CharacterClass.ts";
export * from "./Deployment.ts";
export * from "./Endpoints.ts";
export * from "./Errors.ts";
export * from "./failure.ts";
export * from "./GameDataApi.ts";
export * from "./groups/AccountLeagues.ts";
export * from "./groups/Characters.ts";
export * from "./groups/CurrencyExchange.ts";
export * from "./groups/GuildStashes.ts";
export * from "./groups/ItemFilters.ts";
export * from "./groups/LeagueAccounts.ts";
export * from "./groups/Leagues.ts";
export * from "./groups/OAuth.ts";
export * from "./groups/Profile.ts";
export * from "./groups/PublicStashTabs.ts";
export * from "./groups/PvPMatches.ts";
export * from "./groups/Stashes.ts";
export * from "./Lifetimes.ts";
export * from "./Limits.ts";
export * from "./OAuth.ts";
export * from "./OpenApiDocument.ts";
export * from "./Paths.ts";
export * from "./RateLimitHeaders.ts";
export * from "./Requests.ts";
export * from "./Responses.ts";
export * from "./Scope.ts";
export * from "./SecureUrl.ts";
export * from "./Translation.ts";
export * from "./UserAgent.ts";
export * from "./Words.ts";
