/**
 * A summary of each operation and of each group, for documents. They do not travel with clients.
 *
 * An operation without a summary does not compile. The comments of `operations.ts` say the same, for
 * editors; `editor.long.test.ts` of support/generated-clients compares them.
 */
import type { GroupName, oauthRoutes, RouteName } from "./routes/table.ts";

/** The summaries of the operations of the data API. */
export const operationTexts: { readonly [Name in RouteName | keyof typeof oauthRoutes]: string } = {
  "profile.get": "The profile of the account",
  "itemFilters.list": "The online filters on the account, without their text",
  "itemFilters.get": "One filter with its text",
  "itemFilters.create": "Create a filter",
  "itemFilters.update": "Change some properties of a filter",
  "leagues.list": "Leagues of a realm",
  "leagues.get": "One league, or null",
  "leagues.ladder": "A page of a league's ladder (game 1 only)",
  "leagues.eventLadder": "A page of an event's ladder of private leagues (game 1 only)",
  "pvpMatches.list": "PvP matches of a realm",
  "pvpMatches.get": "One PvP match, or null",
  "pvpMatches.ladder": "A page of a PvP match's ladder of teams",
  "accountLeagues.list": "The account's current leagues, private ones included",
  "characters.list": "The account's characters, without equipment",
  "characters.get": "One character with equipment, inventory and passives, or null",
  "stashes.list": "All tabs in a league, sub-tabs and tabs in folders included, without items",
  "stashes.get": "One tab with its items, or null; a sub-tab comes wrapped by its parent",
  "leagueAccounts.get": "The account's allocated atlas passives in a league",
  "guildStashes.list": "The guild's tabs that the account can access in a league",
  "guildStashes.get": "One tab of the guild with its items, or null",
  "publicStashTabs.page": "A page of the public stash stream",
  "currencyExchange.page": "One hour of the currency exchange; without an id the first one",
  "oauth.authorize": "The user consent page, for a browser",
  "oauth.token": "Create tokens",
  "oauth.revoke": "Revoke a token (RFC 7009)",
  "oauth.introspect": "Check a token (RFC 7662)",
};

/** The groups of operations. */
export const groupTexts: { readonly [Name in GroupName | "oauth"]: string } = {
  profile: "The account behind the access token.",
  itemFilters: "Item filters of the account.",
  leagues: "Leagues and their ladders.",
  pvpMatches: "PvP matches and their ladders; game 1 only.",
  accountLeagues: "The account's current leagues; game 1 only.",
  characters: "The account's characters.",
  stashes: "The account's stash tabs; game 1 only.",
  leagueAccounts: "The account's atlas passives; game 1 only.",
  guildStashes: "The stash tabs of the account's guild; game 1 only.",
  publicStashTabs: "The stream of all public stashes of a realm; game 1 only.",
  currencyExchange: "The history of the currency exchange, hour by hour.",
  oauth: "The OAuth server (§4.1).",
};
