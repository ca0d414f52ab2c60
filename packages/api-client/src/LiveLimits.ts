/**
 * The rate-limit windows as a service reports them now, and how long a number of requests would
 * take.
 *
 * The specification shows no numbers (§8): they are learned from answers. So `limitsOf` makes one
 * small request, on one of the `probes`, and reads what the limiter has learned from it.
 */
import { endpointInfo, type FamilyName, type GroupName, type Scope } from "@game-data/contract";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { GameApiError } from "./Errors.ts";
import { GameApi } from "./GameApi.ts";
import type { GameApiService } from "./GameApi.ts";
import { PolicyLimiter } from "@game-data/rate-limit/effect";
import type {
  LimiterStoreError,
  RouteSnapshot,
  WindowSnapshot,
} from "@game-data/rate-limit/effect";
import { routeOf } from "./internal/Call.ts";

/** A route that can be asked cheaply. */
export interface LimitsProbe {
  /** The route as the limiter knows it: `GET /profile`. */
  readonly route: string;
  /** What its token must have. */
  readonly scope: Scope;
  /** The smallest request that it takes. */
  readonly ask: (api: GameApiService) => Effect.Effect<unknown, GameApiError>;
  /** When `count` requests would go. */
  readonly forecast: (api: GameApiService, count: number) => ReturnType<GameApiService["forecast"]>;
}

/** What is known about a route. */
export interface RouteLimits {
  readonly route: string;
  /** The policy that the service counts it under. */
  readonly policy: string;
  /** Whether the answer told its limits. */
  readonly limits: RouteSnapshot["limits"];
  readonly windows: ReadonlyArray<WindowSnapshot>;
  /** Milliseconds that the asked-for number of requests would take. */
  readonly forecastMillis: number;
}

const probe = <Group extends GroupName>(
  group: Group,
  name: FamilyName<Group>,
  ask: LimitsProbe["ask"],
): LimitsProbe => {
  const info = endpointInfo(group, name as never);
  return {
    route: routeOf(info),
    // Endpoints without parameters want one scope each.
    scope: info.scopes[0] as Scope,
    ask,
    forecast: (api, count) => api.forecast(group, name, count),
  };
};

/** One probe for each scope that has a route without parameters. */
export const probes: ReadonlyArray<LimitsProbe> = [
  /*#__PURE__*/ probe("profile", "get", (api) => api.profile.get()),
  /*#__PURE__*/ probe("itemFilters", "list", (api) => api.itemFilters.list()),
  /*#__PURE__*/ probe("characters", "list", (api) => api.characters.list()),
  /*#__PURE__*/ probe("accountLeagues", "list", (api) => api.accountLeagues.list()),
  /*#__PURE__*/ probe("leagues", "list", (api) => api.leagues.list({ limit: 1 })),
  /*#__PURE__*/ probe("pvpMatches", "list", (api) => api.pvpMatches.list()),
];

/**
 * Asks once, and tells what the limiter has learned from the answer; `count` is how many requests
 * to forecast.
 */
export const limitsOf = Effect.fn("LiveLimits.limitsOf")(function* (
  { ask, forecast, route }: LimitsProbe,
  count: number,
): Effect.fn.Return<RouteLimits, GameApiError | LimiterStoreError, GameApi | PolicyLimiter> {
  const api = yield* GameApi;
  const limiter = yield* PolicyLimiter;
  yield* ask(api);
  const { limits, policies } = yield* limiter.snapshot({ route });
  const [current] = policies;
  const { duration } = yield* forecast(api, count);
  const forecastMillis = Math.round(Duration.toMillis(duration));
  return {
    route,
    policy: current?.name ?? "unknown",
    limits,
    windows: current?.windows ?? [],
    forecastMillis,
  };
});
