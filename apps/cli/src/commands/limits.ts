/** `gamedata limits`: the rate-limit windows that the service reports, and a forecast. */
import type { GameApiError, GameApiService } from "@game-data/api-client";
import type { RouteName } from "@game-data/contract/routes";
import { routes } from "@game-data/contract/routes";
import { Duration, Effect, Option } from "effect";
import { command, countFlag, load } from "../command.ts";
import { connected } from "../config.ts";
import { print, printMessage } from "../print.ts";
import { outputFormat } from "../print.ts";

export const limits = command(
  "limits",
  [
    "Show the rate-limit windows that the service reports now, and how long a number of requests would take. Sends one small request for each scope.",
    "gamedata limits --count 500",
  ],
  { count: countFlag("count", "Number of requests to forecast (default: 100)") },
  Effect.fnUntraced(function* ({ count }) {
    const requests = Option.getOrElse(count, () => 100);
    const known = (yield* Effect.forEach(PROBES, (probe) => read(probe, requests))).flat();
    yield* print((yield* outputFormat) === "table" ? known.flatMap(rows) : known);
  }),
).pipe(connected);

interface Probe {
  readonly operation: RouteName;
  readonly send: (api: GameApiService) => Effect.Effect<unknown, GameApiError>;
}

/** The smallest request of each scope that has an operation without parameters. */
const PROBES: ReadonlyArray<Probe> = [
  { operation: "profile.get", send: (api) => api.profile.get() },
  { operation: "itemFilters.list", send: (api) => api.itemFilters.list() },
  { operation: "characters.list", send: (api) => api.characters.list() },
  { operation: "accountLeagues.list", send: (api) => api.accountLeagues.list() },
  { operation: "leagues.list", send: (api) => api.leagues.list({ limit: 1 }) },
  { operation: "pvpMatches.list", send: (api) => api.pvpMatches.list() },
];

/** Sends a probe and returns the limits that its response named; none without the scope. */
const read = Effect.fnUntraced(function* ({ operation, send }: Probe, count: number) {
  const { gameApiWith } = yield* load(() => import("../connect.ts"));
  const { route, scopes } = routes[operation];
  const [scope] = scopes;
  return yield* Effect.gen(function* () {
    const api = yield* gameApiWith([scope]);
    yield* send(api);
    const { limits: source, policies } = yield* api.limits(operation);
    const { durationMillis } = yield* api.forecast(operation, count);
    const { name: policy = "unknown", windows = [] } = policies[0] ?? {};
    return [{ route, policy, limits: source, windows, forecastMillis: Math.round(durationMillis) }];
  }).pipe(
    Effect.catchTag(["Forbidden", "InvalidScope", "InsufficientScope"], () =>
      Effect.as(printMessage(`${route}: left out, no token with ${scope}`), []),
    ),
  );
});

type RouteForecast = Effect.Success<ReturnType<typeof read>>[number];

const BAR_WIDTH = 10;

const rows = ({ forecastMillis, policy, route, windows }: RouteForecast) =>
  windows.map(({ max, periodMillis, rule, used }) => {
    const filled = Math.min(BAR_WIDTH, Math.ceil((used / max) * BAR_WIDTH));
    return {
      route,
      rule: `${policy}, ${rule}`,
      used: `${"█".repeat(filled)}${"·".repeat(BAR_WIDTH - filled)} ${used} of ${max}`,
      window: Duration.format(Duration.millis(periodMillis)),
      forecast: Duration.format(Duration.millis(forecastMillis)),
    };
  });
