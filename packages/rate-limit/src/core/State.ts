/**
 * The planning core: policies, routes and requests. Pure arithmetic over plain data; the caller
 * brings the time (milliseconds of a monotonic clock) and sends the requests.
 */
import type { RateLimitInfo, RateLimitWindow } from "../RateLimitDialect.ts";
import { age, BUCKET_SIZES, newBelief, startOver } from "./Belief.ts";
import { newClientErrors } from "./ClientErrors.ts";
import type { ClientErrors } from "./ClientErrors.ts";
import { add, drop, land, newLog, observe, opening, prune } from "./Window.ts";
import type { Hit, Log, WindowState } from "./Window.ts";

/** How the core plans; times in milliseconds. */
export interface CoreOptions {
  /** Rules whose budget all identities share. */
  readonly isShared: (rule: string) => boolean;
  readonly bucketSizes: ReadonlyArray<number>;
  readonly concurrencyWithoutHeaders: number;
  readonly inFlightTimeout: number;
  /** Places of a window that stay free, for the requests of a successor that knows nothing. */
  readonly spare: (max: number) => number;
}

export const defaultOptions: CoreOptions = {
  isShared: (rule) => rule === "ip" || rule === "client",
  bucketSizes: BUCKET_SIZES,
  concurrencyWithoutHeaders: 4,
  inFlightTimeout: 90_000,
  spare: () => 0,
};

/** One policy. */
export interface Policy {
  readonly name: string;
  limits: "unknown" | "none" | "learned";
  windows: Array<WindowState>;
  /** Requests without a response, over all identities. */
  readonly inFlight: Set<string>;
  blockedUntil: number;
  blockedSince: number;
  /** Refusals without any time in them, one after the other. */
  refusals: number;
  /** After a refusal requests go one by one until one succeeds. */
  recovering: boolean;
  /** A request had to wait lately: bursts would gain nothing. */
  waitedAt: number;
  /** Recent round trips. */
  roundTrip: number;
  minRoundTrip: number;
  minSince: number;
  /** Requests of a route before its first policy was named. */
  unplaced: Array<{ readonly hit: Hit; readonly identity: string }>;
}

/** Everything that a limiter knows. */
export interface State {
  readonly policies: Map<string, Policy>;
  /** For each route the policies that its responses named, and when. */
  readonly routes: Map<string, Map<string, number>>;
  readonly errors: ClientErrors;
}

/** A request that was permitted. */
export interface Grant {
  readonly id: string;
  readonly route: string;
  readonly identity: string;
  readonly grantedAt: number;
  readonly policies: ReadonlyArray<string>;
  readonly counted: boolean;
  readonly hit: Hit;
}

/** Why a request has to wait. */
export interface Wait {
  readonly until: number;
  /** When it may go at the earliest, as far as is known. */
  readonly soonest: number;
  readonly policy: string;
  readonly rule: string | undefined;
  readonly period: number | undefined;
  readonly reason: "blocked" | "window" | "in-flight" | "learning";
}

/** A request to plan. */
export interface Ask {
  readonly id: string;
  readonly route: string;
  readonly identity: string;
  readonly counted: boolean;
}

const NAMED_MILLIS = 600_000;
const ABSENT_MILLIS = 300_000;
const BLIND_MILLIS = 15_000;
const MAX_BLOCK_MILLIS = 900_000;
/** Header times are whole seconds, perhaps rounded down. */
const SECOND = 1000;
const MOST_UNPLACED = 200;
/** Share of the smallest round trip by which a request arrives later than a response is old. */
const CREDIT = 0.7;
const ROUND_TRIP_MEMORY = 600_000;
/** Without counts a refusal raises the flat pad by these steps. */
const PADS = [5000, 60_000];

export const newState = (): State => ({
  policies: new Map(),
  routes: new Map(),
  errors: newClientErrors(),
});

const unknownName = (route: string): string => `?${route}`;

const newPolicy = (name: string): Policy => ({
  name,
  limits: "unknown",
  windows: [],
  inFlight: new Set(),
  blockedUntil: Number.NEGATIVE_INFINITY,
  blockedSince: Number.NEGATIVE_INFINITY,
  refusals: 0,
  recovering: false,
  waitedAt: Number.NEGATIVE_INFINITY,
  roundTrip: 0,
  minRoundTrip: Number.POSITIVE_INFINITY,
  minSince: Number.NEGATIVE_INFINITY,
  unplaced: [],
});

