/**
 * Beliefs about the way a server counts one window: the hidden buckets that it may use.
 *
 * A hypothesis is a cut-off. "Hits are kept to the end of a bucket of `size` with its boundary in
 * `[from, to]`" means: at time t the server counts the hits stamped at or after
 * `p + size * floor((t - period - p) / size)`. Size 0 is a plain sliding window. Requests are
 * planned by the lowest cut-off among the living hypotheses. Only a departure kills a hypothesis,
 * because requests of other programs raise a count and never lower it. A count that is too high
 * strains the short ones: they lose their vote on the time of probes.
 */
import { getOrMake, NEVER } from "./basics.ts";

/** One hypothesis; times in milliseconds. */
export interface Hypothesis {
  readonly size: number;
  readonly from: number;
  readonly to: number;
  readonly strained: boolean;
}

/** The belief about one window of one rule, shared by all identities. */
export interface Belief {
  readonly period: number;
  /** Changes with everything that departures depend on, so that they can be cached. */
  version: number;
  living: ReadonlyArray<Hypothesis>;
  /** The most that a hit is kept beyond its time: rounding, jitter of the clock. */
  slack: number;
  /** The counts of large windows so far. */
  readings: number;
  /** The comparisons of the server's clock with ours, and its largest deviation. */
  samples: number;
  offset: number;
  /** Whether the server reports counts for this window. */
  counts: boolean;
  /** Counts that could not be, less those that could. */
  lies: number;
  /** Flat pad for servers without counts, and for buckets that are in no list. */
  pad: number;
  padSince: number;
  /** The time at which the neighbours of living phases were revived, or all. */
  revivedAt: number;
  memo?: Memo;
}

/** A time that is safe by all living hypotheses, and one by those that are not strained. */
export interface Range {
  readonly safe: number;
  readonly likely: number;
}

/** The range of all buckets, which is the same from one time until another. */
interface Step extends Range {
  readonly from: number;
  readonly until: number;
}

/** Results for one version of a belief. */
interface Memo {
  readonly version: number;
  readonly cutoffs: Array<Step>;
  readonly departures: Array<Step>;
  /** Hypotheses that are not strained, and the largest bucket among them. */
  readonly voters: number;
  readonly largest: number;
  /** Whether a plain window is one of them. */
  readonly isPlain: boolean;
}

/** Steps that are remembered: of a hit and of the time. They change no plan, only its cost. */
const MOST_STEPS = 4;
const PHASES = 64;
/** Buckets up to a minute; a size that is not in the list is found by the flat pad. */
export const BUCKET_SIZES: ReadonlyArray<number> = [
  1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60,
].map((seconds) => seconds * 1000);
const SHORT_BUCKET = 5000;
const LONGEST_IN_PERIODS = 2;
const MIN_SLACK = 25;
export const MAX_SLACK = 150;
const SLACK_SHARE = 0.02;
/** Comparisons that make slack small. */
const EXACT_SAMPLES = 150;
/** A probe comes so much later than a departure. */
const PROBE_DELAY = 10;
export const REVIVE_MILLIS = 600_000;
const REVIVED_NEIGHBOURS = 2;
/** A pad without new evidence is dropped after this time. */
const PAD_MILLIS = 3_600_000;

/** Shared by all windows. */
const phases = new Map<number, ReadonlyArray<Hypothesis>>();
const allHypotheses = (sizes: ReadonlyArray<number>): ReadonlyArray<Hypothesis> => [
  { size: 0, from: 0, to: 0, strained: false },
  ...sizes.flatMap((size) =>
    getOrMake(phases, size, () =>
      Array.from({ length: PHASES }, (_, index) => phaseOf(size, (index * size) / PHASES, false)),
    ),
  ),
];

const phaseOf = (size: number, from: number, strained: boolean): Hypothesis => ({
  size,
  from,
  to: from + size / PHASES,
  strained,
});

/**
 * A window of which nothing is known. Buckets of more than two periods are not looked for until a
 * refusal shows one; with a single place nothing can be probed, so only short ones are.
 */
