/** The words that queries and paths of the data API take, and the defaults of §4.2. */

/** Realm words of a path segment: `pc` is what leaving it out means (§4.2). */
export const consoleRealms = ["console_a", "console_b"] as const;

/** Realm words of a path segment where the endpoint knows game 2 as well. */
export const pathRealms = ["console_a", "console_b", "game2"] as const;

/** The values of parameters that a request leaves out. `Limits` has the page limits. */
export const QueryDefaults = {
  /** Every endpoint. */
  realm: "pc",
  /** `GET /league` */
  leagueType: "main",
  /** `GET /pvp-match` */
  matchType: "upcoming",
  /** Every endpoint with pages. */
  offset: 0,
} as const;

/** Which leagues `GET /league` lists. */
export const leagueTypes = ["main", "event", "season"] as const;

/** The orders of `GET /league/<league>/ladder`. */
export const ladderSorts = [
  "xp",
  "depth",
  "depthsolo",
  "ancestor",
  "time",
  "score",
  "class",
] as const;

/** Which matches `GET /pvp-match` lists. */
export const matchTypes = ["upcoming", "season", "league"] as const;
