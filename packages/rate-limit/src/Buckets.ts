/**
 * Hidden buckets. Some servers keep a request to the end of a bucket of a fixed size, so the request
 * counts for longer than its period. No header tells the size or the position of its boundaries.
 *
 * Each possible size has an arc: the part of the circle `[0, size)` in which its boundary may lie. A
 * request that has left early narrows the arc, and an empty arc rules the size out. Requests of other
 * programs cannot mislead this, because they raise a count and never lower it. A count that is too
 * high narrows only `likely`, which decides when to probe and never when it is safe to send.
 */

/** Boundaries lie in `[from, from + length]`, modulo the size. */
interface Arc {
  readonly from: number;
  readonly length: number;
}

interface Bucket {
  readonly size: number;
  readonly safe: Arc;
  /** `undefined`: counts have been too high for this size. */
  readonly likely: Arc | undefined;
}

export interface Buckets {
  readonly period: number;
  /** Rounding and jitter of the server's clock. */
  readonly slack: number;
  /** Additional time for which requests are kept, if a refusal showed it and no bucket explains it. */
  pad: number;
  sizes: ReadonlyArray<Bucket>;
  /** The server reports counts. Without counts, the declared period is used. */
  hasCounts: boolean;
  /** No count has been too high for a server without buckets. */
  canBePlain: boolean;
  /** The time up to which arcs were widened for the drift of clocks. */
  widenedAt: number;
}

const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30].map((seconds) => seconds * 1000);
const MAX_SIZE = 60_000;
/** Largest drift between two clocks. */
const MAX_DRIFT = 0.0003;
/** Time between the departure that a probe looks for and the probe. */
const PROBE_DELAY_MILLIS = 10;

const modulo = (value: number, size: number): number => ((value % size) + size) % size;

/** Returns the buckets that a window of `max` requests in `period` may have. */
const candidates = (period: number, max: number): ReadonlyArray<Bucket> => {
  // A window with a single place cannot be probed, so every request waits for the longest candidate.
  const single = period < 60_000 ? 5000 : 60_000;
  const longest = max > 1 ? Math.max(5000, 2 * period) : single;
  const sizes = SIZES.filter((size) => size < longest);
  return [...sizes, Math.min(longest, MAX_SIZE)].map((size) => {
    const all: Arc = { from: 0, length: size };
    return { size, safe: all, likely: all };
  });
};

export const newBuckets = (
  { isExact, max, period }: { readonly isExact: boolean; readonly max: number; period: number },
  now: number,
): Buckets => ({
  period,
  slack: max > 1 ? Math.min(150, Math.max(25, 0.02 * period)) : 25,
  pad: 0,
  sizes: isExact ? [] : candidates(period, max),
  hasCounts: false,
  canBePlain: true,
  widenedAt: now,
});

/** Returns the latest time of the first boundary after `x`. */
const boundary = (size: number, { from, length }: Arc, x: number): number =>
  Math.min(x + size, from + length + size * (Math.floor((x - from) / size) + 1));

/** Returns the latest time until which the server may count a request that it stamped at `x`. */
export const leavesBy = (buckets: Buckets, x: number): number => {
  let last = x + buckets.pad;
  if (buckets.hasCounts)
    for (const { safe, size } of buckets.sizes) last = Math.max(last, boundary(size, safe, x));
  return last + buckets.period + buckets.slack;
};

/**
 * Returns the earliest time at which the server may stop counting a request stamped at `x`, by the
 * bucket sizes that fit the counts so far.
 */
const earliestLikely = ({ canBePlain, pad, period, sizes, slack }: Buckets, x: number): number => {
  let first = canBePlain ? x + pad : Number.POSITIVE_INFINITY;
  for (const { likely, size } of sizes)
    if (likely) first = Math.min(first, boundary(size, likely, x));
  return first + period + slack;
};

/**
 * Returns the time at which the count of another request best shows when the server stops counting
 * a request stamped at `x`.
 */
