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
  /** The comparisons of the server's clock with ours, and its largest deviation. */
  samples: number;
  offset: number;
  /** Whether the server reports counts for this window. */
  counts: boolean;
  /** Flat pad for servers without counts, and for buckets that are in no list. */
  pad: number;
  padSince: number;
  /** The time at which the neighbours of living phases were revived. */
  revivedAt: number;
  memo?: Memo;
}

/** A time that is safe by all living hypotheses, and one by those that are not strained. */
export interface Range {
  readonly safe: number;
  readonly likely: number;
}

/** Results for one version of a belief. */
interface Memo {
  readonly version: number;
  readonly cutoffs: Map<number, Range>;
  readonly departures: Map<number, Range>;
  readonly voters: number;
  readonly largest: number;
}

const MOST_RESULTS = 64;
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
const REVIVE_MILLIS = 600_000;
const REVIVED_NEIGHBOURS = 2;
/** A pad without new evidence is dropped after this time. */
const PAD_MILLIS = 3_600_000;

const all = new Map<string, ReadonlyArray<Hypothesis>>();
const allHypotheses = (sizes: ReadonlyArray<number>): ReadonlyArray<Hypothesis> => {
  const key = sizes.join();
  let made = all.get(key);
  if (!made) {
    const phases = Array.from({ length: PHASES }, (_, index) => index);
    made = [
      { size: 0, from: 0, to: 0, strained: false },
      ...sizes.flatMap((size) => phases.map((i) => phaseOf(size, (i * size) / PHASES, false))),
    ];
    all.set(key, made);
  }
  return made;
};

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
    samples: 0,
    offset: 0,
    counts: false,
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
export const departure = (belief: Belief, x: number): Range =>
  remembered(belief, "departures", x, findDeparture);

const findDeparture = (belief: Belief, x: number): Range => {
  const flat = x + belief.period + belief.slack + belief.pad;
  let safe = flat;
  let likely = belief.counts ? NEVER : flat;
  if (belief.counts)
    for (const h of belief.living) {
      const at = latest(h, belief, x);
      if (at > safe) safe = at;
      if (at < likely && !h.strained) likely = at;
    }
  return { safe, likely: Math.min(likely, safe) };
};

/** The inverse of `departure`: hits stamped at or after it are counted at `at`. */
export const cutoff = (belief: Belief, at: number): Range =>
  remembered(belief, "cutoffs", at, findCutoff);

const findCutoff = (belief: Belief, at: number): Range => {
  const end = at - belief.period - belief.slack;
  let safe = end - belief.pad;
  let likely = belief.counts ? -NEVER : safe;
  if (belief.counts)
    for (const { from, size, strained, to } of belief.living) {
      const cut = size === 0 ? end : from + size * Math.floor((end - to) / size);
      if (cut < safe) safe = cut;
      if (cut > likely && !strained) likely = cut;
    }
  return { safe, likely: Math.max(likely, safe) };
};

/** The results that are known for this version of the belief. */
export const memoOf = (belief: Belief): Memo => {
  if (belief.memo?.version === belief.version) return belief.memo;
  let voters = 0;
  let largest = 0;
  for (const { size, strained } of belief.living) {
    if (strained) continue;
    voters++;
    largest = Math.max(largest, size);
  }
  const { version } = belief;
  belief.memo = { version, cutoffs: new Map(), departures: new Map(), voters, largest };
  return belief.memo;
};

const remembered = (
  belief: Belief,
  kind: "cutoffs" | "departures",
  key: number,
  find: (belief: Belief, key: number) => Range,
): Range => {
  if (belief.living.length === 1) return find(belief, key);
  const results = memoOf(belief)[kind];
  if (results.size > MOST_RESULTS) results.clear();
  return getOrMake(results, key, () => find(belief, key));
};

/**
 * The time at which a probe for a hit stamped `x` divides the hypotheses best: the median of its
 * departures. A plain window weighs as much as all buckets together.
 */
export const medianDeparture = (belief: Belief, x: number): number => {
  const voters = belief.living.filter((h) => !h.strained);
  const plain = voters.some((h) => h.size === 0) ? voters.length - 1 : 0;
  const times = voters
    .map((h) => ({ at: latest(h, belief, x), weight: h.size === 0 ? Math.max(1, plain) : 1 }))
    .toSorted((a, b) => a.at - b.at);
  let half = times.reduce((sum, { weight }) => sum + weight, 0) / 2;
  return times.find(({ weight }) => (half -= weight) <= 0)!.at;
};

/** Replaces the living hypotheses. Voters that are all gone were misled by other programs. */
const replace = (belief: Belief, living: ReadonlyArray<Hypothesis>): void => {
  belief.living = living.every((h) => h.strained)
    ? living.map((h) => ({ ...h, strained: false }))
    : living;
  belief.version++;
};

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
  belief.samples++;
  const old = belief.offset;
  if (millis > old) belief.offset = Math.min(millis, MAX_SLACK);
  if (belief.samples < EXACT_SAMPLES || (belief.samples > EXACT_SAMPLES && old === belief.offset))
    return;
  belief.slack = Math.min(MAX_SLACK, belief.offset + MIN_SLACK);
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
