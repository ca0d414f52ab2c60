/**
 * Reads the rate-limit windows of every route that the tokens permit, with one small request each.
 */
import { fetchLimits, GameApi, type LimitProbe, limitProbes } from "@game-data/api-client";
import { Context, Effect } from "effect";
import { connect } from "./connect.ts";
import { failure } from "@game-data/terminal/Failure";
import { printError } from "@game-data/terminal/Output";
import type { Settings } from "../config/Settings.ts";

/** A route, and a client whose token permits it. */
export interface ConnectedProbe {
  readonly probe: LimitProbe;
  readonly api: GameApi["Service"];
}

/** Connects to each route. Routes without a token are omitted and named on stderr. */
export const connectProbes = Effect.fnUntraced(function* (from: Settings) {
  const connected = yield* Effect.forEach(limitProbes, (probe) =>
    connect(from, [probe.scope]).pipe(
      Effect.map((services): ConnectedProbe => ({ probe, api: Context.get(services, GameApi) })),
      Effect.catchIf(isNotGranted, () => Effect.as(printOmitted(probe), undefined)),
    ),
  );
  return connected.filter((probe) => probe !== undefined);
});

/** Returns the windows of each route and the time that `count` requests take. */
export const readLimits = Effect.fnUntraced(function* (
  probes: ReadonlyArray<ConnectedProbe>,
  count: number,
) {
  const known = yield* Effect.forEach(probes, ({ api, probe }) =>
    Effect.catchIf(fetchLimits(api, probe, count), isNotGranted, () =>
      Effect.as(printOmitted(probe), undefined),
    ),
  );
  const found = known.filter((limits) => limits !== undefined);
  if (found.length === 0)
    return yield* failure("scope-missing", "The token permits none of the routes.");
  return found;
});

const printOmitted = ({ route, scope }: LimitProbe) =>
  printError(`${route}: omitted, no token with ${scope}`);

/** Whether a token or client does not permit a route. */
const isNotGranted = ({ _tag }: { readonly _tag: string }): boolean =>
  _tag === "Forbidden" || _tag === "InvalidScope" || _tag === "InsufficientScope";
