/**
 * The table of operations: the one place that states what the interface offers (§4).
 *
 * Everything else follows from this table: `Requests`, `Results` and the client methods by types;
 * URLs, refusals, the sandbox's routes and the OpenAPI document by reading it. To add an operation,
 * add its entry here and its body to `routes/bodies.ts`, then follow the compiler.
 *
 * Comments on groups and operations become the texts of documents (`pnpm generate`). Editors show
 * an operation's comment at its client method, and a parameter's comment at the request's member.
 */
import { characterClasses } from "./CharacterClass.ts";
import type { Operation } from "./routes/Route.ts";
import { renamableRealms } from "./Words.ts";

/** Realms of game 1 in a path. A path without a realm means `pc` (§4.2). */
const consoleRealms = ["console_a", "console_b"] as const;

/** Path parameter of operations that are for game 1 only. */
const consoles = {
  /** Default: "pc". */
  realm: consoleRealms,
} as const;
/** Path parameter of operations that accept the realm of game 2 as well. */
const anyRealm = {
  /** Default: "pc". */
  realm: renamableRealms,
} as const;
/** Query parameter of operations that are for game 1 only. */
const gameOne = {
  /** Default: "pc". */
  realm: ["pc", ...consoleRealms],
} as const;
/** Query parameter of operations that accept the realm of game 2 as well. */
const bothGames = {
  /** Default: "pc". */
  realm: ["pc", ...renamableRealms],
} as const;
/** Query parameter for the first entry of a page. */
const paged = {
  /** Number of entries to skip, at least 0. Default: 0. */
  offset: [0],
} as const;
/** Query parameters for a page of a league's ladder. */
const ladderPage = {
  /** Number of entries, from 1 to 500. Default: 20. */
  limit: [1, 500],
  ...paged,
} as const;

/** Number of entries of every ladder. A page beyond them is empty (§7, §8). */
export const LADDER_DEPTH = 15_000;

/** Path parameters that name a league of game 1. */
const inLeague = { ...consoles, league: "name" } as const;
/** Path parameters that name a tab, or a tab within another tab. */
const oneTab = { ...inLeague, stash_id: "stashId", substash_id: "stashId" } as const;

