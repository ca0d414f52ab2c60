/**
 * Converts a limiter's knowledge to JSON and back. Times in a log are ages at `savedAt`: a wall
 * clock that was set back makes requests younger, never older. What was in flight loads as received
 * at once.
 *
 * Processes with a common store tell each other the same without the logs: the windows of a
 * service, the hypotheses about hidden buckets that are left, and blocks.
 */
import { newBelief, replace, REVIVE_MILLIS } from "../core/Belief.ts";
import type { Belief, Hypothesis } from "../core/Belief.ts";
import { NEVER } from "../core/basics.ts";
import { isPlaceholder, namePolicy, newState, policyNamed, STATED } from "../core/State.ts";
import type { CoreOptions, State } from "../core/State.ts";
import { newLog } from "../core/Log.ts";
import type { Log, WindowState } from "../core/Log.ts";

type FrozenHit = readonly [
  id: string,
  sentAge: number,
  /** -1: in flight. */
  receivedAge: number,
  weight: number,
  uncertain: 0 | 1,
];

/** Hypotheses side by side: size, first boundary by the wall clock, width, strained, number. */
type FrozenRun = [number, number, number, 0 | 1, number];

/** Requests in flight when the state was saved may arrive until then. */
const LOST_MILLIS = 1000;

const mod = (x: number, size: number): number => ((x % size) + size) % size;

const runsOf = (living: ReadonlyArray<Hypothesis>, offset: number): ReadonlyArray<FrozenRun> => {
  const runs: Array<FrozenRun> = [];
  for (const [index, { from, size, strained, to }] of living.entries()) {
    const last = living[index - 1];
    const isNext = last?.size === size && last.strained === strained;
    if (isNext && Math.abs(from - last.to) < 1e-3) runs.at(-1)![4]++;
    else {
      const boundary = size === 0 ? 0 : mod(from + offset, size);
      runs.push([size, boundary, to - from, strained ? 1 : 0, 1]);
    }
  }
  return runs;
};

/** The monotonic clock of the state, and the wall clock at the same moment. */
interface Moment {
  readonly now: number;
  readonly wall: number;
}

const freezeLog = ({ foreign, hits }: Log, now: number): ReadonlyArray<FrozenHit> => [
  ...hits.map(({ id, received, sent, uncertain }): FrozenHit => {
    const receivedAge = Number.isFinite(received) ? now - received : -1;
    return [id, now - sent, receivedAge, 0, uncertain ? 1 : 0];
  }),
  ...(foreign?.hits ?? []).map(({ received, sent, weight }): FrozenHit => [
    "",
    now - sent,
    now - received,
    weight,
    0,
  ]),
];

const freezeWindow = (
  { belief, logs, max, period, rule, seenAt, stated }: WindowState,
  { now, wall }: Moment,
) => ({
  rule,
  max,
  stated,
  period,
  seenAge: now - seenAt,
  counts: belief.counts,
  slack: belief.slack,
  pad: belief.pad,
  padAge: now - belief.padSince,
  revivedAge: now - belief.revivedAt,
  living: runsOf(belief.living, wall - now),
  logs: Object.fromEntries(
    [...logs]
      .map(([scope, log]) => [scope, freezeLog(log, now)] as const)
      .filter(([, hits]) => hits.length > 0),
  ),
});

type FrozenWindow = ReturnType<typeof freezeWindow>;

const agesOf = (times: ReadonlyMap<string, number>, now: number) =>
  Object.fromEntries([...times].map(([name, at]) => [name, now - at]));

/** In the order of their times: an object has keys like `1` before all others. */
const timesOf = (ages: Readonly<Record<string, number>>, now: number) =>
  new Map(
    Object.entries(ages)
      .toSorted(([, a], [, b]) => b - a)
      .map(([name, age]) => [name, now - age]),
  );

/**
 * The state as plain JSON. `now` is the monotonic clock of the state, `wall` the wall clock at the
 * same moment.
 */
