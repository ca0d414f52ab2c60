/**
 * The rate-limit windows as a service reports them now, and how long a number of requests would
 * take.
 *
 * The specification shows no numbers (§8); they are learned from responses. So `fetchLimits` sends
 * one small request, that of one of the `limitProbes`, and reads the limiter's knowledge.
 */
import { routes } from "@game-data/contract/routes";
import type { RouteName } from "@game-data/contract/routes";
import type { Scope } from "@game-data/contract/Scope";
import type * as Limiter from "@game-data/rate-limit";
import * as Effect from "effect/Effect";
import type { GameApiError } from "../Errors.ts";
import type { GameApiService } from "../GameApiService.ts";

/** An operation with a small request. */
export interface LimitProbe {
  readonly operation: RouteName;
  /** Method and path template, e.g. `GET /profile`. */
  readonly route: string;
  /** The scope that its token must have. */
  readonly scope: Scope;
  /** The smallest request that it takes. */
  readonly send: (api: GameApiService) => Effect.Effect<unknown, GameApiError>;
}

/** The rate limits of a route. */
export interface RouteLimits {
  readonly route: string;
  /** The policy under which the service counts it. */
  readonly policy: string;
  /** Whether the response named its limits. */
  readonly limits: Limiter.RouteLimits["limits"];
  readonly windows: ReadonlyArray<Limiter.WindowLimits>;
  /** Milliseconds that the forecast requests would take. */
  readonly forecastMillis: number;
}

const probe = (operation: RouteName, send: LimitProbe["send"]): LimitProbe => {
  const { route, scopes } = routes[operation];
  // Operations without parameters need one scope each.
  return { operation, route, scope: scopes[0], send };
};

/** One probe for each scope that has an operation without parameters. */
export const limitProbes: ReadonlyArray<LimitProbe> = [
  /*#__PURE__*/ probe("profile.get", (api) => api.profile.get()),
  /*#__PURE__*/ probe("itemFilters.list", (api) => api.itemFilters.list()),
  /*#__PURE__*/ probe("characters.list", (api) => api.characters.list()),
  /*#__PURE__*/ probe("accountLeagues.list", (api) => api.accountLeagues.list()),
  /*#__PURE__*/ probe("leagues.list", (api) => api.leagues.list({ limit: 1 })),
  /*#__PURE__*/ probe("pvpMatches.list", (api) => api.pvpMatches.list()),
];

/** Sends a probe's request and reads the limits from its response; forecasts `count` requests. */
export const fetchLimits = Effect.fn("GameApi.fetchLimits")(function* (
  api: GameApiService,
  { operation, route, send }: LimitProbe,
  count: number,
): Effect.fn.Return<RouteLimits, GameApiError> {
  yield* send(api);
  const { limits, policies } = yield* api.limits(operation);
  const [current] = policies;
  const { durationMillis } = yield* api.forecast(operation, count);
  return {
    route,
    policy: current?.name ?? "unknown",
    limits,
    windows: current?.windows ?? [],
    forecastMillis: Math.round(durationMillis),
  };
});