export const policyNamed = (state: State, name: string): Policy => {
  const known = state.policies.get(name);
  if (known) return known;
  const made = newPolicy(name);
  state.policies.set(name, made);
  return made;
};

/** The policies that a request of the route has to fit. */
export const policiesOf = (state: State, route: string, now: number): ReadonlyArray<string> => {
  const named = state.routes.get(route);
  if (!named) return [unknownName(route)];
  let newest: string | undefined;
  for (const [name, at] of named) {
    if (newest === undefined || at >= named.get(newest)!) newest = name;
  }
  const names: Array<string> = [];
  for (const [name, at] of named) {
    if (name === newest || at + NAMED_MILLIS > now) names.push(name);
    else named.delete(name);
  }
  return names;
};

export const logOf = (
  window: WindowState,
  identity: string,
  { isShared }: Pick<CoreOptions, "isShared">,
): Log => {
  const scope = isShared(window.rule) ? "" : identity;
  const known = window.logs.get(scope);
  if (known) return known;
  const made = newLog();
  window.logs.set(scope, made);
  return made;
};

const creditOf = (policy: Policy): number =>
  Number.isFinite(policy.minRoundTrip) ? policy.minRoundTrip * CREDIT : 0;

/** Requests in flight that the throughput of a policy needs, once its windows are full. */
const concurrencyOf = (policy: Policy, now: number): number => {
  let needed = Number.POSITIVE_INFINITY;
  let longest = 0;
  for (const { max, period } of policy.windows) {
    needed = Math.min(needed, (max / period) * policy.roundTrip);
    longest = Math.max(longest, period);
  }
  if (now - policy.waitedAt > longest) return Number.POSITIVE_INFINITY;
  return 1 + Math.ceil(needed * 2 - 0.5);
};

const waitOf = (
  policy: Policy,
  until: number,
  reason: Wait["reason"],
  window?: WindowState,
  soonest: number = until,
): Wait => ({
  until,
  soonest,
  policy: policy.name,
  rule: window?.rule,
  period: window?.period,
  reason,
});

/** What one policy has against a request now. */
const planPolicy = (
  policy: Policy,
  ask: Ask,
  now: number,
  options: CoreOptions,
): Wait | ReadonlyArray<WindowState> => {
  if (policy.blockedUntil > now) return waitOf(policy, policy.blockedUntil, "blocked");
  if (!ask.counted) return [];
  const flying = policy.inFlight.size;
  const limit =
    policy.limits === "unknown" || policy.recovering
      ? 1
      : policy.limits === "none"
        ? options.concurrencyWithoutHeaders
        : concurrencyOf(policy, now);
  if (flying >= limit)
    return waitOf(
      policy,
      Number.POSITIVE_INFINITY,
      policy.limits === "unknown" ? "learning" : "in-flight",
      undefined,
      now,
    );
  let worst: Wait | undefined;
  const probes: Array<WindowState> = [];
  for (const window of policy.windows) {
    age(window.belief, now);
    const log = logOf(window, ask.identity, options);
    const { at, probe, soonest } = opening(
      window,
      log,
      now,
      creditOf(policy),
      options.spare(window.max),
    );
    if (at > now) {
      if (!worst || at > worst.until) worst = waitOf(policy, at, "window", window, soonest);
    } else if (probe) probes.push(window);
  }
  return worst ?? probes;
};

/** Permits a request, or says until when it has to wait (`Infinity`: for a response). */
export const tryAcquire = (
  state: State,
  ask: Ask,
  now: number,
  options: CoreOptions,
): Grant | Wait => {
  const names = policiesOf(state, ask.route, now);
  let wait: Wait | undefined;
  let probes: Array<WindowState> = [];
  for (const name of names) {
    const policy = policyNamed(state, name);
    const planned = planPolicy(policy, ask, now, options);
    if ("until" in planned) {
      if (planned.reason === "window") policy.waitedAt = now;
      if (!wait || planned.until > wait.until) wait = planned;
    } else probes = probes.concat(planned);
  }
  if (wait) return wait;
  const hit: Hit = {
    id: ask.id,
    sent: now,
    received: Number.POSITIVE_INFINITY,
    lostAt: now + options.inFlightTimeout,
  };
  for (const name of names) {
    const policy = policyNamed(state, name);
    if (!ask.counted) continue;
    policy.inFlight.add(ask.id);
    if (policy.windows.length === 0)
      policy.unplaced = [...policy.unplaced.slice(-MOST_UNPLACED), { hit, identity: ask.identity }];
    for (const window of policy.windows) {
      const log = logOf(window, ask.identity, options);
      add(window, log, hit);
      if (probes.includes(window)) log.probe = ask.id;
    }
  }
  return {
    id: ask.id,
    route: ask.route,
    identity: ask.identity,
    grantedAt: now,
    policies: names,
    counted: ask.counted,
    hit,
  };
};

