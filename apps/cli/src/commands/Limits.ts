/**
 * `gamedata limits`: the rate-limit windows as the service reports them now, and how long a number of requests would take.
 *
 * The specification shows no numbers (§8): they are learned from answers, so this makes one small request for each route.
 */
import type { GameApiError, GameApiService, PolicySnapshot } from "@game-data/api-client";
import type { Scope } from "@game-data/contract";
import { Context, Duration, Effect } from "effect";
import { Command, Flag } from "effect/cli";
import { context } from "@game-data/cli-kit/Service";
import { failure } from "@game-data/cli-kit/Failure";
import { note, printList, table } from "@game-data/cli-kit/Output";
import { connected } from "@game-data/cli-kit/Settings";

interface Route {
  readonly route: string;
  readonly scope: Scope;
  readonly ask: (api: GameApiService) => Effect.Effect<unknown, GameApiError>;
  readonly forecast: (api: GameApiService, count: number) => ReturnType<GameApiService["forecast"]>;
}

const routes: ReadonlyArray<Route> = [
  {
    route: "GET /profile",
    scope: "account:profile",
    ask: (api) => api.profile.get(),
    forecast: (api, count) => api.forecast("profile", "get", count),
  },
  {
    route: "GET /item-filter",
    scope: "account:item_filter",
    ask: (api) => api.itemFilters.list(),
    forecast: (api, count) => api.forecast("itemFilters", "list", count),
  },
  {
    route: "GET /character",
    scope: "account:characters",
    ask: (api) => api.characters.list(),
    forecast: (api, count) => api.forecast("characters", "list", count),
  },
  {
    route: "GET /account/leagues/:realm?",
    scope: "account:leagues",
    ask: (api) => api.accountLeagues.list(),
    forecast: (api, count) => api.forecast("accountLeagues", "list", count),
  },
  {
    route: "GET /league",
    scope: "service:leagues",
    ask: (api) => api.leagues.list({ limit: 1 }),
    forecast: (api, count) => api.forecast("leagues", "list", count),
  },
  {
    route: "GET /pvp-match",
    scope: "service:pvp_matches",
    ask: (api) => api.pvpMatches.list(),
    forecast: (api, count) => api.forecast("pvpMatches", "list", count),
  },
];

/** What is known about a route. */
interface Limits {
  readonly route: string;
  readonly policy: string;
  readonly knowledge: PolicySnapshot["knowledge"];
  readonly windows: PolicySnapshot["windows"];
  /** Milliseconds that the asked-for number of requests would take. */
  readonly forecastMillis: number;
}

/** The command. */
export const limitsCommand = Command.make(
  "limits",
  {
    count: Flag.Int("count").pipe(
      Flag.withDescription("Requests to forecast"),
      Flag.withDefault(100),
    ),
  },
  Effect.fnUntraced(function* ({ count }) {
    const known: Array<Limits> = [];
    for (const route of routes) {
      const found = yield* Effect.catchIf(
        limitsOf(route, count),
        (error) => NOT_GRANTED.has(error._tag),
        () => Effect.as(note(`${route.route}: no token with ${route.scope}`), undefined),
      );
      if (found !== undefined) known.push(found);
    }
    if (known.length === 0)
      return yield* failure("scope-missing", "No scope of the token opens a route to look at.");
    yield* printList(known, (all) =>
      table(
        ["route", "policy", "rule", "used", "of", "window", "", `${count} requests in`],
        all.flatMap(rowsOf),
      ),
    );
  }),
).pipe(
  Command.withDescription("The rate-limit windows now, and how long requests would take"),
  connected,
);

/** The token, or the client, is not for this route. */
const NOT_GRANTED = new Set(["Forbidden", "ScopeRejected", "InsufficientScope"]);

const limitsOf = Effect.fnUntraced(function* (route: Route, count: number) {
  const { GameApi, PolicyLimiter } = yield* Effect.promise(() => import("@game-data/api-client"));
  const services = yield* context(route.scope);
  const api = Context.get(services, GameApi);
  yield* route.ask(api);
  // Its store is this process's memory, which does not fail.
  const snapshot = Context.get(services, PolicyLimiter).snapshot(route.route);
  const { knowledge, name, windows } = yield* Effect.orDie(snapshot);
  const { duration } = yield* route.forecast(api, count);
  const limits: Limits = {
    route: route.route,
    policy: name,
    knowledge,
    windows,
    forecastMillis: Math.round(Duration.toMillis(duration)),
  };
  return limits;
});

const BAR = 20;

const rowsOf = ({ forecastMillis, knowledge, policy, route, windows }: Limits) => {
  const forecast =
    forecastMillis === 0 ? "no time" : Duration.format(Duration.millis(forecastMillis));
  if (windows.length === 0) return [[route, policy, `(${knowledge})`, "", "", "", "", forecast]];
  return windows.map(({ max, period, rule, used }, index) => {
    const filled = Math.min(BAR, Math.ceil((used / max) * BAR));
    const bar = "█".repeat(filled) + "·".repeat(BAR - filled);
    return [
      index === 0 ? route : "",
      index === 0 ? policy : "",
      rule,
      used,
      max,
      Duration.format(Duration.millis(period)),
      bar,
      index === 0 ? forecast : "",
    ];
  });
};
