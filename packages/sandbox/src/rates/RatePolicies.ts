/**
 * Rate policies as a document: which policy governs an endpoint, and the windows of its rules.
 *
 * Windows are written as in the headers, so that limits seen in a response can be pasted in. The
 * specification shows no numbers (§8): every number is a choice, and all of them can be replaced
 * while the sandbox runs.
 */
import * as Schema from "effect/Schema";
import { nearestOf } from "../internal/words.ts";

const RULES = ["Ip", "Account", "Client"] as const;

/** What a rule counts requests by: IP address, account or client. */
export type RuleName = (typeof RULES)[number];
export const RULE_NAMES: ReadonlyArray<RuleName> = RULES;

const WINDOW = String.raw`\d{1,9}:\d{1,9}:\d{1,9}`;

/**
 * Windows in the notation of the headers: `maxHits:periodSeconds:restrictSeconds`, one to four,
 * joined by commas.
 */
export const RateWindows = Schema.String.check(
  Schema.isPattern(new RegExp(`^${WINDOW}(?:,${WINDOW}){0,3}$`, "u"), {
    expected: "maxHits:periodSeconds:restrictSeconds, one to four of them, joined by commas",
  }),
  Schema.makeFilter((text) => {
    const windows = text.split(",").map((window) => window.split(":").map(Number));
    if (windows.some(([, period]) => period === 0)) return "has a period of 0 seconds";
    if (windows.some(([most]) => most === 0))
      return "permits nothing; a fault of status 429 refuses everything";
    // Periods must differ, because counters are kept by period. A changed maximum keeps the counts.
    const isDistinct = new Set(windows.map(([, period]) => period)).size === windows.length;
    return isDistinct || "has two windows of the same period";
  }),
).annotate({ identifier: "RateWindows" });

/** The rules of one policy; a rule that is left out counts nothing. */
export const RateRules = Schema.Struct({
  Ip: Schema.optionalKey(RateWindows),
  Account: Schema.optionalKey(RateWindows),
  Client: Schema.optionalKey(RateWindows),
})
  .check(Schema.makeFilter((rules) => Object.keys(rules).length > 0 || "has no rule"))
  .annotate({ identifier: "RateRules" });

const Seconds = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1));

/**
 * The hidden-bucket mode: a hit leaves its window only together with the whole bucket that it fell
 * into.
 */
export const HiddenBuckets = Schema.Struct({
  shortSeconds: Seconds,
  longSeconds: Seconds,
  longFromSeconds: Schema.Natural,
}).annotate({
  identifier: "HiddenBuckets",
  description:
    "Windows of longFromSeconds and more are counted in buckets of longSeconds, others of shortSeconds",
});

/** Name of a policy, which is sent in a header: a token (RFC 9110 §5.6.2). */
const POLICY_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/u;

/**
 * Document of all rate policies. The keys of `endpoints` are `group.endpoint`, `group` or `*`, of
 * which the most precise decides; its value is the name of a policy.
 */
export const RatePolicies = Schema.Struct({
  enabled: Schema.Boolean,
  hiddenBuckets: Schema.NullOr(HiddenBuckets),
  policies: Schema.Record(Schema.String, RateRules).check(
    Schema.makeFilter((policies) => {
      const wrong = Object.keys(policies).find((name) => !POLICY_NAME.test(name));
      return wrong === undefined || { path: [wrong], issue: "is no name for a policy" };
    }),
  ),
  endpoints: Schema.Record(Schema.String, Schema.String).annotate({
    description: "`group.endpoint`, `group` or `*` → name of a policy; the most precise key wins",
  }),
})
  .check(
    Schema.makeFilter(({ endpoints, policies }) => {
      const unknown = Object.entries(endpoints).find(([, name]) => !Object.hasOwn(policies, name));
      if (unknown === undefined) return undefined;
      const [endpoint, name] = unknown;
      const nearest = nearestOf(name, Object.keys(policies));
      const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
      return {
        path: ["endpoints", endpoint],
        issue: `there is no policy ${JSON.stringify(name)}${hint}`,
      };
    }),
  )
  .annotate({ identifier: "RatePolicies" });
export type RatePolicies = typeof RatePolicies.Type;

/** Names of the ready-made rate policies. */
export const RateProfile = Schema.Literals(["generous", "realistic", "off"]);
export type RateProfile = typeof RateProfile.Type;

/**
 * Policy of each endpoint. Lists and single records have different policies, as a client meets them
 * in practice.
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
 * Limits of the order of magnitude of a public deployment, with hidden buckets. They are examples,
 * so programs must not depend on them.
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

/** No limits and no rate headers. The policies can still be read. */
const off: RatePolicies = { ...generous, enabled: false };

/**
 * The ready-made documents by name. `generous` is the default: it sends true headers, and no ordinary
 * test suite meets a 429. `realistic` has the order of magnitude of a public deployment, and its
 * hidden buckets. `off` sends no rate headers.
 */
export const rateProfiles: Readonly<Record<RateProfile, RatePolicies>> = {
  generous,
  realistic,
  off,
};
