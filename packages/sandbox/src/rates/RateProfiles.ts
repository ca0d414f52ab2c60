/**
 * Ready-made documents of policies. All numbers are choices: the specification shows none (§8).
 *
 * `generous` is the default: the headers are there and tell the truth, and no ordinary test suite
 * meets a 429. `realistic` has the order of magnitude of a public deployment and its hidden
 * buckets: what an application has to live with. `off` sends no rate headers at all.
 */
import type { RatePolicies } from "./RatePolicy.ts";

/** The names of the ready-made documents. */
export type RateProfile = "generous" | "realistic" | "off";

/**
 * Which policy governs which endpoints: lists and single records apart, as a client meets them in
 * practice.
 */
const ENDPOINTS: RatePolicies["endpoints"] = {
  profile: "profile-request-limit",
  itemFilters: "item-filter-request-limit",
  leagues: "league-request-limit",
  "leagues.ladder": "ladder-request-limit",
  "leagues.eventLadder": "ladder-request-limit",
  pvpMatches: "pvp-match-request-limit",
  "pvpMatches.ladder": "ladder-request-limit",
  accountLeagues: "account-league-request-limit",
  characters: "character-request-limit",
  "characters.list": "character-list-request-limit",
  stashes: "stash-request-limit",
  "stashes.list": "stash-list-request-limit",
  leagueAccounts: "league-account-request-limit",
  guildStashes: "guild-stash-request-limit",
  "guildStashes.list": "guild-stash-list-request-limit",
  publicStashTabs: "public-stash-tab-request-limit",
  currencyExchange: "currency-exchange-request-limit",
  "oauth.token": "token-request-limit",
};

const GENEROUS = "10000:10:10,200000:600:60";

/**
 * The order of magnitude of a public deployment, with its hidden buckets. Examples, not constants
 * to program against.
 */
const realistic: RatePolicies = {
  enabled: true,
  hiddenBuckets: { shortSeconds: 5, longSeconds: 60, longFromSeconds: 60 },
  endpoints: ENDPOINTS,
  policies: {
    "profile-request-limit": { Account: "10:15:60,30:60:300", Client: "100:10:60" },
    "item-filter-request-limit": { Account: "10:15:60,30:60:300", Client: "100:10:60" },
    "league-request-limit": { Client: "10:5:10" },
    "ladder-request-limit": { Client: "10:5:10" },
    "pvp-match-request-limit": { Client: "10:5:10" },
    "account-league-request-limit": { Account: "10:15:60,30:60:300", Client: "100:10:60" },
    "character-list-request-limit": { Account: "2:10:60,5:300:300", Client: "100:10:60" },
    "character-request-limit": { Account: "5:10:60,30:300:300", Client: "100:10:60" },
    "stash-list-request-limit": { Account: "10:15:60,30:60:300", Client: "100:10:60" },
    "stash-request-limit": { Account: "15:10:60,30:300:300", Client: "100:10:60" },
    "league-account-request-limit": { Account: "10:15:60,30:60:300", Client: "100:10:60" },
    "guild-stash-list-request-limit": { Account: "10:15:60,30:60:300", Client: "100:10:60" },
    "guild-stash-request-limit": { Account: "15:10:60,30:300:300", Client: "100:10:60" },
    "public-stash-tab-request-limit": { Client: "10:5:10,120:60:60" },
    "currency-exchange-request-limit": { Client: "10:5:10" },
    "token-request-limit": { Ip: "60:30:30" },
  },
};

/** The same rules with limits that an ordinary test suite does not reach. */
const generous: RatePolicies = {
  enabled: true,
  hiddenBuckets: null,
  endpoints: ENDPOINTS,
  policies: Object.fromEntries(
    Object.entries(realistic.policies).map(([name, rules]) => [
      name,
      Object.fromEntries(Object.keys(rules).map((rule) => [rule, GENEROUS])),
    ]),
  ),
};

/** No limits and no rate headers; what was defined stays readable. */
const off: RatePolicies = { ...generous, enabled: false };

/** The ready-made documents by name. */
export const rateProfiles: Readonly<Record<RateProfile, RatePolicies>> = {
  generous,
  realistic,
  off,
};
