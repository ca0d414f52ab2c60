/**
 * Reads the rate-limit windows of every route that the tokens permit, with one small request each.
 */
import { fetchLimits, GameApi, type LimitProbe, limitProbes } from "@game-data/api-client";
import { Context, Effect } from "effect";
import { connect } from "./connect.ts";
import { failure } from "@game-data/terminal/Failure";
import { printError } from "@game-data/terminal/Output";
import type { Settings } from "../config/Settings.ts";

/**
 * Returns the windows of each route and the time that `count` requests take. Routes without a token
 * are omitted and named on stderr.
 */
export const liveLimits = Effect.fnUntraced(function* (from: Settings, count: number) {
  const known = yield* Effect.forEach(limitProbes, (probe) =>
    Effect.catchIf(
      ask(from, probe, count),
      (error) => NOT_GRANTED.has(error._tag),
      () =>
        Effect.as(printError(`${probe.route}: omitted, no token with ${probe.scope}`), undefined),
    ),
  );
  const found = known.filter((limits) => limits !== undefined);
  if (found.length === 0)
    return yield* failure("scope-missing", "The token permits none of the routes.");
  return found;
});

/** Errors of a token or client that does not permit a route. */
const NOT_GRANTED: ReadonlySet<string> = new Set([
  "Forbidden",
  "InvalidScope",
  "InsufficientScope",
]);

const ask = Effect.fnUntraced(function* (from: Settings, probe: LimitProbe, count: number) {
  const services = yield* connect(from, [probe.scope]);
  return yield* fetchLimits(Context.get(services, GameApi), probe, count);
});
