/**
 * The limits of §8, as named constants.
 *
 * Page limits come as `{ default, max }`: `default` holds when a request names no `limit`. The
 * contract's query schemas refuse anything outside `1 … max`. Rate limits are not here, because the
 * service announces them in headers (`RateLimitHeaders`).
 */

/** The values of `limit` on one endpoint. */
export interface PageLimit {
  /** The number of entries when the request names none. */
  readonly default: number;
  /** The largest number of entries a request may ask for. */
  readonly max: number;
}

/** Page limits and the depth of ladders (§8). */
export const Limits: {
  /** `GET /league` */
  readonly leagues: PageLimit;
  /** `GET /league/<league>/ladder` */
  readonly ladder: PageLimit;
  /** `GET /league/<league>/event-ladder` */
  readonly eventLadder: PageLimit;
  /** `GET /pvp-match/<match>/ladder` */
  readonly pvpLadder: PageLimit;
  /**
   * All ladders hold their first entries only; an offset beyond them gives an empty result (§7,
   * §8).
   */
  readonly ladderDepth: number;
} = {
  leagues: { default: 50, max: 50 },
  ladder: { default: 20, max: 500 },
  eventLadder: { default: 20, max: 500 },
  pvpLadder: { default: 20, max: 200 },
  ladderDepth: 15_000,
};
