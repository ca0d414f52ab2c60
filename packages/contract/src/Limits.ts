/**
 * The limits of §8, as they stand in the table of operations.
 *
 * Page limits come as `{ default, max }`: `default` holds when a request names no `limit`. Anything
 * outside `1 … max` is refused. Rate limits are not here, because the service announces them in
 * headers (`RateLimitHeaders`).
 */
import { LADDER_DEPTH } from "./operations.ts";
import type { PagedName } from "./routes/requests.ts";
import { ParameterInvalid } from "./routes/ParameterInvalid.ts";
import type { Route } from "./routes/Route.ts";
import { routeOf } from "./routes/table.ts";

/** The values of `limit` on one endpoint. */
export interface PageLimit {
  /** The number of entries when the request names none. */
  readonly default: number;
  /** The largest number of entries a request may ask for. */
  readonly max: number;
}

/** The page limits of an operation (§8). */
export const pageLimit = (name: PagedName): PageLimit => {
  const { defaults, query }: Route = routeOf(name);
  const [, max] = (query?.["limit"] ?? []) as ReadonlyArray<number>;
  if (max === undefined) throw new ParameterInvalid(name, "limit", "is unknown");
  return { default: Number(defaults?.["limit"]), max };
};

/** Page limits and the depth of ladders (§8). */
export const Limits = {
  /** `GET /league` */
  leagues: /*#__PURE__*/ pageLimit("leagues.list"),
  /** `GET /league/<league>/ladder` */
  ladder: /*#__PURE__*/ pageLimit("leagues.ladder"),
  /** `GET /league/<league>/event-ladder` */
  eventLadder: /*#__PURE__*/ pageLimit("leagues.eventLadder"),
  /** `GET /pvp-match/<match>/ladder` */
  pvpLadder: /*#__PURE__*/ pageLimit("pvpMatches.ladder"),
  /**
   * All ladders hold their first entries only; an offset beyond them gives an empty result (§7,
   * §8).
   */
  ladderDepth: LADDER_DEPTH,
} as const;
