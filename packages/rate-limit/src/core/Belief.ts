/**
 * What is believed about the way a server counts one window: which hidden bucket it may use.
 *
 * A hypothesis is a cut-off. "Hits are kept to the end of a bucket of `size` with its boundary in
 * `[from, to]`" means: at time t the server counts the hits stamped at or after
 * `p + size * floor((t - period - p) / size)`. Size 0 is a plain sliding window. Requests are planned
 * by the lowest cut-off among the living hypotheses. Only a departure kills a hypothesis, because
 * requests of other programs raise a count and never lower it. A count that is too high strains the
 * short ones: they lose their vote on the time of probes.
 */

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
  /** Changes with `living` and `slack`, so that departures can be cached. */
  version: number;
  living: ReadonlyArray<Hypothesis>;
  /** How much longer than its time a hit is kept at most: rounding, jitter of the server's clock. */
  slack: number;
  /** How often the server's clock was compared with ours, and by how much it was off at most. */
  samples: number;
  offset: number;
  /** Whether the server reports counts for this window. */
  counts: boolean;
  /** Flat pad for servers without counts, and for buckets that are in no list. */
  pad: number;
  padSince: number;
  /** When the neighbours of living phases were revived. */
  revivedAt: number;
  summary?: { readonly version: number; readonly size: number; readonly voters: number };
}

const PHASES = 64;
/** Buckets up to a minute; a size that is not in the list is found by the flat pad. */
export const BUCKET_SIZES: ReadonlyArray<number> = [
  1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60,
].map((seconds) => seconds * 1000);
const SHORT_BUCKET = 5000;
const LONGEST_IN_PERIODS = 2;
const MIN_SLACK = 25;
const MAX_SLACK = 150;
const SLACK_SHARE = 0.02;
/** A departure that is this late at most is slack of the server's clock. */
export const SLACK_LIMIT = 300;
/** Comparisons that make slack small. */
const EXACT_SAMPLES = 150;
const REVIVE_MILLIS = 600_000;
const REVIVED_NEIGHBOURS = 2;
/** A pad without new evidence is dropped after this time. */
const PAD_MILLIS = 3_600_000;

const all = new Map<string, ReadonlyArray<Hypothesis>>();
const allHypotheses = (sizes: ReadonlyArray<number>): ReadonlyArray<Hypothesis> => {
  const key = sizes.join();
  const known = all.get(key);
  if (known) return known;
  const made = [
    { size: 0, from: 0, to: 0, strained: false },
    ...sizes.flatMap((size) =>
      Array.from({ length: PHASES }, (_, phase) => ({
        size,
        from: (phase * size) / PHASES,
        to: ((phase + 1) * size) / PHASES,
        strained: false,
      })),
    ),
  ];
  all.set(key, made);
  return made;
};

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
  const longest = Math.max(SHORT_BUCKET, LONGEST_IN_PERIODS * period);
  const limit = max > 1 ? longest : period < 60_000 ? SHORT_BUCKET : 60_000;
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
const latest = ({ from, size, to }: Hypothesis, belief: Belief, x: number): number =>
  belief.period + belief.slack + (size === 0 ? x : to + size * (Math.floor((x - from) / size) + 1));

const earliest = ({ from, size, to }: Hypothesis, belief: Belief, x: number): number =>
  belief.period + (size === 0 ? x : from + size * (Math.floor((x - to) / size) + 1));

/** The latest departure over all living hypotheses, and over those that are not strained the first. */
export const departures = (belief: Belief, x: number): readonly [last: number, first: number] => {
  if (!belief.counts) {
    const at = x + belief.period + belief.slack + belief.pad;
    return [at, at];
  }
  let last = x + belief.period + belief.slack + belief.pad;
  let first = Number.POSITIVE_INFINITY;
  for (const h of belief.living) {
    const at = latest(h, belief, x);
    if (at > last) last = at;
    if (!h.strained && at < first) first = at;
  }
  return [last, Math.min(first, last)];
};