/** Takes a request back that was not sent. */
export const cancel = (state: State, grant: Grant, options: CoreOptions): void => {
  for (const name of grant.policies) forget(state, name, grant, options);
};

const forget = (state: State, name: string, grant: Grant, options: CoreOptions): void => {
  const policy = state.policies.get(name);
  if (!policy) return;
  policy.inFlight.delete(grant.id);
  for (const window of policy.windows) drop(logOf(window, grant.identity, options), grant.id);
  if (policy.limits === "unknown" && policy.inFlight.size === 0 && name.startsWith("?"))
    if (policy.blockedUntil === Number.NEGATIVE_INFINITY) state.policies.delete(name);
};

/** The response to a request; `status` is `undefined` without one. */
export interface Response {
  readonly status: number | undefined;
  readonly info: RateLimitInfo | undefined;
}

/** Records the response to a request and learns from it. */
export const settle = (
  state: State,
  grant: Grant,
  { info, status }: Response,
  now: number,
  options: CoreOptions,
): void => {
  const named = info?.policy ?? (info && info.windows.length > 0 ? grant.policies[0]! : undefined);
  grant.hit.received = now;
  if (status === undefined) grant.hit.uncertain = true;
  if (named !== undefined && info?.policy !== undefined) {
    const route = state.routes.get(grant.route) ?? new Map<string, number>();
    route.set(named, now);
    state.routes.set(grant.route, route);
  }
  const unplaced = grant.policies.flatMap((name) =>
    name === named ? [] : (state.policies.get(name)?.unplaced ?? []),
  );
  for (const name of grant.policies) {
    if (named !== undefined && name !== named) {
      forget(state, name, grant, options);
      continue;
    }
    const policy = policyNamed(state, name);
    policy.inFlight.delete(grant.id);
    for (const window of policy.windows)
      land(window, logOf(window, grant.identity, options), grant.id);
  }
  for (const name of named === undefined ? grant.policies : [named])
    learn(policyNamed(state, name), grant, status, info, now, options, unplaced);
};

const learn = (
  policy: Policy,
  grant: Grant,
  status: number | undefined,
  info: RateLimitInfo | undefined,
  now: number,
  options: CoreOptions,
  unplaced: Policy["unplaced"],
): void => {
  if (status === undefined) return;
  roundTrip(policy, now - grant.grantedAt, now);
  learnWindows(policy, grant, status, info, now, options, [...policy.unplaced, ...unplaced]);
  if (policy.windows.length > 0) policy.unplaced = [];
  const restricted = Math.max(0, ...(info?.windows ?? []).map((w) => w.restrictedMillis ?? 0));
  if (status === 429) onViolation(policy, grant, info, restricted, now, options);
  let revealed = 0;
  for (const measured of info?.windows ?? []) {
    const window = policy.windows.find((each) => each.key === keyOf(measured));
    if (!window || measured.hits === undefined) continue;
    const log = logOf(window, grant.identity, options);
    revealed += observe(window, log, {
      id: grant.id,
      count: measured.hits,
      sent: grant.grantedAt,
      received: now,
      counted: grant.counted,
    });
  }
  if (status === 429) return;
  if (status < 500 && grant.grantedAt >= policy.blockedSince) {
    policy.recovering = false;
    policy.refusals = 0;
  }
  if (restricted > 0)
    policy.blockedUntil = Math.max(policy.blockedUntil, now + restricted + SECOND);
};

const roundTrip = (policy: Policy, millis: number, now: number): void => {
  policy.roundTrip = policy.roundTrip === 0 ? millis : policy.roundTrip * 0.9 + millis * 0.1;
  if (millis <= policy.minRoundTrip || now - policy.minSince > ROUND_TRIP_MEMORY) {
    policy.minRoundTrip = millis;
    policy.minSince = now;
  }
};

