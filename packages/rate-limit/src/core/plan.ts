/**
 * The planner: permits a request, or says until when it has to wait. Pure arithmetic over plain
 * data. The caller brings the time and sends the requests.
 */
import { age, newBelief } from "./Belief.ts";
import { NEVER } from "./basics.ts";
import { busyUntil, closeLease, openLease } from "./leases.ts";
import { add, drop } from "./Log.ts";
import type { Hit, WindowState } from "./Log.ts";
import { opening } from "./opening.ts";
import { isPlaceholder, likeliest, logOf, policiesOf, policyNamed, STATED } from "./State.ts";
import type { Ask, CoreOptions, Grant, Policy, State, StatedLimit } from "./State.ts";

/** The reason why a request has to wait. */
export interface Wait {
  /** `Infinity`: for a response. */
  readonly until: number;
  /** The earliest time at which it may go, as far as is known. */
  readonly soonest: number;
  readonly policy: string;
  readonly window?: WindowState | undefined;
  readonly reason: "blocked" | "window" | "in-flight" | "learning";
}

const MOST_UNPLACED = 200;
/** Share of the smallest round trip that is sure to lie between two stamps. */
const CREDIT = 0.7;
/** So many round trips have a short one among them. */
const ENOUGH_TRIPS = 16;
/** Networks change: the shortest trip is one of this time or the one before. */
const SPELL_MILLIS = 600_000;
/** The first spell is shorter by this: half a minute, since a program that starts is slow. */
const HEAD_START = 570_000;
const TRIP_SHARE = 0.1;

/** Permits a request, or says until when it has to wait. */
export const tryAcquire = (
  state: State,
  ask: Ask,
  now: number,
  options: CoreOptions,
): Grant | Wait => {
  const { guestOf, policies } = plannedFor(state, ask, now, options);
  let wait = blindWait(state, ask, now);
  const probes: Array<WindowState> = [];
  for (const name of policies) {
    const policy = policyNamed(state, name);
    const found = waitAsGuest(policy, guestOf, now, waitFor(policy, { ask, now, options, probes }));
    if (found?.reason === "window") policy.waitedAt = now;
    if (found && (!wait || found.until > wait.until)) wait = found;
  }
  if (wait) return wait;
  const hit: Hit = {
    id: ask.id,
    sent: now,
    received: NEVER,
    lostAt: now + options.inFlightTimeout,
  };
  const counting = policies.map((name) => policyNamed(state, name));
  for (const policy of counting) {
    policy.grantedAt = now;
    if (policy.windows.length === 0)
      policy.unplaced = [...policy.unplaced.slice(-MOST_UNPLACED), { hit, identity: ask.identity }];
    for (const window of policy.windows) {
      const log = logOf(window, ask.identity, options);
      add(window, log, hit, now);
      if (probes.includes(window)) log.probe = ask.id;
    }
  }
  const grant = { ...ask, grantedAt: now, policies, guestOf, hit };
  openLease(state, grant, counting);
  return grant;
};

/** Of a service that has not answered yet, one request goes at a time, and one more each second. */
const BLIND_MILLIS = 1000;
/** A guest does not wait for longer than the shortest window of its host, within these bounds. */
const GUEST_MILLIS = [10_000, 60_000] as const;

/** The policies that a request has to fit. */
export const plannedFor = (
  state: State,
  { route }: Pick<Ask, "route">,
  now: number,
  options: CoreOptions,
): { readonly policies: ReadonlyArray<string>; readonly guestOf: string | undefined } => {
  const policies = policiesOf(state, route, now);
  const [first] = policies as readonly [string];
  if (!isPlaceholder(first)) return { policies, guestOf: undefined };
  const isUnknown = (state.policies.get(first)?.limits ?? "unknown") === "unknown";
  // A route of which nothing is known is a guest of the policy that most others have.
  const host = isUnknown ? likeliest(state) : undefined;
  if (host !== undefined && state.policies.get(host)?.limits === "learned")
    return { policies: [host, first], guestOf: host };
  return {
    policies: statePolicy(state, now, options) ? [STATED, first] : policies,
    guestOf: undefined,
  };
};

/** Keeps the policy of the stated limits; `false`: there are none. What was counted stays counted. */
const statePolicy = (state: State, now: number, { stated }: CoreOptions): boolean => {
  if (stated.length === 0) return false;
  const policy = policyNamed(state, STATED);
  policy.limits = "learned";
  for (const limit of stated) {
    const { max, period } = limit;
    const window = policy.windows.find((each) => each.period === period);
    if (!window) policy.windows = [...policy.windows, { ...silentWindow(limit, now), stated: max }];
    // Another number is stated than the one that a refusal may have lowered.
    else if (window.stated !== max) window.max = window.stated = max;
  }
  return true;
};

