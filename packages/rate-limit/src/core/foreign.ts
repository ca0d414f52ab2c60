/**
 * Requests of other programs on the same budget: how often they come, and how many places stay free
 * for those that no response has shown yet.
 */
import { NEVER } from "./basics.ts";
import { isForeign } from "./Log.ts";
import type { Log, WindowState } from "./Log.ts";

/** Probability that more requests of other programs arrive than places are kept for them. */
const RISK = 0.001;
/** The even gap between requests, times this, is kept while other programs send. */
const PACE = 1.05;
/** Fewer requests of others than this on average are none. */
const FEW = 0.3;
/** So many requests of others at once are a burst. */
const BURST = 3;

/**
 * The smallest number of places that Poisson arrivals of mean `mean` exceed with less than `RISK`.
 */
const poissonReserve = (mean: number): number => {
  let term = Math.exp(-mean);
  let sum = term;
  let places = 0;
  while (1 - sum > RISK && places < 100) {
    places++;
    term *= mean / places;
    sum += term;
  }
  return places;
};

/** Arrivals of other programs' requests per millisecond; 0 when none came lately. */
export const foreignRate = (
  { period }: WindowState,
  { arrivals, residual }: Log,
  now: number,
): number => {
  const last = arrivals.at(-1);
  if (!last || (residual < FEW && last.at + 2 * period < now)) return 0;
  return Math.max(residual, 1) / period;
};

/** Places kept for requests of other programs that no response has shown yet. */
export const foreignReserve = (
  { max, period }: WindowState,
  { arrivals, reading }: Log,
  rate: number,
  now: number,
): number => {
  if (arrivals.length === 0 || reading === undefined) return 0;
  const silence = Math.min(now - reading.sent, period);
  let most = rate === 0 ? 0 : poissonReserve(rate * Math.max(silence, period / max));
  // The next burst exceeds the largest of n with probability 1/(n+1).
  for (const { millis, weight } of arrivals)
    if (weight > most && weight > BURST && millis <= silence * 2) most = weight;
  return Math.min(most, max - 1);
};

/** Silence makes counts ambiguous, so requests are spread evenly while others send too. */
export const pacedUntil = (
  { max, period }: WindowState,
  { hits, residual }: Log,
  rate: number,
  reserve: number,
): number => {
  if (rate === 0) return -NEVER;
  const usual = Math.min(reserve, poissonReserve((2 * rate * period) / max));
  const gap = (PACE * period) / Math.max(1, max - residual - usual - 1);
  let last = -NEVER;
  for (const hit of hits) if (!isForeign(hit)) last = Math.max(last, hit.sent);
  return last + gap;
};