const keyOf = (window: RateLimitWindow): string => `${window.rule}:${window.periodMillis}`;

const learnWindows = (
  policy: Policy,
  grant: Grant,
  status: number,
  info: RateLimitInfo | undefined,
  now: number,
  options: CoreOptions,
  unplaced: Policy["unplaced"],
): void => {
  const measured = info?.windows ?? [];
  if (measured.length === 0) {
    if (policy.limits === "unknown" && grant.counted && status < 400) policy.limits = "none";
    return;
  }
  const first = policy.limits !== "learned";
  policy.limits = "learned";
  const early = first ? unplaced : [];
  const rules = new Set(measured.map(({ rule }) => rule));
  const keys = new Set(measured.map(keyOf));
  const known = new Set(policy.windows.map(({ rule }) => rule));
  const replaced = [...rules].some((rule) => !known.has(rule));
  // Another period of the same rule, or other rules, is evidence; mere absence is not.
  policy.windows = policy.windows.filter((window) => {
    if (keys.has(window.key)) return true;
    if (rules.has(window.rule) || replaced) return false;
    return window.seenAt + Math.max(2 * window.period, ABSENT_MILLIS) > now;
  });
  for (const each of measured) {
    const key = keyOf(each);
    let window = policy.windows.find((candidate) => candidate.key === key);
    if (!window) {
      window = {
        key,
        rule: each.rule,
        max: each.max,
        period: each.periodMillis,
        seenAt: now,
        belief: newBelief(each.periodMillis, each.max, options.bucketSizes, now),
        logs: new Map(),
      };
      policy.windows.push(window);
    }
    window.max = each.max;
    window.seenAt = now;
    // Sent when the policy was not known yet, or under another one.
    const log = logOf(window, grant.identity, options);
    if (grant.counted && !log.hits.some((hit) => hit.id === grant.id)) add(window, log, grant.hit);
    for (const { hit, identity } of early) {
      const other = logOf(window, identity, options);
      if (!other.hits.some(({ id }) => id === hit.id)) add(window, other, hit);
    }
  }
  if (first && policy.inFlight.size > 0) policy.waitedAt = now;
};

const onViolation = (
  policy: Policy,
  grant: Grant,
  info: RateLimitInfo | undefined,
  restricted: number,
  now: number,
  options: CoreOptions,
): void => {
  const asked = Math.max(info?.retryAfterMillis ?? 0, restricted);
  // Part of the incident that the policy waits for already.
  const isSame = grant.grantedAt < policy.blockedSince;
  if (!isSame) {
    if (asked === 0) policy.refusals++;
    for (const window of policy.windows) blame(window, grant, info, now, options);
    policy.blockedSince = now;
  }
  policy.recovering = true;
  const millis =
    asked > 0
      ? asked + SECOND
      : Math.min(
          BLIND_MILLIS * 2 ** Math.min(Math.max(0, policy.refusals - 1), 6),
          MAX_BLOCK_MILLIS,
        );
  policy.blockedUntil = Math.max(policy.blockedUntil, now + millis);
};

/** The own arithmetic allowed the request, the server's did not. */
const blame = (
  window: WindowState,
  grant: Grant,
  info: RateLimitInfo | undefined,
  now: number,
  options: CoreOptions,
): void => {
  const { belief } = window;
  const measured = info?.windows.find((each) => keyOf(each) === window.key);
  const log = logOf(window, grant.identity, options);
  prune(window, log, now);
  if (measured?.hits === undefined && !belief.counts) {
    const steps = window.period < 60_000 ? PADS : PADS.slice(1);
    const pad = steps.find((step) => step > belief.pad) ?? belief.pad;
    startOver(belief, options.bucketSizes, pad, now);
    return;
  }
  if (measured?.hits === undefined || measured.hits <= window.max) return;
  let own = 0;
  for (let index = 0; index < log.hits.length; index++)
    if (log.last[index]! > grant.grantedAt) own += log.hits[index]!.weight ?? 1;
  if (own >= measured.hits || log.arrivals.length > 0) return;
  const pad = belief.living.every((h) => h.size === 0)
    ? Math.min(60_000, Math.max(1000, belief.pad * 2))
    : 0;
  startOver(belief, options.bucketSizes, pad, now);
};
