/**
 * Models hidden buckets. Some servers count a request up to the end of a time bucket of a fixed
 * size, beyond its period. No header states the size of a bucket or where its boundaries lie.
 *
 * Each possible size has an arc: the part of the circle `[0, size)` in which its boundary may lie.
 * A request that has left early narrows the arc, and an empty arc rules the size out. Requests of
 * other programs cannot narrow an arc, because they raise a count and never lower it. A count that
 * is too high narrows only `likely`, which decides when to probe and never when it is safe to send.
 */

/** Where a bucket boundary may lie: in `[from, from + length]`, modulo the bucket size. */
interface Arc {
  readonly from: number;
  readonly length: number;
}

interface Bucket {
  readonly size: number;
  readonly safe: Arc;
  /** `undefined` if a count was too high for buckets of this size. */
  readonly likely: Arc | undefined;
}

export interface Buckets {
  readonly period: number;
  /** Rounding and jitter of the server's clock, in milliseconds. */
  readonly slack: number;
  /** Milliseconds that requests count beyond the period, as refusals have shown. */
  pad: number;
  sizes: ReadonlyArray<Bucket>;
  /** Whether the server reports usable counts. If not, bucket sizes are ignored. */
  hasCounts: boolean;
  /** Whether a server without buckets could have reported all counts so far. */
  canBePlain: boolean;
  /** When the arcs were last widened to allow for clock drift. */
  widenedAt: number;
}

const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30].map((seconds) => seconds * 1000);
const MAX_SIZE = 60_000;
/** Largest drift between the server's clock and the limiter's, in milliseconds per millisecond. */
const MAX_DRIFT = 0.0003;
/** A probe is sent this long after the server may have stopped counting the probed request. */
const PROBE_DELAY_MILLIS = 10;

const modulo = (value: number, size: number): number => ((value % size) + size) % size;

/** Returns the bucket sizes that a window of `max` requests in `period` milliseconds may have. */
const candidates = (period: number, max: number): ReadonlyArray<Bucket> => {
  // A window of one request cannot be probed, so each request waits for the longest bucket.
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

/** Returns the latest possible time of the first bucket boundary after `x`. */
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
 * Returns when to send a probe, whose count best shows when the server stops counting a request
 * stamped at `x`.
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

/** Returns the part of an arc that lies in `[x, y]`, or `undefined` if there is none. */
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

/** Narrows the arcs: a request stamped at `x` or later was no longer counted at `at`. */
export const narrow = (buckets: Buckets, x: number, at: number): void => {
  const end = at - buckets.period;
  buckets.sizes = buckets.sizes.flatMap(({ likely, safe, size }) => {
    const rest = intersect(safe, size, x, end);
    return rest ? [{ size, safe: rest, likely: likely && intersect(likely, size, x, end) }] : [];
  });
  restoreIfEmpty(buckets);
};

/** Narrows `likely`: a request stamped at `x` or earlier was still counted at `at`. */
export const addHighCount = (buckets: Buckets, x: number, at: number): void => {
  const end = at - buckets.period - buckets.slack;
  // Ignores a count that fits a server without buckets, or that no bucket size explains.
  if (leavesBy(buckets, x) < at || end <= x + buckets.pad) return;
  buckets.canBePlain = false;
  buckets.sizes = buckets.sizes.map((bucket) => {
    const { likely, size } = bucket;
    // No boundary lies between `x` and `end`, so the next one lies between `end` and `x + size`.
    const isPossible = likely && end - x < size;
    return { ...bucket, likely: isPossible ? intersect(likely, size, end, x + size) : undefined };
  });
  restoreIfEmpty(buckets);
};

/** If no size is likely, makes all likely again, because other programs caused the high counts. */
const restoreIfEmpty = (buckets: Buckets): void => {
  if (!buckets.canBePlain && buckets.sizes.every(({ likely }) => !likely))
    restoreCandidates(buckets);
};

/** Makes all possible sizes likely again, because other programs caused the high counts. */
export const restoreCandidates = (buckets: Buckets): void => {
  buckets.canBePlain = true;
  buckets.sizes = buckets.sizes.map(({ safe, size }) => ({ size, safe, likely: safe }));
};

/** Makes all sizes possible again, because the server counts requests longer than any explains. */
export const resetCandidates = (buckets: Buckets, max: number, pad: number): void => {
  buckets.pad = Math.max(buckets.pad, pad);
  buckets.sizes = candidates(buckets.period, max);
  buckets.canBePlain = true;
};

/** Widens the arcs by the drift of the clocks since the arcs were last widened. */
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