export const newBelief = (
  period: number,
  max: number,
  sizes: ReadonlyArray<number>,
  now: number,
): Belief => {
  const single = period < 60_000 ? SHORT_BUCKET : 60_000;
  const limit = max > 1 ? Math.max(SHORT_BUCKET, LONGEST_IN_PERIODS * period) : single;
  return {
    period,
    version: 1,
    living: allHypotheses(sizes.filter((size) => size <= limit)),
    // A single place is padded by whole buckets anyway.
    slack: max > 1 ? Math.min(MAX_SLACK, Math.max(MIN_SLACK, SLACK_SHARE * period)) : MIN_SLACK,
    readings: 0,
    samples: 0,
    offset: 0,
    counts: false,
    lies: 0,
    pad: 0,
    padSince: now,
    revivedAt: now,
  };
};

/** The latest time at which a hit stamped `x` has left by `h`. */
const latest = ({ from, size, to }: Hypothesis, { period, slack }: Belief, x: number): number =>
  period + slack + (size === 0 ? x : to + size * (Math.floor((x - from) / size) + 1));

const earliest = ({ from, size, to }: Hypothesis, { period }: Belief, x: number): number =>
  period + (size === 0 ? x : from + size * (Math.floor((x - to) / size) + 1));

/**
 * The time at which a hit stamped `x` leaves: for sure, and by the first hypothesis that is not
 * strained.
 */
export const departure = (belief: Belief, x: number): Range => {
  const kept = belief.period + belief.slack;
  const flat = x + kept + belief.pad;
  if (!belief.counts || x === NEVER) return { safe: flat, likely: flat };
  const { departures, isPlain } = memoOf(belief);
  const step = stepAt(departures, belief, x, 1);
  const safe = Math.max(flat, step.safe + kept);
  return { safe, likely: Math.min(safe, step.likely + kept, isPlain ? x + kept : NEVER) };
};

/** The inverse of `departure`: hits stamped at or after it are counted at `at`. */
export const cutoff = (belief: Belief, at: number): Range => {
  const end = at - belief.period - belief.slack;
  const flat = end - belief.pad;
  if (!belief.counts) return { safe: flat, likely: flat };
  const { cutoffs, isPlain } = memoOf(belief);
  const step = stepAt(cutoffs, belief, end, -1);
  const safe = Math.min(flat, -step.safe);
  return { safe, likely: Math.max(safe, -step.likely, isPlain ? end : -NEVER) };
};

/**
 * The ends of the buckets in which `x` lies (`sign` 1), or the beginnings of those that ended last,
 * negated (-1).
 */
const stepAt = (steps: Array<Step>, { living }: Belief, x: number, sign: 1 | -1): Step => {
  for (const step of steps) if (step.from <= x && x < step.until) return step;
  let safe = -NEVER;
  let likely = NEVER;
  let until = NEVER;
  for (const { from, size, strained, to } of living) {
    if (size === 0) continue;
    const boundary = sign === 1 ? from : to;
    const next = boundary + size * (Math.floor((x - boundary) / size) + 1);
    const at = sign === 1 ? next - from + to : to - from + size - next;
    safe = Math.max(safe, at);
    if (!strained) likely = Math.min(likely, at);
    until = Math.min(until, next);
  }
  const step = { from: x, until, safe, likely };
  if (steps.length === MOST_STEPS) steps.shift();
  steps.push(step);
  return step;
};

/** The results that are known for this version of the belief. */
export const memoOf = (belief: Belief): Memo => {
  const { living, memo, version } = belief;
  if (memo?.version === version) return memo;
  let voters = 0;
  let largest = 0;
  let isPlain = false;
  for (const { size, strained } of living) {
    if (strained) continue;
    voters++;
    largest = Math.max(largest, size);
    if (size === 0) isPlain = true;
  }
  belief.memo = { version, cutoffs: [], departures: [], voters, largest, isPlain };
  return belief.memo;
};

/**
 * The time at which a probe for a hit stamped `x` divides the hypotheses best: the median of its
 * departures. A plain window weighs as much as all buckets together, and departs before them.
 */
