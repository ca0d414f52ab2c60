/** `gamedata limits`: the rate-limit windows that the service reports, and a forecast. */
import { type RouteName, routes } from "@game-data/contract/routes";
import { Duration, Effect } from "effect";
import { callOperation, command, count, loadGameApi } from "../command.ts";
import { connected } from "../config.ts";
import { printEither, printMessage } from "../print.ts";

export const limits = command(
  "limits",
  [
    "Show the rate-limit windows that the service reports now, and how long a number of requests would take. Sends up to six small requests.",
    "gamedata limits --count 500",
  ],
  { count: count("count", "Number of requests to forecast (default: 100)") },
  Effect.fnUntraced(function* ({ count: requests = 100 }) {
    const known = (yield* Effect.forEach(PROBES, (name) => read(name, requests))).flat();
    yield* printEither(known.flatMap(rows), known);
  }),
).pipe(connected);

/** An operation without required parameters for each scope that has one, except the streams. */
const PROBES = [
  "profile.get",
  "itemFilters.list",
  "characters.list",
  "accountLeagues.list",
  "leagues.list",
  "pvpMatches.list",
] as const;

/** Sends a small request and returns the reported limits; none if the token lacks the scope. */
const read = Effect.fnUntraced(
  function* (name: RouteName, requests: number) {
    const api = yield* loadGameApi(name);
    yield* callOperation(api, name, name === "leagues.list" ? { limit: 1 } : {});
    const { knowledge, policies } = yield* api.limits(name);
    const { durationMillis } = yield* api.forecast(name, requests);
    const { name: policy = "unknown", windows = [] } = policies[0] ?? {};
    const { route } = routes[name];
    const forecastMillis = Math.round(durationMillis);
    return [{ route, policy, limits: knowledge, windows, forecastMillis }];
  },
  (reading, name) =>
    Effect.catchIf(
      reading,
      (error) =>
        (error._tag === "Forbidden" && error.reason !== "firewall") ||
        error._tag === "InvalidScope" ||
        error._tag === "InsufficientScope",
      () => {
        const { route, scopes } = routes[name];
        return Effect.as(printMessage(`${route}: left out, no token with ${scopes.join(" ")}`), []);
      },
    ),
);

type RouteForecast = Effect.Success<ReturnType<typeof read>>[number];

const rows = ({ forecastMillis, policy, route, windows }: RouteForecast) =>
  windows.map(({ max, periodMillis, rule, used }) => ({
    route,
    rule: `${policy}, ${rule}`,
    used: `${used} of ${max}`,
    window: Duration.format(Duration.millis(periodMillis)),
    forecast: Duration.format(Duration.millis(forecastMillis)),
  }));