export const probeTime = (buckets: Buckets, x: number): number => {
  if (buckets.canBePlain) return earliestLikely(buckets, x) + PROBE_DELAY_MILLIS;
  const times = buckets.sizes.flatMap(({ likely, size }) =>
    likely ? [boundary(size, likely, x)] : [],
  );
  const middle = times.toSorted((a, b) => a - b)[(times.length - 1) >> 1];
  return (middle ?? Number.POSITIVE_INFINITY) + buckets.period + buckets.slack + PROBE_DELAY_MILLIS;
};

/**
 * Returns the time between the earliest and the latest time at which the server may stop counting a
 * request stamped at `x`.
 */
export const uncertainty = (buckets: Buckets, x: number): number =>
  buckets.hasCounts ? leavesBy(buckets, x) - earliestLikely(buckets, x) : 0;

/** Returns the part of an arc in `[x, y]`, or `undefined` if it is empty. */
const intersect = (arc: Arc, size: number, x: number, y: number): Arc | undefined => {
  if (y - x >= size) return arc;
  const start = modulo(x - arc.from, size);
  const end = start + y - x;
  const hasStart = start <= arc.length;
  const wraps = end >= size;
  if (hasStart && wraps) return arc;
  if (hasStart)
    return { from: modulo(arc.from + start, size), length: Math.min(arc.length, end) - start };
  return wraps ? { from: arc.from, length: Math.min(arc.length, end - size) } : undefined;
};

/** Rules out sizes: a request stamped at `x` or later had left by `at`. */
export const narrow = (buckets: Buckets, x: number, at: number): void => {
  const end = at - buckets.period;
  buckets.sizes = buckets.sizes.flatMap(({ likely, safe, size }) => {
    const rest = intersect(safe, size, x, end);
    return rest ? [{ size, safe: rest, likely: likely && intersect(likely, size, x, end) }] : [];
  });
  restoreIfEmpty(buckets);
};

/** Rules out likely sizes: a request stamped at `x` or earlier was still counted at `at`. */
export const addHighCount = (buckets: Buckets, x: number, at: number): void => {
  const end = at - buckets.period - buckets.slack;
  // Nothing explains a count that is too high for every size: it is a request of another program.
  if (leavesBy(buckets, x) < at || end <= x + buckets.pad) return;
  buckets.canBePlain = false;
  buckets.sizes = buckets.sizes.map((bucket) => {
    const { likely, size } = bucket;
    // No boundary lies between x and end, so it follows end and precedes the next x.
    const isPossible = likely && end - x < size;
    return { ...bucket, likely: isPossible ? intersect(likely, size, end, x + size) : undefined };
  });
  restoreIfEmpty(buckets);
};

/** If no candidate is likely, requests of other programs have caused the conflicts. */
const restoreIfEmpty = (buckets: Buckets): void => {
  if (!buckets.canBePlain && buckets.sizes.every(({ likely }) => !likely))
    restoreCandidates(buckets);
};

/** Other programs caused the counts that were too high: everything possible is likely again. */
export const restoreCandidates = (buckets: Buckets): void => {
  buckets.canBePlain = true;
  buckets.sizes = buckets.sizes.map(({ safe, size }) => ({ size, safe, likely: safe }));
};

/** The server keeps requests longer than any candidate explains: everything is possible again. */
export const resetCandidates = (buckets: Buckets, max: number, pad: number): void => {
  buckets.pad = Math.max(buckets.pad, pad);
  buckets.sizes = candidates(buckets.period, max);
  buckets.canBePlain = true;
};

/** Widens the arcs, because the clocks may have drifted apart since the last time. */
export const widen = (buckets: Buckets, now: number): void => {
  const by = (now - buckets.widenedAt) * MAX_DRIFT;
  if (by < 5) return;
  buckets.widenedAt = now;
  const wider = ({ from, length }: Arc, size: number): Arc => ({
    from: modulo(from - by, size),
    length: Math.min(size, length + 2 * by),
  });
  buckets.sizes = buckets.sizes.map(({ likely, safe, size }) => ({
    size,
    safe: wider(safe, size),
    likely: likely && wider(likely, size),
  }));
};
