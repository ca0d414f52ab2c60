/**
 * Requests of other programs on the same budget: how often they come, and how many places stay free
 * for those that no response has shown yet.
 */
import { NEVER } from "./basics.ts";
import type { Log, WindowState } from "./Log.ts";

/** Probability that more requests of other programs arrive than places are kept for them. */
const RISK = 0.001;
/** The even gap between requests, times this, is kept while other programs send. */
const PACE = 1.03;
/** Fewer requests of others than this on average are none. */
const FEW = 0.3;

/**
 * The smallest number of places that Poisson arrivals of mean `mean` exceed with less than `RISK`.
 */
const poissonReserve = (mean: number): number => {
  let term = Math.exp(-mean);
  let sum = term;
  let places = 0;
  while (1 - sum > RISK && places < 100) {
    term *= mean / ++places;
    sum += term;
  }
  return places;
};

/** Changes that other programs make to the plan of a window. */
export interface ForeignPlan {
  /** Arrivals of their requests per millisecond; 0 when none came lately. */
  readonly rate: number;
  /** Places kept for requests of theirs that no response has shown yet. */
  readonly reserve: number;
  /** Silence makes counts ambiguous, so requests are spread evenly while others send too. */
  readonly pacedUntil: number;
}

export const planForeign = (
  { max, period }: WindowState,
  { foreign, hits, ordered, reading }: Log,
  now: number,
): ForeignPlan => {
  const last = foreign?.arrivals.at(-1);
  if (!last) return { rate: 0, reserve: 0, pacedUntil: -NEVER };
  const { arrivals, residual } = foreign!;
  const isOver = residual < FEW && last.at + 2 * period < now;
  const rate = isOver ? 0 : Math.max(residual, 1) / period;
  const silence = Math.min(now - reading!.sent, period);
  let most = poissonReserve(rate * Math.max(silence, period / max));
  // The next burst exceeds the largest of n with probability 1/(n+1).
  for (const { millis, weight } of arrivals)
    if (weight > most && weight > poissonReserve(rate * millis)) most = weight;
  const reserve = Math.min(most, max - 1);
  const usual = Math.min(reserve, poissonReserve((2 * rate * period) / max));
  const gap = (PACE * period) / Math.max(1, max - residual - usual - 1);
  const sentAt = Math.max(hits.at(-1)?.sent ?? -NEVER, hits[ordered - 1]?.sent ?? -NEVER);
  return { rate, reserve, pacedUntil: rate ? sentAt + gap : -NEVER };
};
