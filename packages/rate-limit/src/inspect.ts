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
import { isObject, NEVER } from "./core/basics.ts";
import { blockOf, clientErrorsOf, pacedUntil } from "./core/ClientErrors.ts";
import { likelyOpening } from "./core/opening.ts";
import { plannedFor } from "./core/plan.ts";
import { logOf, policiesOf, realName, STATED } from "./core/State.ts";
import type { Policy, State } from "./core/State.ts";
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
 * The time at which the next `count` requests of the route could be sent, if nobody else sent any
 * and those in flight took as long as others did.
 */
export const forecast = async (
  limiter: Inspected,
  where: LimitedRoute,
  count: number,
): Promise<ForecastMillis> => {
  const queue = queueOf(limiter);
  checkWhere(where);
  checkOption("count", count ?? null, countable);
  const { state } = await opened(queue, where);
  const now = queue.now();
  const { route } = where;
  const policies = knownPolicies(state, route, now, queue);
  const starts =
    queue.halt === "paused"
      ? Array.from({ length: count }, () => NEVER)
      : startsOf(policies, state, { where, count, now }, queue);
  const startsInMillis = starts.map((at) => at - now);
  return {
    startsInMillis,
    durationMillis: startsInMillis.at(-1) ?? 0,
    known: policies.some(({ limits }) => limits === "learned"),
    policy: realName(policiesOf(state, route, now).at(-1)),
  };
};

/** The known limits of the route. */
export const snapshot = async (limiter: Inspected, where: LimitedRoute): Promise<RouteSnapshot> => {
  const queue = queueOf(limiter);
  checkWhere(where);
  const { state } = await opened(queue, where);
  const now = queue.now();
  const { identity = "default", route } = where;
  const { errors } = queue.options;
  const policies = knownPolicies(state, route, now, queue).toReversed();
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

/** What ends at a known time. */
const DATED: ReadonlySet<Explanation["reason"]> = new Set(["window", "blocked", "client-errors"]);

/** For each waiting route and identity, which rule of which policy holds it and until when. */
export const explain = (limiter: Inspected): ReadonlyArray<Explanation> => {
  const queue = queueOf(limiter);
  const now = queue.now();
  return [...queue.groups.values()].map(({ gone, identity, isReady, route, waiters, ward }) => {
    const hold = isReady ? undefined : ward?.hold;
    const { policy, soonest = now, window } = hold ?? {};
    // The queue may ask again before it can be its turn.
    const until = Math.max(hold?.until ?? now, soonest);
    const held = hold?.reason ?? "concurrency";
    const reason = until <= now || queue.halt === "paused" ? (queue.halt ?? held) : held;
    return {
      route,
      identity,
      waiting: waiters.length - gone,
      reason,
      policy: realName(policy),
      rule: window?.rule,
      periodMillis: window?.period,
      until:
        until > now && until < NEVER && DATED.has(reason) ? queue.store.toWall(until) : undefined,
    };
  });
};

/** The store, opened and up to date for a route. */
const opened = async (queue: Queue, where: LimitedRoute): Promise<Backend> => {
  await queue.open();
  await queue.store.sync(where);
  return queue.store.backend!;
};

const MOST_FORECAST = 10_000;
const countable: Expected = {
  is: `an integer from 0 to ${MOST_FORECAST}`,
  fits: (value) => amount.fits(value) && (value as number) <= MOST_FORECAST,
};

const aLimiter: Expected = {
  is: "a limiter",
  fits: (value) => isObject(value) && isObject(value["queue"]),
};

const queueOf = (limiter: Inspected): Queue => {
  checkOption("limiter", limiter ?? null, aLimiter);
  return limiter.queue;
};

const checkWhere = (where: LimitedRoute): void => {
  checkOption("where", where ?? null, having());
  checkOption("route", where.route ?? null, text);
  checkOption("identity", where.identity, text);
};

/** Those that a request has to fit for sure: the ones that responses named, or what is stated. */
const knownPolicies = (
  state: State,
  route: string,
  now: number,
  { options }: Queue,
): ReadonlyArray<Policy> => {
  const { guestOf, policies } = plannedFor(state, { route }, now, options.core);
  const names = policies.includes(STATED) ? [STATED] : policies;
  return names.flatMap((name) => (name === guestOf ? [] : (state.policies.get(name) ?? [])));
};

/** The time at which fewer than `most` requests are in flight. */
const placeFrom = ({ leases, policies }: State, most: number, now: number): number => {
  const ends = [...leases.values()].map((lease) => {
    const trips = lease.policies.map((name) => policies.get(name)?.roundTrip ?? 0);
    const end = lease.grantedAt + Math.max(...trips);
    return end > now ? end : lease.hit.lostAt;
  });
  return ends.toSorted((a, b) => a - b)[leases.size - most] ?? now;
};

const startsOf = (
  policies: ReadonlyArray<Policy>,
  state: State,
  { count, now, where }: { where: LimitedRoute; count: number; now: number },
  { options }: Queue,
): ReadonlyArray<number> => {
  const { core } = options;
  const { identity = "default", route } = where;
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
      // With logs of its own: to add a request makes a window forget what has left by then.
      return { window: { ...window, logs: new Map(), sweeping: undefined }, log, roundTrip };
    }),
  );
  const errors = structuredClone(state.errors);
  let at = Math.max(
    blockOf(errors, now, options.errors)?.until ?? now,
    placeFrom(state, options.maxInFlight, now),
    ...policies.map(({ blockedUntil }) => blockedUntil),
  );
  return Array.from({ length: count }, (_, index) => {
    // Openings of one window move those of another: look until all agree.
    for (let before = -1; before !== at;) {
      before = at;
      at = Math.max(at, pacedUntil(errors, route, at, options.errors));
      for (const { log, window } of windows)
        at = likelyOpening(window, log, at, Math.max(1, window.max - core.spare(window.max)));
    }
    if (errors.routes.has(route)) errors.pacedAt = at;
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