/** A window of which no response tells anything. */
export const silentWindow = ({ max, period }: StatedLimit, now: number): WindowState => ({
  key: `client:${period}`,
  rule: "client",
  max,
  period,
  seenAt: now,
  isPlain: true,
  belief: newBelief(period, max, [], now),
  logs: new Map(),
});

const blindWait = ({ isHeard, leases }: State, { route }: Ask, now: number): Wait | undefined => {
  if (isHeard || leases.size === 0) return undefined;
  const until = [...leases.values()].at(-1)!.grantedAt + BLIND_MILLIS;
  if (until <= now) return undefined;
  return { until, soonest: now, policy: `?${route}`, reason: "learning" };
};

/** A route of another policy must not wait for the long windows of its host. */
const waitAsGuest = (
  { grantedAt, name, windows }: Policy,
  guestOf: string | undefined,
  now: number,
  wait: Wait | undefined,
): Wait | undefined => {
  if (!wait || name !== guestOf) return wait;
  const [least, most] = GUEST_MILLIS;
  const shortest = Math.min(...windows.map(({ period }) => period));
  const until = grantedAt + Math.min(most, Math.max(least, shortest)) + BLIND_MILLIS;
  if (until <= now) return undefined;
  return { ...wait, until: Math.min(wait.until, until), soonest: Math.min(wait.soonest, until) };
};

/** A request that is being planned. */
interface Plan {
  readonly ask: Ask;
  readonly now: number;
  readonly options: CoreOptions;
  /** The windows that it would probe. */
  readonly probes: Array<WindowState>;
}

/** Finds the wait of a request under one policy. */
const waitFor = (policy: Policy, { ask, now, options, probes }: Plan): Wait | undefined => {
  const { blockedUntil, name, windows } = policy;
  if (blockedUntil > now)
    return { until: blockedUntil, soonest: blockedUntil, policy: name, reason: "blocked" };
  const freeAt = busyUntil(policy, concurrencyOf(policy, now, options), now);
  if (freeAt > now) {
    const reason = policy.limits === "unknown" ? "learning" : "in-flight";
    return { until: freeAt, soonest: now, policy: name, reason };
  }
  const credit = creditOf(policy);
  let worst: Wait | undefined;
  for (const window of windows) {
    age(window.belief, now);
    const spare = options.spare(window.max) + (ask.reserve ?? 0);
    const log = logOf(window, ask.identity, options);
    const { at, probe, soonest } = opening(window, log, now, { credit, spare });
    if (at > now && (!worst || at > worst.until))
      worst = { until: at, soonest, policy: name, window, reason: "window" };
    if (probe) probes.push(window);
  }
  return worst;
};

/** A request arrives at least this much later than a response is old. */
export const creditOf = ({ minRoundTrip, shortest }: Policy): number =>
  minRoundTrip < NEVER ? Math.min(minRoundTrip, shortest) * CREDIT : 0;

/** Remembers how long a request took. The first trips may all have been slow ones. */
export const observeTrip = (policy: Policy, trip: number, now: number): void => {
  policy.roundTrip += (trip - policy.roundTrip) * (policy.roundTrip ? TRIP_SHARE : 1);
  policy.shortest = Math.min(policy.shortest, trip);
  policy.spellSince ||= now - HEAD_START;
  if (++policy.trips < ENOUGH_TRIPS || now - policy.spellSince < SPELL_MILLIS) return;
  policy.minRoundTrip = policy.shortest;
  policy.shortest = NEVER;
  policy.trips = 0;
  policy.spellSince = now;
};

/** The most requests in flight: as many as the throughput of full windows needs. */
const concurrencyOf = (policy: Policy, now: number, options: CoreOptions): number => {
  if (policy.limits === "unknown" || policy.recovering) return 1;
  if (policy.limits === "none") return options.concurrencyWithoutHeaders;
  let needed = NEVER;
  let longest = 0;
  for (const { max, period } of policy.windows) {
    needed = Math.min(needed, (max / period) * policy.roundTrip);
    longest = Math.max(longest, period);
  }
  return now - policy.waitedAt > longest ? NEVER : 1 + Math.ceil(needed * 2 - 0.5);
};

/** Takes a request back that was not sent. */
export const cancel = (state: State, grant: Grant, options: CoreOptions): void => {
  closeLease(state, grant);
  for (const name of grant.policies) leave(state, name, grant, options);
};

/** Takes a request out of a policy that did not count it. */
export const leave = (state: State, name: string, grant: Grant, options: CoreOptions): void => {
  const policy = state.policies.get(name);
  if (!policy) return;
  for (const window of policy.windows) drop(logOf(window, grant.identity, options), grant.id);
  const isIdle = policy.limits === "unknown" && policy.inFlight.size === 0;
  if (isIdle && isPlaceholder(name) && policy.blockedUntil === -NEVER) state.policies.delete(name);
};
