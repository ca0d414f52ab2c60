/** The limits of §8, read from the table of operations. Rate limits are in `RateLimitHeaders`. */
import { LADDER_DEPTH } from "./operations.ts";
import type { PagedName } from "./routes/requests.ts";
import { ParameterInvalid } from "./routes/ParameterInvalid.ts";
import type { Route } from "./routes/Route.ts";
import { routeOf } from "./routes/table.ts";

/** Entries of a page: `default` for a request without `limit`, and `max` as the largest `limit`. */
export interface PageLimit {
  readonly default: number;
  readonly max: number;
}

/** Returns the page limits of an operation (§8). Throws `ParameterInvalid` if it has no pages. */
export const pageLimit = (name: PagedName): PageLimit => {
  const { defaults, query }: Route = routeOf(name);
  const [, max] = (query?.["limit"] ?? []) as ReadonlyArray<number>;
  if (max === undefined) throw new ParameterInvalid(name, "limit", "is unknown");
  return { default: Number(defaults?.["limit"]), max };
};

/** Page limits and the depth of ladders (§8). */
export const Limits = {
  /** `GET /league` */
  leagues: pageLimit("leagues.list"),
  /** `GET /league/<league>/ladder` */
  ladder: pageLimit("leagues.ladder"),
  /** `GET /league/<league>/event-ladder` */
  eventLadder: pageLimit("leagues.eventLadder"),
  /** `GET /pvp-match/<match>/ladder` */
  pvpLadder: pageLimit("pvpMatches.ladder"),
  /** Entries of every ladder. A page with an offset beyond them is empty (§7, §8). */
  ladderDepth: LADDER_DEPTH,
} as const;
