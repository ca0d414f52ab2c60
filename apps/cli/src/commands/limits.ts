/** `gamedata limits`: the rate-limit windows that the service reports, and a forecast. */
import type { GameApiError, GameApiService } from "@game-data/api-client";
import { type RouteName, routes } from "@game-data/contract/routes";
import { Duration, Effect } from "effect";
import { command, count, gameApi } from "../command.ts";
import { connected } from "../config.ts";
import { printEither, printMessage } from "../print.ts";

export const limits = command(
  "limits",
  [
    "Show the rate-limit windows that the service reports now, and how long a number of requests would take. Sends one small request for each scope.",
    "gamedata limits --count 500",
  ],
  { count: count("count", "Number of requests to forecast (default: 100)") },
  Effect.fnUntraced(function* ({ count: requests = 100 }) {
    const probes = Object.entries(PROBES) as ReadonlyArray<[RouteName, Probe]>;
    const known = (yield* Effect.forEach(probes, (probe) => read(probe, requests))).flat();
    yield* printEither(known.flatMap(rows), known);
  }),
).pipe(connected);

type Probe = (api: GameApiService) => Effect.Effect<unknown, GameApiError>;

/** The smallest request of each scope that has an operation without parameters. */
const PROBES: { readonly [Name in RouteName]?: Probe } = {
  "profile.get": (api) => api.profile.get(),
  "itemFilters.list": (api) => api.itemFilters.list(),
  "characters.list": (api) => api.characters.list(),
  "accountLeagues.list": (api) => api.accountLeagues.list(),
  "leagues.list": (api) => api.leagues.list({ limit: 1 }),
  "pvpMatches.list": (api) => api.pvpMatches.list(),
};

/** Sends a probe and returns the limits that its response named; none without the scope. */
const read = Effect.fnUntraced(function* ([operation, send]: [RouteName, Probe], requests: number) {
  const { route, scopes } = routes[operation];
  return yield* Effect.gen(function* () {
    const api = yield* gameApi(operation);
    yield* send(api);
    const { knowledge, policies } = yield* api.limits(operation);
    const { durationMillis } = yield* api.forecast(operation, requests);
    const { name: policy = "unknown", windows = [] } = policies[0] ?? {};
    return [
      { route, policy, limits: knowledge, windows, forecastMillis: Math.round(durationMillis) },
    ];
  }).pipe(
    Effect.catchTag(["Forbidden", "InvalidScope", "InsufficientScope"], () =>
      Effect.as(printMessage(`${route}: left out, no token with ${scopes.join(" ")}`), []),
    ),
  );
});

type RouteForecast = Effect.Success<ReturnType<typeof read>>[number];

const rows = ({ forecastMillis, policy, route, windows }: RouteForecast) =>
  windows.map(({ max, periodMillis, rule, used }) => ({
    route,
    rule: `${policy}, ${rule}`,
    used: `${used} of ${max}`,
    window: Duration.format(Duration.millis(periodMillis)),
    forecast: Duration.format(Duration.millis(forecastMillis)),
  }));