export const freeze = ({ errors, policies, routes }: State, now: number, wall: number) => ({
  version: 2,
  savedAt: wall,
  policies: [...policies.values()].map(({ blockedUntil, limits, name, recovering, windows }) => ({
    name,
    limits,
    blockedFor: Math.max(0, blockedUntil - now),
    recovering,
    windows: windows.map((window) => freezeWindow(window, { now, wall })),
  })),
  routes: Object.fromEntries([...routes].map(([route, named]) => [route, agesOf(named, now)])),
  errors: {
    ages: errors.times.map((at) => now - at),
    blockingAges: errors.blocking.map((at) => now - at),
    routes: agesOf(errors.routes, now),
    firewallFor: Math.max(0, errors.firewallUntil - now),
  },
});

export type FrozenState = ReturnType<typeof freeze>;

/** When a frozen state is read again. */
interface Thawing extends Moment {
  /** Since it was saved; 0 where the wall clock was set back. */
  readonly passed: number;
  readonly isJumped: boolean;
  readonly options: CoreOptions;
}

const thawLog = (hits: ReadonlyArray<FrozenHit>, { now, passed }: Thawing): Log => {
  const log = newLog();
  for (const [id, sentAge, receivedAge, weight, uncertain] of hits) {
    const isLost = receivedAge < 0;
    const sent = now - sentAge - passed;
    const received = isLost ? now + LOST_MILLIS : now - receivedAge - passed;
    if (weight > 0) {
      log.foreign ??= { hits: [], arrivals: [], residual: 0 };
      log.foreign.hits = [...log.foreign.hits, { sent, received, weight }];
    } else
      log.hits.push({
        id,
        sent,
        received,
        lostAt: now,
        ...((uncertain === 1 || isLost) && { uncertain: true }),
      });
  }
  return log;
};

const thawBelief = (window: FrozenWindow, thawing: Thawing): Belief => {
  const { isJumped, now, options, passed, wall } = thawing;
  const belief = newBelief(window.period, window.max, options.bucketSizes, now);
  belief.counts = window.counts;
  belief.slack = window.slack;
  belief.pad = window.pad;
  belief.padSince = now - window.padAge - passed;
  // The boundaries of buckets mean nothing once the clock was set.
  if (isJumped) return belief;
  belief.revivedAt = now - window.revivedAge - passed;
  belief.living = window.living.flatMap(([size, boundary, width, strained, count]) =>
    Array.from({ length: count }, (_, index): Hypothesis => {
      const from = size === 0 ? 0 : mod(boundary + index * width - (wall - now), size);
      return { size, from, to: from + width, strained: strained === 1 };
    }),
  );
  return belief;
};

const thawWindow = (window: FrozenWindow, thawing: Thawing): WindowState => ({
  key: `${window.rule}:${window.period}`,
  rule: window.rule,
  max: window.max,
  stated: window.stated,
  period: window.period,
  seenAt: thawing.now - window.seenAge - thawing.passed,
  belief: thawBelief(window, thawing),
  logs: new Map(
    Object.entries(window.logs).map(([scope, hits]) => [scope, thawLog(hits, thawing)]),
  ),
});

/** The state that was frozen, `undefined` if it is none of ours. */
export const thaw = (
  value: unknown,
  now: number,
  wall: number,
  options: CoreOptions,
): State | undefined => {
  const frozen = value as FrozenState;
  if (typeof frozen !== "object" || frozen?.version !== 2) return undefined;
  const passed = Math.max(0, wall - frozen.savedAt);
  const savedAt = now - passed;
  const thawing = { now, wall, passed, isJumped: wall < frozen.savedAt, options };
  const state = newState();
  for (const { blockedFor, limits, name, recovering, windows } of frozen.policies) {
    const blockedUntil = blockedFor > passed ? savedAt + blockedFor : -NEVER;
    const isMeant = ({ period }: FrozenWindow): boolean =>
      name !== STATED || options.stated.some((limit) => limit.period === period);
    const thawed = windows.filter(isMeant).map((window) => thawWindow(window, thawing));
    Object.assign(policyNamed(state, name), { limits, recovering, blockedUntil, windows: thawed });
  }
  for (const [route, named] of Object.entries(frozen.routes))
    state.routes.set(route, timesOf(named, savedAt));
  state.isHeard = frozen.policies.length > 0;
  const { ages, blockingAges, firewallFor, routes } = frozen.errors;
  state.errors = {
    ...state.errors,
    times: ages.map((age) => savedAt - age),
    blocking: blockingAges.map((age) => savedAt - age),
    routes: timesOf(routes, savedAt),
    ...(firewallFor > passed && { firewallUntil: savedAt + firewallFor }),
  };
  return state;
};

