/**
 * Reads what a limiter knows, for people: forecasts, snapshots, and why requests wait.
 *
 * ```ts
 * import { createLimiter } from "@game-data/rate-limit";
 * import { explain, forecast, snapshot } from "@game-data/rate-limit/inspect";
 *
 * const limiter = createLimiter();
 * await limiter.run({ route: "GET /users" }, () => ({ status: 200, headers: {} }));
 * const { known } = await forecast(limiter, { route: "GET /users" }, 100);
 * const { limits } = await snapshot(limiter, { route: "GET /users" });
 * if (known || limits !== "none" || explain(limiter).length > 0) throw new Error("not reached");
 * ```
 *
 * @packageDocumentation
 */
import type { Queue } from "./core/Queue.ts";
import { departure } from "./core/Belief.ts";
import { add, foreignFrom, newLog, order } from "./core/Log.ts";
import { amount, checkOption, having, text } from "./options.ts";
import type { Expected } from "./options.ts";
import { NEVER } from "./core/basics.ts";
import { blockOf, clientErrorsOf } from "./core/ClientErrors.ts";
import { likelyOpening } from "./core/opening.ts";
import { logOf, policiesOf, realName } from "./core/State.ts";
import { storeError } from "./core/StoreAccess.ts";
import type { CoreOptions, Policy, State } from "./core/State.ts";
import type {
  Explanation,
  ForecastMillis,
  LimitedRoute,
  PolicySnapshot,
  RouteSnapshot,
} from "./Model.ts";

import type { Backend } from "./Store.ts";

export type {
  ClientErrorsSnapshot,
  Explanation,
  ForecastMillis,
  PolicySnapshot,
  RouteSnapshot,
  WindowSnapshot,
} from "./Model.ts";

/** A limiter. */
export interface Inspected {
  readonly queue: Queue;
}

/**
 * The time at which the next `count` requests of the route could be sent, if nobody else sent any.
 */
export const forecast = async (
  { queue }: Inspected,
  where: LimitedRoute,
  count: number,
): Promise<ForecastMillis> => {
  checkWhere(where);
  checkOption("count", count ?? null, countable);
  const { state } = await opened(queue, where);
  const now = queue.now();
  const { identity = "default", route } = where;
  const policies = knownPolicies(state, route, now);
  const starts = startsOf(policies, { identity, count, now }, queue.options.core);
  const startsInMillis = starts.map((at) => at - now);
  return {
    startsInMillis,
    durationMillis: startsInMillis.at(-1) ?? 0,
    known: policies.some(({ limits }) => limits === "learned"),
    policy: realName(policiesOf(state, route, now).at(-1)),
  };
};

/** The known limits of the route. */
export const snapshot = async (
  { queue }: Inspected,
  where: LimitedRoute,
): Promise<RouteSnapshot> => {
  checkWhere(where);
  const { state } = await opened(queue, where);
  const now = queue.now();
  const { identity = "default", route } = where;
  const { errors } = queue.options;
  const policies = knownPolicies(state, route, now).toReversed();
  const block = blockOf(state.errors, now, errors);
  return {
    limits:
      (["learned", "none"] as const).find((each) =>
        policies.some(({ limits }) => limits === each),
      ) ?? "unknown",
    policies: policies.map((policy) => snapshotOf(policy, identity, queue, now)),
    clientErrors: clientErrorsOf(state.errors, now, errors),
    blockedUntil: block && queue.store.toWall(block.until),
  };
};

/** For each waiting route and identity, which rule of which policy holds it and until when. */
export const explain = ({ queue }: Inspected): ReadonlyArray<Explanation> => {
  const now = queue.now();
  return [...queue.groups.values()].map(({ gone, identity, isReady, route, waiters, ward }) => {
    const hold = isReady ? undefined : ward?.hold;
    const { policy, reason = "concurrency", until = now, window } = hold ?? {};
    const isDated = until > now && until < NEVER && reason !== "in-flight" && reason !== "learning";
    return {
      route,
      identity,
      waiting: waiters.length - gone,
      reason: until <= now || queue.halt === "paused" ? (queue.halt ?? reason) : reason,
      policy: realName(policy),
      rule: window?.rule,
      periodMillis: window?.period,
      until: isDated ? queue.store.toWall(until) : undefined,
    };
  });
};

/** The store, opened and up to date for a route. */
const opened = async (queue: Queue, where: LimitedRoute): Promise<Backend> => {
  try {
    await queue.open();
    await queue.store.sync(where);
    return queue.store.backend!;
  } catch (cause) {
    throw storeError(cause);
  }
};

const MOST_FORECAST = 10_000;
const countable: Expected = {
  is: `an integer from 0 to ${MOST_FORECAST}`,
  fits: (value) => amount.fits(value) && (value as number) <= MOST_FORECAST,
};

const checkWhere = (where: LimitedRoute): void => {
  checkOption("where", where ?? null, having());
  checkOption("route", where.route ?? null, text);
  checkOption("identity", where.identity, text);
};

const knownPolicies = (state: State, route: string, now: number): ReadonlyArray<Policy> =>
  policiesOf(state, route, now).flatMap((name) => state.policies.get(name) ?? []);

const startsOf = (
  policies: ReadonlyArray<Policy>,
  { count, identity, now }: { identity: string; count: number; now: number },
  core: CoreOptions,
): ReadonlyArray<number> => {
  const windows = policies.flatMap(({ roundTrip, windows: all }) =>
    all.map((window) => {
      const log = newLog();
      const { foreign, hits } = logOf(window, identity, core);
      log.foreign = foreign && { ...foreign };
      log.hits = hits.map((hit) => ({
        ...hit,
        received: Math.min(hit.received, now + roundTrip),
      }));
      order(log, now);
      return { window, log, roundTrip };
    }),
  );
  let at = Math.max(now, ...policies.map(({ blockedUntil }) => blockedUntil));
  return Array.from({ length: count }, (_, index) => {
    // Openings of one window move those of another: look until all agree.
    for (let before = -1; before !== at;) {
      before = at;
      for (const { log, window } of windows)
        at = likelyOpening(window, log, at, Math.max(1, window.max - core.spare(window.max)));
    }
    for (const { log, roundTrip, window } of windows)
      add(
        window,
        log,
        { id: `forecast-${index}`, sent: at, received: at + roundTrip, lostAt: NEVER },
        at,
      );
    return at;
  });
};

const snapshotOf = (
  policy: Policy,
  identity: string,
  queue: Queue,
  now: number,
): PolicySnapshot => ({
  name: policy.name,
  blockedUntil: policy.blockedUntil > now ? queue.store.toWall(policy.blockedUntil) : undefined,
  inFlight: policy.inFlight.size,
  windows: policy.windows.map((window) => {
    const { belief, max, period, rule } = window;
    const log = logOf(window, identity, queue.options.core);
    order(log, now);
    const others = foreignFrom(log, now - period);
    const foreign = others.reduce((sum, { weight }) => sum + weight, 0);
    const own = log.hits.filter(({ received }) => received > now - period);
    const used = own.length + foreign;
    const excess = Math.max(
      0,
      ...[...own, ...others]
        .filter(({ received }) => received < NEVER)
        .map(({ received }) => departure(belief, received).safe - received - period),
    );
    return { rule, max, periodMillis: period, used, excessMillis: Math.round(excess), foreign };
  }),
});
