/**
 * The time at which the next request may go in one window of one rule.
 */
import { cutoff, departure, isTelling, medianDeparture, memoOf } from "./Belief.ts";
import type { Belief } from "./Belief.ts";
import { NEVER } from "./basics.ts";
import { CLOCK_STEP, firstFrom, freeing, mostBy, order, weigh } from "./Log.ts";
import type { Log, WindowState } from "./Log.ts";

/** The next request of a window. */
export interface Opening {
  readonly at: number;
  /** The request uses the place kept back. */
  readonly probe?: boolean;
  /** The earliest time at which it may go, by the hypotheses that fit best. */
  readonly soonest: number;
}

/** A report is old after this share of the period. */
const REFRESH = 4;
const MANY_HYPOTHESES = 24;
const MOST_PROBES = 4;

/** What a request brings along. */
export interface Margin {
  /** It arrives at least this much later than it is sent. */
  readonly credit: number;
  /** Places that stay free. */
  readonly spare: number;
}

/** The time at which the next request may go. */
export const opening = (
  window: WindowState,
  log: Log,
  now: number,
  { credit, spare }: Margin,
): Opening => {
  const { belief, max } = window;
  order(log, now);
  const { pacedUntil, rate, reserve } = planForeign(window, log, now);
  if (pacedUntil > now) return { at: pacedUntil, soonest: pacedUntil };
  const places = Math.max(1, max - reserve - spare);
  const cut = cutoff(belief, now + credit).safe;
  const count = weigh(log, cut);
  const keep = placesKept(window, log, cut, { now, credit, rate });
  const bound = Math.min(count, reportBound(window, log, now));
  if (bound + keep < places) return { at: now, soonest: now };
  // The oldest hit that may be counted still.
  const oldest = Math.max(firstFrom(log.hits, cut), log.foreign ? 0 : log.hits.length - bound);
  const freed = freeing(log, cut, count - Math.max(0, places - keep - 1));
  const normal = departure(belief, freed).safe - credit;
  const told = log.lowest?.received ?? now;
  const probe = Math.min(
    bound < places ? probeAt(belief, log, oldest, { now, normal }) : NEVER,
    // Requests of an earlier process leave unseen: look again.
    !rate && bound < max - reserve && log.foreign?.hits.length
      ? Math.max(now, told + belief.period / REFRESH)
      : NEVER,
  );
  if (probe < normal) return { at: probe, probe: true, soonest: probe };
  // Requests that have left can come back for as long as the server's clock jitters.
  const calm = told + 2 * belief.slack;
  return {
    at: calm > now ? Math.min(calm, normal) : normal,
    soonest: likelyOpening(window, log, now, places),
  };
};

/** The condition that a shared store has to check before a request of this one goes. */
export interface Claim {
  /** Requests received from then on, and those in flight, are counted. */
  readonly cut: number;
  /** So many may be counted, the new one included. */
  readonly limit: number;
}

/**
 * The claim of a request that has just been added to the log; a probe may use a place kept back.
 * The counts of requests in flight together are not exact. So while departures are not known, a
 * probe goes only if nobody else has sent since, and others take half of the room at once.
 */
export const claimOf = (
  window: WindowState,
  log: Log,
  now: number,
  { credit, isProbe, spare }: Margin & { readonly isProbe: boolean },
): Claim => {
  const { belief, max } = window;
  const cut = cutoff(belief, now + credit).safe;
  const { rate, reserve } = planForeign(window, log, now);
  const places = Math.max(1, max - reserve - spare);
  const keep = placesKept(window, log, cut, { now, credit, rate });
  const bound = Math.min(weigh(log, cut), reportBound(window, log, now));
  const room = Math.max(1, isProbe ? places : places - keep) - bound;
  const share = isProbe ? 0 : 1 / 2;
  // As the store counts: it rounds responses up to whole milliseconds, and cut-offs down.
  const own = log.hits.length - firstFrom(log.hits, Math.floor(cut) - 1 + CLOCK_STEP);
  return { cut, limit: own + (keep > 0 ? Math.min(room, Math.floor(room * share)) : room) };
};

/**
 * The time at which the next request may go by the hypotheses that fit best: for forecasts, not for
 * sending.
 */
export const likelyOpening = (
  { belief }: WindowState,
  log: Log,
  now: number,
  places: number,
): number => {
  const cut = cutoff(belief, now).likely;
  const need = weigh(log, cut) - places + 1;
  if (need <= 0) return now;
  const at = departure(belief, freeing(log, cut, need)).likely;
  return at < NEVER ? at : now;
};

/** Places kept back while the departures of hits are not known: for probes. */
const placesKept = (
  { belief, max, period }: WindowState,
  log: Log,
  cut: number,
  { credit, now, rate }: { readonly now: number; readonly credit: number; readonly rate: number },
): number => {
  if (max === 1 || belief.living.length === 1) return 0;
  const { largest, voters } = memoOf(belief);
  // Departures cannot be told apart any better than this.
  const tolerance = Math.max(period / max, largest / 16 + 2 * belief.slack + 2 * credit);
  const isSettled = [log.hits[firstFrom(log.hits, cut)], log.hits.at(-1)].every((hit) => {
    // Those in flight are stamped now at the latest.
    const { likely, safe } = departure(belief, Math.min(hit?.received ?? now, now));
    return safe - likely <= tolerance;
  });
  if (isSettled) return 0;
  return voters > MANY_HYPOTHESES && !rate ? Math.min(MOST_PROBES, max >> 2 || 1) : 1;
};

/**
 * The time of a probe: as the departure of the oldest hit divides the hypotheses best. Near to
 * boundaries that tells nothing, so that a probe waits for the next hit where much is to gain.
 */
const probeAt = (
  belief: Belief,
  log: Log,
  first: number,
  { normal, now }: { readonly now: number; readonly normal: number },
): number => {
  const { hits, ordered, probe } = log;
  if (first >= ordered || hits.slice(ordered).some(({ id }) => id === probe)) return NEVER;
  const { received } = hits[first]!;
  const { version } = belief;
  if (log.median?.version !== version || log.median.received !== received) {
    let at = medianDeparture(belief, received);
    if (normal > now + belief.period / REFRESH)
      for (const hit of hits.slice(first, ordered)) {
        const median = medianDeparture(belief, hit.received);
        if (median >= normal) break;
        if (isTelling(belief, hit.sent, median + belief.slack)) {
          at = median;
          break;
        }
      }
    log.median = { version, received, at };
  }
  return log.median.at;
};

/**
 * The most that the server can count by the report that says least. Hits that left within the
 * jitter of the server's clock may come back for as long, so a report says nothing before.
 */
const reportBound = ({ belief }: WindowState, log: Log, now: number): number =>
  log.lowest && now >= log.lowest.received + 2 * belief.slack ? mostBy(log, log.lowest) : NEVER;

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
