/**
 * A rate of requests that no client can exceed beside Poisson arrivals of other programs, however
 * clever it is, and though it sees each of them at once.
 *
 * Let K be the number of requests stamped in `(t + d - period, t]`: all of them are still counted
 * at `t + d`. If more than `max - K` arrivals of others come until then, one of them exceeds the
 * window. They come independently of all that has happened, so that has at least the probability
 * `P(Poisson(d * rate) > max - K)`. Each time that the window is exceeded lies within `d` after at
 * most `d` of time, so the mean of this probability over all t is at most `d` times the frequency
 * of that. By Jensen's inequality, for the convex hull of it as a function of K, this limits the
 * mean of K, and the mean of K is `period - d` times the rate of all requests. The best `d` gives
 * the ceiling.
 */

/** The probability that more than `places` of a mean of `mean` arrive. */
export const tail = (mean: number, places: number): number => {
  let term = Math.exp(-mean);
  // Summed from the first that does not fit, so that small probabilities stay exact.
  for (let index = 1; index <= places; index++) term *= mean / index;
  let sum = 0;
  for (let index = places + 1; index < places + 200; index++) sum += term *= mean / index;
  return sum;
};

/** The largest x at which the lower convex hull of the points is at most `level`. */
const inverseOfHull = (
  points: ReadonlyArray<readonly [x: number, y: number]>,
  level: number,
): number => {
  const hull: Array<readonly [x: number, y: number]> = [];
  for (const point of points) {
    for (;;) {
      const [a, b] = hull.slice(-2);
      if (!a || !b || (b[1] - a[1]) * (point[0] - a[0]) < (point[1] - a[1]) * (b[0] - a[0])) break;
      hull.pop();
    }
    hull.push(point);
  }
  let best = 0;
  for (const [index, [x, y]] of hull.entries()) {
    const after = hull[index + 1];
    if (y <= level) best = x;
    if (after && y <= level && after[1] > level)
      best = x + ((level - y) / (after[1] - y)) * (after[0] - x);
  }
  return best;
};

/**
 * Requests of ours per hour at most, if those of others exceed the window `overflows` times an hour
 * on average.
 */
export const ceiling = (
  { max, period }: { readonly max: number; readonly period: number },
  perMinute: number,
  overflows: number,
): number => {
  const rate = perMinute / 60_000;
  let least = Number.POSITIVE_INFINITY;
  for (let d = period / 240; d < period; d += period / 240) {
    const points = Array.from({ length: max + 1 }, (_, k) => [k, tail(rate * d, max - k)] as const);
    const mean = inverseOfHull(points, (d * overflows) / 3_600_000);
    least = Math.min(least, mean / (period - d) - rate);
  }
  return least * 3_600_000;
};