/** The operations of the data API (§4.2) by group, in the order of the specification. */
export const operations = {
  /** The account behind the access token. */
  profile: {
    /** The profile of the account, such as its name and UUID. */
    get: {
      path: "/profile",
      scopes: ["account:profile"],
      params: {},
      results: { 200: "Profile" },
    },
  },
  /** Online item filters of the account, private or public. */
  itemFilters: {
    /** The online filters on the account, without their text. */
    list: {
      path: "/item-filter",
      scopes: ["account:item_filter"],
      params: {},
      results: { 200: "FilterList" },
      take: "filters",
    },
    /** One filter with its text. */
    get: {
      path: "/item-filter/:id",
      scopes: ["account:item_filter"],
      params: { id: "name" },
      results: { 200: "FilterResult" },
      take: "filter",
    },
    /** Create a filter, which is private unless `public` is true. */
    create: {
      method: "POST",
      path: "/item-filter",
      scopes: ["account:item_filter"],
      params: {},
      query: { validate: "bool" },
      body: "FilterCreate",
      results: { 200: "FilterResult" },
      take: "filter",
    },
    /** Change some properties of a filter. A public filter cannot become private again. */
    update: {
      method: "POST",
      path: "/item-filter/:id",
      scopes: ["account:item_filter"],
      params: { id: "name" },
      query: { validate: "bool" },
      body: "FilterUpdate",
      results: { 200: "FilterUpdated", 202: "FilterAccepted" },
    },
  },
  /** Leagues of both games, and ladders of game 1. */
  leagues: {
    /** Leagues of a realm. */
    list: {
      path: "/league",
      scopes: ["service:leagues"],
      params: {},
      query: {
        ...bothGames,
        /** Default: "main". The value "season" needs the parameter `season`. */
        type: ["main", "event", "season"],
        season: "text",
        /** Number of leagues, from 1 to 50. Default: 50. */
        limit: [1, 50],
        ...paged,
      },
      needs: { "type=season": "season" },
      defaults: { type: "main", limit: 50 },
      results: { 200: "LeagueList" },
      take: "leagues",
    },
    /** One league, or null. */
    get: {
      path: "/league/:league",
      scopes: ["service:leagues"],
      params: { league: "name" },
      query: bothGames,
      results: { 200: "LeagueResult" },
      take: "league",
      isNullable: true,
    },
    /** A page of a league's ladder (game 1 only). */
    ladder: {
      path: "/league/:league/ladder",
      scopes: ["service:leagues:ladder"],
      params: { league: "name" },
      query: {
        ...gameOne,
        sort: ["xp", "depth", "depthsolo", "ancestor", "time", "score", "class"],
        class: characterClasses,
        ...ladderPage,
      },
      needs: { "sort=class": "class" },
      defaults: { limit: 20 },
      depth: LADDER_DEPTH,
      results: { 200: "Ladder" },
      take: "league",
    },
    /** A page of an event's ladder of private leagues (game 1 only). */
    eventLadder: {
      path: "/league/:league/event-ladder",
      scopes: ["service:leagues:ladder"],
      params: { league: "name" },
      query: { ...gameOne, ...ladderPage },
      defaults: { limit: 20 },
      depth: LADDER_DEPTH,
      results: { 200: "EventLadder" },
      take: "league",
    },
  },
  /** PvP matches and their ladders; game 1 only. */
  pvpMatches: {
    /** PvP matches of a realm. */
    list: {
      path: "/pvp-match",
      scopes: ["service:pvp_matches"],
      params: {},
      query: {
        ...gameOne,
        /** Default: "upcoming". The other values need a parameter of the same name. */
        type: ["upcoming", "season", "league"],
        season: "text",
        league: "text",
      },
      needs: { "type=season": "season", "type=league": "league" },
      defaults: { type: "upcoming" },
      results: { 200: "MatchList" },
      take: "matches",
    },
    /** One PvP match, or null. */
    get: {
      path: "/pvp-match/:match",
      scopes: ["service:pvp_matches"],
      params: { match: "name" },
      query: gameOne,
      results: { 200: "MatchResult" },
      take: "match",
      isNullable: true,
    },
    /** A page of a PvP match's ladder of teams. */
    ladder: {
      path: "/pvp-match/:match/ladder",
      scopes: ["service:pvp_matches:ladder"],
      params: { match: "name" },
      query: {
        ...gameOne,
        /** Number of teams, from 1 to 200. Default: 20. */
        limit: [1, 200],
        ...paged,
      },
      defaults: { limit: 20 },
      depth: LADDER_DEPTH,
      results: { 200: "MatchLadder" },
      take: "match",
    },
  },
  /** The account's current leagues; game 1 only. */
  accountLeagues: {
    /** The account's current leagues, private ones included. */
    list: {
      path: "/account/leagues/:realm?",
      route: "GET /account/leagues/:realm?",
      scopes: ["account:leagues"],
      params: consoles,
      results: { 200: "LeagueList" },
      take: "leagues",
    },
  },
  /** The account's characters in both games. */
  characters: {
    /** The account's characters, without equipment. */
    list: {
      path: "/character/:realm?",
      scopes: ["account:characters"],
      params: anyRealm,
      results: { 200: "CharacterList" },
      take: "characters",
    },
    /** One character with equipment, inventory and passives, or null. */
    get: {
      path: "/character/:realm?/:name",
      scopes: ["account:characters"],
      params: { ...anyRealm, name: "name" },
      pcWhen: "name",
      results: { 200: "CharacterResult" },
      take: "character",
      isNullable: true,
    },
  },
  /** The account's stash tabs; game 1 only. */
  stashes: {
    /** All tabs in a league, sub-tabs and tabs in folders included, without items. */
    list: {
      path: "/stash/:realm?/:league",
      scopes: ["account:stashes"],
      params: inLeague,
      results: { 200: "StashList" },
      take: "stashes",
    },
    /** One tab with its items, or null. A sub-tab is returned inside its parent. */
    get: {
      path: "/stash/:realm?/:league/:stash_id/:substash_id?",
      scopes: ["account:stashes"],
      params: oneTab,
      pcWhen: "league",
      results: { 200: "StashResult" },
      take: "stash",
      isNullable: true,
    },
  },
  /** The account's atlas passives; game 1 only. */
  leagueAccounts: {
    /** The account's allocated atlas passives in a league. */
    get: {
      path: "/league-account/:realm?/:league",
      scopes: ["account:league_accounts"],
      params: inLeague,
      results: { 200: "LeagueAccountResult" },
      take: "league_account",
    },
  },
  /** The stash tabs of the account's guild; game 1 only. */
  guildStashes: {
    /** The guild's tabs that the account can access in a league. */
    list: {
      path: "/guild/:realm?/stash/:league",
      // The specification names no scope here, but guild tabs are tabs that the account can see.
      scopes: ["account:stashes"],
      params: inLeague,
      results: { 200: "StashList" },
      take: "stashes",
    },
    /** One tab of the guild with its items, or null. */
    get: {
      path: "/guild/:realm?/stash/:league/:stash_id/:substash_id?",
      scopes: ["account:stashes"],
      params: oneTab,
      results: { 200: "StashResult" },
      take: "stash",
      isNullable: true,
    },
  },
  /** The stream of all public stashes of a realm; game 1 only. */
  publicStashTabs: {
    /** A page of the public stash stream, delayed by five minutes. */
    page: {
      path: "/public-stash-tabs/:realm?",
      route: "GET /public-stash-tabs/:realm?",
      scopes: ["service:psapi"],
      params: consoles,
      query: { id: "text" },
      results: { 200: "PublicStashPage" },
    },
  },
  /** The history of the currency exchange, hour by hour. */
  currencyExchange: {
    /** One hour of the currency exchange. Without an id, the first hour. */
    page: {
      path: "/currency-exchange/:realm?/:id?",
      scopes: ["service:cxapi"],
      params: {
        ...anyRealm,
        /** Unix timestamp of an hour, from `next_change_id`. At least 0. */
        id: [0],
      },
      results: { 200: "CurrencyExchangePage" },
      isNullable: true,
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Operation>>>>;
