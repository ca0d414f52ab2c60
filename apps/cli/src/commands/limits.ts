/** `gamedata limits`: the rate-limit windows that the service reports, and a forecast. */
import type { LimitProbe, RouteLimits } from "@game-data/api-client";
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
    const { limitProbes } = yield* load(() => import("@game-data/api-client"));
    const requests = Option.getOrElse(count, () => 100);
    const found = (yield* Effect.forEach(limitProbes, (probe) => read(probe, requests))).flat();
    yield* print((yield* outputFormat) === "table" ? found.flatMap(rows) : found);
  }),
).pipe(connected);

/** Reads the limits of a route; none if the token does not permit it. */
const read = Effect.fnUntraced(function* (probe: LimitProbe, count: number) {
  const { gameApiWith } = yield* load(() => import("../connect.ts"));
  const { fetchLimits } = yield* load(() => import("@game-data/api-client"));
  return yield* Effect.flatMap(gameApiWith([probe.scope]), (api) =>
    Effect.map(fetchLimits(api, probe, count), (known): ReadonlyArray<RouteLimits> => [known]),
  ).pipe(
    Effect.catchTag(["Forbidden", "InvalidScope", "InsufficientScope"], () =>
      Effect.as(printMessage(`${probe.route}: left out, no token with ${probe.scope}`), []),
    ),
  );
});

const BAR_WIDTH = 10;

const rows = ({ forecastMillis, policy, route, windows }: RouteLimits) =>
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
