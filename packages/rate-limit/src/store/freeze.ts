/**
 * Converts a limiter's knowledge to JSON and back. Times in a log are ages at `savedAt`: a wall
 * clock that
 * was set back makes requests younger, never older. What was in flight loads as received at once.
 */
import { newBelief } from "../core/Belief.ts";
import type { Hypothesis } from "../core/Belief.ts";
import { guess, newState, policyNamed } from "../core/State.ts";
import type { CoreOptions, State } from "../core/State.ts";
import { newLog } from "../core/Log.ts";
import type { ForeignHits, Hit } from "../core/Log.ts";

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

interface FrozenWindow {
  readonly rule: string;
  readonly max: number;
  readonly period: number;
  readonly seenAge: number;
  readonly counts: boolean;
  readonly slack: number;
  readonly pad: number;
  readonly padAge: number;
  readonly revivedAge: number;
  readonly living: ReadonlyArray<FrozenRun>;
  readonly logs: Readonly<Record<string, ReadonlyArray<FrozenHit>>>;
}

/** The state of a limiter as plain JSON. */
export interface FrozenState {
  readonly version: 2;
  /** Wall clock. */
  readonly savedAt: number;
  readonly policies: ReadonlyArray<{
    readonly name: string;
    readonly limits: "unknown" | "none" | "learned";
    readonly blockedFor: number;
    readonly recovering: boolean;
    readonly windows: ReadonlyArray<FrozenWindow>;
  }>;
  readonly routes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly errors: {
    readonly ages: ReadonlyArray<number>;
    readonly blockingAges: ReadonlyArray<number>;
    readonly routes: Readonly<Record<string, number>>;
    readonly firewallFor: number;
  };
}

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

/** `now` is the monotonic clock of the state, `wall` the wall clock at the same moment. */
export const freeze = (state: State, now: number, wall: number): FrozenState => {
  const offset = wall - now;
  const frozenHit = (hit: Hit): FrozenHit => [
    hit.id,
    now - hit.sent,
    Number.isFinite(hit.received) ? now - hit.received : -1,
    0,
    hit.uncertain ? 1 : 0,
  ];
  const frozenForeign = (hit: ForeignHits): FrozenHit => [
    "",
    now - hit.sent,
    now - hit.received,
    hit.weight,
    0,
  ];
  return {
    version: 2,
    savedAt: wall,
    policies: [...state.policies.values()].map((policy) => ({
      name: policy.name,
      limits: policy.limits,
      blockedFor: Math.max(0, policy.blockedUntil - now),
      recovering: policy.recovering,
      windows: policy.windows.map((window) => {
        const { belief } = window;
        return {
          rule: window.rule,
          max: window.max,
          period: window.period,
          seenAge: now - window.seenAt,
          counts: belief.counts,
          slack: belief.slack,
          pad: belief.pad,
          padAge: now - belief.padSince,
          revivedAge: now - belief.revivedAt,
          living: runsOf(belief.living, offset),
          logs: Object.fromEntries(
            [...window.logs]
              .map(
                ([scope, { foreign, hits }]) =>
                  [
                    scope,
                    [...hits.map(frozenHit), ...(foreign?.hits ?? []).map(frozenForeign)],
                  ] as const,
              )
              .filter(([, hits]) => hits.length > 0),
          ),
        };
      }),
    })),
    routes: Object.fromEntries(
      [...state.routes].map(([route, named]) => [
        route,
        Object.fromEntries([...named].map(([name, at]) => [name, now - at])),
      ]),
    ),
    errors: {
      ages: state.errors.times.map((at) => now - at),
      blockingAges: state.errors.blocking.map((at) => now - at),
      routes: Object.fromEntries([...state.errors.routes].map(([route, at]) => [route, now - at])),
      firewallFor: Math.max(0, state.errors.firewallUntil - now),
    },
  };
};

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
  const isJumped = wall < frozen.savedAt;
  const offset = wall - now;
  const state = newState();
  for (const each of frozen.policies) {
    const policy = policyNamed(state, each.name);
    policy.limits = each.limits;
    policy.recovering = each.recovering;
    policy.blockedUntil =
      each.blockedFor > passed ? now + each.blockedFor - passed : Number.NEGATIVE_INFINITY;
    for (const window of each.windows) {
      const belief = newBelief(window.period, window.max, options.bucketSizes, now);
      belief.counts = window.counts;
      belief.slack = window.slack;
      belief.pad = window.pad;
      belief.padSince = now - window.padAge - passed;
      // The boundaries of buckets mean nothing once the clock was set.
      if (!isJumped) {
        belief.revivedAt = now - window.revivedAge - passed;
        belief.living = window.living.flatMap(([size, boundary, width, strained, count]) =>
          Array.from({ length: count }, (_, index): Hypothesis => {
            const from = size === 0 ? 0 : mod(boundary + index * width - offset, size);
            return { size, from, to: from + width, strained: strained === 1 };
          }),
        );
      }
      const logs = new Map(
        Object.entries(window.logs).map(([scope, hits]) => {
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
          return [scope, log] as const;
        }),
      );
      policy.windows = [
        ...policy.windows,
        {
          key: `${window.rule}:${window.period}`,
          rule: window.rule,
          max: window.max,
          period: window.period,
          seenAt: now - window.seenAge - passed,
          belief,
          logs,
        },
      ];
    }
  }
  for (const [route, named] of Object.entries(frozen.routes))
    state.routes.set(
      route,
      new Map(Object.entries(named).map(([name, age]) => [name, now - age - passed])),
    );
  guess(state);
  state.isHeard = frozen.policies.length > 0;
  const { errors } = frozen;
  state.errors.times = errors.ages.map((age) => now - age - passed);
  state.errors.blocking = errors.blockingAges.map((age) => now - age - passed);
  for (const [route, age] of Object.entries(errors.routes))
    state.errors.routes.set(route, now - age - passed);
  if (errors.firewallFor > passed) state.errors.firewallUntil = now + errors.firewallFor - passed;
  return state;
};