/** Beliefs whose hypotheses were revived at the same time are of one generation. */
const SAME_MILLIS = 1000;

/** Boundaries are told in the server's time, as multiples of eighths. */
const keyOf = ({ from, size }: Hypothesis): number => size * 1e6 + Math.round(from * 8);

/**
 * Takes over the refutations of another process. When a process has revived hypotheses, its newer
 * generation replaces the older one.
 */
const mergeBelief = (own: Belief, theirs: Belief): void => {
  if (theirs.counts && !own.counts) {
    own.counts = true;
    own.version++;
  }
  const newer = theirs.revivedAt - own.revivedAt;
  if (newer < -SAME_MILLIS) return;
  if (newer > SAME_MILLIS) {
    const { living, pad, padSince, revivedAt } = theirs;
    Object.assign(own, { pad, padSince, revivedAt });
    replace(own, living);
    return;
  }
  const alive = new Set(theirs.living.map(keyOf));
  const both = own.living.filter((h) => alive.has(keyOf(h)));
  if (both.length < own.living.length) replace(own, both);
};

/**
 * The knowledge in `state`, which a process tells to others and learns from them. All times are
 * those of the server.
 */
export const sharedKnowledge = (state: State, options: CoreOptions) => {
  /** Those whose generation is known. */
  const beliefs = new WeakSet<Belief>();

  /** Beliefs that begin within the same time are of one generation. */
  const generationOf = (belief: Belief): Belief => {
    if (!beliefs.has(belief))
      belief.revivedAt = Math.floor(belief.revivedAt / REVIVE_MILLIS) * REVIVE_MILLIS;
    beliefs.add(belief);
    return belief;
  };

  return {
    /** Adds what others know. */
    learn: (text: string, now: number): void => {
      const frozen = JSON.parse(text) as FrozenState;
      // Of the same time, which processes know but for a millisecond.
      const heardAt = Math.max(now, frozen.savedAt);
      const theirs = thaw(frozen, heardAt, heardAt, options);
      if (!theirs) return;
      for (const [name, each] of theirs.policies) {
        const policy = policyNamed(state, name);
        if (each.limits === "learned") policy.limits = "learned";
        policy.blockedUntil = Math.max(policy.blockedUntil, each.blockedUntil);
        for (const window of each.windows) {
          const known = policy.windows.find((candidate) => candidate.key === window.key);
          if (!known) {
            policy.windows = [...policy.windows, window];
            beliefs.add(window.belief);
          } else if (window.seenAt > known.seenAt) known.max = window.max;
          if (known) mergeBelief(generationOf(known.belief), window.belief);
        }
      }
      for (const [route, named] of theirs.routes)
        for (const [name, at] of named)
          if (at > (state.routes.get(route)?.get(name) ?? -NEVER))
            namePolicy(state, route, name, at);
      const { errors } = state;
      errors.firewallUntil = Math.max(errors.firewallUntil, theirs.errors.firewallUntil);
    },
    /** The text that others learn from. */
    tell: (now: number): string => {
      for (const { windows } of state.policies.values())
        for (const { belief } of windows) generationOf(belief);
      // The server's time is the wall clock that all processes agree on.
      const frozen = freeze(state, now, now);
      const policies = frozen.policies
        .filter(({ name }) => !isPlaceholder(name))
        .map((policy) => ({
          ...policy,
          windows: policy.windows.map((window) => ({ ...window, logs: {} })),
        }));
      return JSON.stringify({ ...frozen, policies });
    },
    /** A digest of the blocks, the limits, and how many hypotheses live: a change of it is told. */
    digest: (now: number): string =>
      JSON.stringify(
        [...state.policies.values()].map(({ blockedUntil, name, windows }) => [
          name,
          Math.max(0, blockedUntil - now) && blockedUntil,
          windows.map(({ belief, key, max }) => [key, max, belief.living.length]),
        ]),
      ),
  };
};

export type SharedKnowledge = ReturnType<typeof sharedKnowledge>;