/**
 * The time at which a probe for a hit stamped `x` divides the hypotheses best: the median of its
 * departures. A plain window weighs as much as all buckets together.
 */
export const medianDeparture = (belief: Belief, x: number): number => {
  const votes = belief.living.filter((h) => !h.strained);
  const voters = votes.length === 0 ? belief.living : votes;
  const plain = voters.some((h) => h.size === 0) ? voters.length - 1 : 0;
  const times = voters
    .map((h) => ({ at: latest(h, belief, x), weight: h.size === 0 ? Math.max(1, plain) : 1 }))
    .toSorted((a, b) => a.at - b.at);
  let half = times.reduce((sum, { weight }) => sum + weight, 0) / 2;
  for (const { at, weight } of times) {
    half -= weight;
    if (half <= 0) return at;
  }
  return x + belief.period;
};

const keep = (belief: Belief, survives: (h: Hypothesis) => boolean): void => {
  const living = belief.living.filter((h) => h.size === 0 || survives(h));
  if (living.length === belief.living.length) return;
  // Voters that are all dead were misled by requests of other programs.
  belief.living = living.every((h) => h.strained)
    ? living.map((h) => ({ ...h, strained: false }))
    : living;
  belief.version++;
};

/** A hit stamped at or after `x` had left by `by`. */
export const refute = (belief: Belief, x: number, by: number): void =>
  keep(belief, (h) => earliest(h, belief, x) <= by);

/** Some hit left between `from` and `to`: a bucket without a boundary in between is refuted. */
export const refuteStill = (belief: Belief, from: number, to: number): void =>
  keep(belief, (h) => {
    const start = from - belief.period - h.to;
    return Math.floor((to - belief.period - h.from) / h.size) > Math.floor(start / h.size);
  });

/** A hit stamped at or before `x` was still counted at `at`. Returns how late that is. */
export const strain = (belief: Belief, x: number, at: number): number => {
  let late = Number.POSITIVE_INFINITY;
  for (const h of belief.living) late = Math.min(late, at - latest(h, belief, x));
  if (late > 0) return late;
  if (belief.living.some((h) => !h.strained && latest(h, belief, x) < at)) {
    const living = belief.living.map((h) =>
      !h.strained && latest(h, belief, x) < at ? { ...h, strained: true } : h,
    );
    belief.living = living.every((h) => h.strained)
      ? living.map((h) => ({ ...h, strained: false }))
      : living;
    belief.version++;
  }
  return late;
};

/** The server's clock was seen to be off by `millis`. One that is exact for long needs less slack. */
export const observeClock = (belief: Belief, millis: number): void => {
  belief.samples++;
  const old = belief.offset;
  if (millis > belief.offset) belief.offset = Math.min(millis, MAX_SLACK);
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
  belief.living = allHypotheses(sizes);
  belief.pad = Math.max(belief.pad, pad);
  belief.padSince = now;
  belief.version++;
};

/** Lets beliefs age: clocks drift, and a suspicion without new evidence ends. */
export const age = (belief: Belief, now: number): void => {
  if (belief.pad > 0 && now - belief.padSince > PAD_MILLIS) {
    belief.pad = 0;
    belief.version++;
  }
  if (now - belief.revivedAt < REVIVE_MILLIS) return;
  belief.revivedAt = now;
  const revived: Array<Hypothesis> = [];
  for (const h of belief.living) {
    if (h.size === 0 || belief.living.length > PHASES) continue;
    const width = h.size / PHASES;
    for (let step = -REVIVED_NEIGHBOURS; step <= REVIVED_NEIGHBOURS; step++) {
      const from = (h.from + step * width + h.size) % h.size;
      const isKnown = (each: Hypothesis) =>
        each.size === h.size && Math.abs(each.from - from) < width / 2;
      if (belief.living.some(isKnown) || revived.some(isKnown)) continue;
      revived.push({ size: h.size, from, to: from + width, strained: h.strained });
    }
  }
  if (revived.length === 0) return;
  belief.living = [...belief.living, ...revived];
  belief.version++;
};
