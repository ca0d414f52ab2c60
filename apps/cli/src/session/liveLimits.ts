/**
 * The rate-limit windows of every route that the settings' tokens open, by one small request each.
 */
import { fetchLimits, GameApi, type LimitProbe, limitProbes } from "@game-data/api-client";
import { Context, Effect } from "effect";
import { connect } from "@game-data/terminal/Connection";
import { failure } from "@game-data/terminal/Failure";
import { note } from "@game-data/terminal/Output";
import type { Settings } from "@game-data/terminal/Settings";

/**
 * What is known of each route, and how long `count` requests would take. Routes without a token are
 * named on stderr and left out.
 */
export const liveLimits = Effect.fnUntraced(function* (from: Settings, count: number) {
  const known = yield* Effect.forEach(limitProbes, (probe) =>
    Effect.catchIf(
      ask(from, probe, count),
      (error) => NOT_GRANTED.has(error._tag),
      () => Effect.as(note(`${probe.route}: no token with ${probe.scope}`), undefined),
    ),
  );
  const found = known.filter((limits) => limits !== undefined);
  if (found.length === 0)
    return yield* failure("scope-missing", "No scope of the token opens a route to look at.");
  return found;
});

/** The token, or the client, is not for a route. */
const NOT_GRANTED: ReadonlySet<string> = new Set([
  "Forbidden",
  "InvalidScope",
  "InsufficientScope",
]);

const ask = Effect.fnUntraced(function* (from: Settings, probe: LimitProbe, count: number) {
  const services = yield* connect(from, [probe.scope]);
  return yield* fetchLimits(Context.get(services, GameApi), probe, count);
});
