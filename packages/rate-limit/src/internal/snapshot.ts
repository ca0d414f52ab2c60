/**
 * What people may read in the limiter's books.
 */
import * as Duration from "effect/Duration";
import type { Forecast, PolicySnapshot } from "../effect/Model.ts";
import { entriesOf, forecast } from "./Planner.ts";
import { weightOf } from "./PolicyState.ts";
import type { PolicyState } from "./PolicyState.ts";

/** When the next `count` requests would go. */
export const forecastOf = (
  state: PolicyState,
  now: number,
  policy: string | undefined,
  count: number,
): Forecast => {
  const startsInMillis = forecast(state, now, count).map((time) => time - now);
  return {
    startsInMillis,
    duration: Duration.millis(startsInMillis.at(-1) ?? 0),
    known: state.knowledge === "learned",
    policy,
  };
};

/** What is known about a policy. */
export const snapshotOf = (state: PolicyState, now: number): PolicySnapshot => ({
  name: state.name,
  blockedUntil: state.holdUntil > now ? state.holdUntil : undefined,
  inFlight: state.hits.filter((hit) => hit.settled === undefined).length,
  windows: state.windows.map((window) => ({
    rule: window.rule,
    max: window.max,
    periodMillis: window.period,
    used: entriesOf(state, window)
      .filter((hit) => (hit.settled ?? now) + window.period > now)
      .reduce((sum, hit) => sum + weightOf(hit), 0),
    excessMillis: window.evidence,
  })),
});
