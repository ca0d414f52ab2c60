/**
 * When the next requests of a route could be sent, and what is known about it, for people.
 */
import type { PolicySnapshot } from "../Model.ts";
import { logOf, policiesOf } from "./State.ts";
import type { CoreOptions, Policy, State } from "./State.ts";
import { add, likelyOpening, newLog, prune } from "./Window.ts";

/** When the next `count` requests could be sent if nobody else sent any; instants of `now`. */
export const forecast = (
  state: State,
  route: string,
  identity: string,
  count: number,
  now: number,
  options: CoreOptions,
): { readonly starts: ReadonlyArray<number>; readonly known: boolean } => {
  const policies = policiesOf(state, route, now).flatMap((name) => state.policies.get(name) ?? []);
  const known = policies.some(({ limits }) => limits === "learned");
  const windows = policies.flatMap((policy) =>
    policy.windows.map((window) => {
      const log = newLog();
      for (const hit of logOf(window, identity, options).hits)
        log.hits.push(
          Number.isFinite(hit.received) ? hit : { ...hit, received: now + policy.roundTrip },
        );
      return { window, log, roundTrip: policy.roundTrip };
    }),
  );
  let at = Math.max(now, ...policies.map(({ blockedUntil }) => blockedUntil));
  const starts: Array<number> = [];
  for (let index = 0; index < count; index++) {
    // Openings of one window move those of another: look until all agree.
    for (let before = -1; before !== at;) {
      before = at;
      for (const { log, window } of windows) {
        prune(window, log, at);
        at = likelyOpening(window, log, at, window.max - options.spare(window.max));
      }
    }
    starts.push(at);
    for (const { log, roundTrip, window } of windows)
      add(window, log, {
        id: `forecast-${index}`,
        sent: at,
        received: at + roundTrip,
        lostAt: Number.POSITIVE_INFINITY,
      });
  }
  return { starts, known };
};

/** What is known about a policy; `toWall` turns an instant into milliseconds since 1970. */
export const snapshotOf = (
  policy: Policy,
  identity: string,
  now: number,
  options: CoreOptions,
  toWall: (at: number) => number,
): PolicySnapshot => ({
  name: policy.name,
  blockedUntil: policy.blockedUntil > now ? toWall(policy.blockedUntil) : undefined,
  inFlight: policy.inFlight.size,
  windows: policy.windows.map((window) => {
    const log = logOf(window, identity, options);
    prune(window, log, now);
    let used = 0;
    let foreign = 0;
    let excess = 0;
    for (let index = 0; index < log.hits.length; index++) {
      const hit = log.hits[index]!;
      if (Math.min(hit.received, now) + window.period <= now) continue;
      used += hit.weight ?? 1;
      foreign += hit.weight ?? 0;
      if (Number.isFinite(hit.received))
        excess = Math.max(excess, log.last[index]! - hit.received - window.period);
    }
    return {
      rule: window.rule,
      max: window.max,
      periodMillis: window.period,
      used,
      excessMillis: Math.round(excess),
      foreign,
    };
  }),
});