export const medianDeparture = (belief: Belief, x: number): number => {
  const times = belief.living
    .filter((h) => !h.strained)
    .map((h) => latest(h, belief, x))
    .toSorted((a, b) => a - b);
  return times[memoOf(belief).isPlain ? 0 : (times.length - 1) >> 1]! + PROBE_DELAY;
};

/** Replaces the living hypotheses. Voters that are all gone were misled by other programs. */
export const replace = (belief: Belief, living: ReadonlyArray<Hypothesis>): void => {
  belief.living = living.every((h) => h.strained) ? relaxed(living) : living;
  belief.version++;
};

const relaxed = (living: ReadonlyArray<Hypothesis>): ReadonlyArray<Hypothesis> =>
  living.map((h) => ({ ...h, strained: false }));

/** Whether it refutes anything to see that a hit stamped at or after `x` has left by `by`. */
export const isTelling = (belief: Belief, x: number, by: number): boolean =>
  belief.living.some((h) => earliest(h, belief, x - belief.slack) > by);

/** Clears `strained` of all hypotheses: requests of other programs have caused the strain. */
export const relax = (belief: Belief): void => replace(belief, relaxed(belief.living));

const keep = (belief: Belief, survives: (h: Hypothesis) => boolean): void => {
  const living = belief.living.filter((h) => h.size === 0 || survives(h));
  if (living.length < belief.living.length) replace(belief, living);
};

/** A hit stamped at or after `x` had left by `by`. */
export const refute = (belief: Belief, x: number, by: number): void =>
  keep(belief, (h) => earliest(h, belief, x) <= by);

/** Some hit left between `from` and `to`: a bucket without a boundary in between is refuted. */
export const refuteStill = (belief: Belief, from: number, to: number): void =>
  keep(
    belief,
    (h) =>
      Math.floor((to - belief.period - h.from) / h.size) >
      Math.floor((from - belief.period - h.to) / h.size),
  );

/** A hit stamped at or before `x` was still counted at `at`. Returns how late that is. */
export const strain = (belief: Belief, x: number, at: number): number => {
  const late = (h: Hypothesis): number => at - latest(h, belief, x);
  const least = Math.min(...belief.living.map(late));
  if (least <= 0 && belief.living.some((h) => !h.strained && late(h) > 0))
    replace(
      belief,
      belief.living.map((h) => (late(h) > 0 ? { ...h, strained: true } : h)),
    );
  return least;
};

/**
 * The server's clock was seen to be off by `millis`. One that is exact for long needs less slack.
 */
export const observeClock = (belief: Belief, millis: number): void => {
  const old = belief.offset;
  belief.offset = Math.max(old, millis);
  if (++belief.samples < EXACT_SAMPLES || (belief.samples > EXACT_SAMPLES && old === belief.offset))
    return;
  // A request takes time, so what is certain is a part of it.
  belief.slack = Math.min(MAX_SLACK, 5 * belief.offset + MIN_SLACK);
  belief.version++;
};

/** The server keeps hits longer than anything explains: start over. */
export const startOver = (
  belief: Belief,
  sizes: ReadonlyArray<number>,
  pad: number,
  now: number,
): void => {
  belief.pad = Math.max(belief.pad, pad);
  belief.padSince = now;
  belief.revivedAt = now;
  replace(belief, allHypotheses(sizes));
};

/** Lets beliefs age: clocks drift, and a suspicion without new evidence ends. */
export const age = (belief: Belief, now: number): void => {
  if (belief.pad > 0 && now - belief.padSince > PAD_MILLIS) {
    belief.pad = 0;
    belief.version++;
  }
  if (now - belief.revivedAt < REVIVE_MILLIS) return;
  belief.revivedAt = now;
  if (belief.living.length > PHASES) return;
  const living = [...belief.living];
  for (const { from: old, size, strained } of belief.living)
    for (let step = -REVIVED_NEIGHBOURS; step <= REVIVED_NEIGHBOURS; step++) {
      if (size === 0) break;
      const from = (old + (step * size) / PHASES + size) % size;
      if (!living.some((h) => h.size === size && Math.abs(h.from - from) < size / PHASES / 2))
        living.push(phaseOf(size, from, strained));
    }
  if (living.length > belief.living.length) replace(belief, living);
};
