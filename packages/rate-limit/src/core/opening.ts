/**
 * The time at which the next request may go in one window of one rule.
 */
import { cutoff, departure, medianDeparture, memoOf } from "./Belief.ts";
import type { Belief } from "./Belief.ts";
import { foreignRate, foreignReserve, pacedUntil } from "./foreign.ts";
import { NEVER } from "./basics.ts";
import { departureOf, firstFrom, freeing, isForeign, order, weigh, weightOf } from "./Log.ts";
import type { Hit, Log, WindowState } from "./Log.ts";

/** The next request of a window. */
export interface Opening {
  readonly at: number;
  /** The request uses the place kept back. */
  readonly probe?: boolean;
  /** The earliest time at which it may go, by the hypotheses that fit best. */
  readonly soonest: number;
}

const PROBE_DELAY = 10;
/** A report is old after this share of the period. */
const REFRESH = 4;
const MANY_HYPOTHESES = 24;
const MOST_PROBES = 4;

/**
 * The time at which the next request may go. `credit`: it arrives at least this much later than it
 * is sent.
 * `spare`: places that stay free.
 */
export const opening = (
  window: WindowState,
  log: Log,
  now: number,
  credit: number,
  spare: number,
): Opening => {
  const { belief, max } = window;
  order(log, now);
  const { hits } = log;
  const rate = foreignRate(window, log, now);
  const reserve = foreignReserve(window, log, rate, now);
  const pace = pacedUntil(window, log, rate, reserve);
  if (pace > now) return { at: pace, soonest: pace };
  const places = Math.max(1, max - reserve - spare);
  // Quick answer: not even with every place kept back.
  if (weigh(hits, 0) + Math.max(1, Math.floor(max / 4)) < places) return { at: now, soonest: now };

  const first = firstFrom(hits, cutoff(belief, now + credit).safe);
  const count = weigh(hits, first);
  const keep = placesKept(window, hits, first, now, credit, rate);
  const bound = Math.min(count, reportBound(window, log, now));
  if (bound + keep < places) return { at: now, soonest: now };
  const hit = hits[freeing(hits, first, count - Math.max(0, places - keep - 1))];
  const normal = hit ? departureOf(belief, hit).safe - credit : NEVER;
  const probe = Math.min(
    keep > 0 && bound < places ? probeAt(belief, log, hits.slice(first), now) : NEVER,
    // Requests of an earlier process leave unseen: look again.
    rate === 0 && bound < max - reserve && hits.some(isForeign)
      ? Math.max(now, (log.reading?.received ?? now) + belief.period / REFRESH)
      : NEVER,
  );
  if (probe < normal) return { at: probe, probe: true, soonest: probe };
  // Requests that have left can come back for as long as the server's clock jitters.
  const calm = (log.reading?.received ?? now) + 2 * belief.slack;
  const at = calm > now && calm < normal ? calm : normal;
  return { at: Math.max(now, at), soonest: likelyOpening(window, log, now, places) };
};

/** The condition that a shared store has to check before a request of this one goes. */
export interface Claim {
  /** Requests received from then on, and those in flight, are counted. */
  readonly cut: number;
  /** So many may be counted, the new one included. */
  readonly limit: number;
}

/** The claim of a request that has just been added to the log; probes may use a place kept back. */
export const claimOf = (
  window: WindowState,
  log: Log,
  now: number,
  credit: number,
  spare: number,
  isProbe: boolean,
): Claim => {
  const { belief, max } = window;
  const cut = cutoff(belief, now + credit).safe;
  const counted = log.hits.slice(firstFrom(log.hits, cut));
  const rate = foreignRate(window, log, now);
  const places = Math.max(1, max - foreignReserve(window, log, rate, now) - spare);
  const keep = isProbe ? 0 : placesKept(window, counted, 0, now, credit, rate);
  const bound = Math.min(weigh(counted, 0), reportBound(window, log, now));
  const own = counted.filter((hit) => !isForeign(hit)).length;
  return { cut, limit: own + Math.max(1, places - keep) - bound };
};

/**
 * The time at which the next request may go by the hypotheses that fit best: for forecasts, not for
 * sending.
 */
export const likelyOpening = (
  { belief, max }: WindowState,
  { hits }: Log,
  now: number,
  places: number,
): number => {
  const first = firstFrom(hits, cutoff(belief, now).likely);
  const need = weigh(hits, first) - Math.max(1, Math.min(max, places)) + 1;
  if (need <= 0) return now;
  const hit = hits[freeing(hits, first, need)];
  const at = hit ? departureOf(belief, hit).likely : NEVER;
  return at < NEVER ? at : now;
};

/** Places kept back while the departures of hits are not known: for probes. */
const placesKept = (
  { belief, max, period }: WindowState,
  hits: ReadonlyArray<Hit>,
  first: number,
  now: number,
  credit: number,
  rate: number,
): number => {
  if (max === 1 || belief.living.length === 1) return 0;
  const { largest, voters } = memoOf(belief);
  // Departures cannot be told apart any better than this.
  const tolerance = Math.max(period / max, largest / 16 + 2 * belief.slack + 2 * credit);
  const isSettled = (x: number): boolean => {
    const { likely, safe } = departure(belief, x);
    return safe - likely <= tolerance;
  };
  // Those in flight are stamped now at the latest.
  const ends = [hits[first], hits.at(-1)].map((hit) => Math.min(hit?.received ?? now, now));
  if (first === hits.length || ends.every(isSettled)) return 0;
  return voters > MANY_HYPOTHESES && rate === 0
    ? Math.min(MOST_PROBES, Math.max(1, Math.floor(max / 4)))
    : 1;
};

/** The time of a probe: as the departure of the oldest hit divides the hypotheses best. */
const probeAt = (belief: Belief, log: Log, counted: ReadonlyArray<Hit>, now: number): number => {
  if (counted.some(({ id, received }) => id === log.probe && received === NEVER)) return NEVER;
  let oldest: Hit | undefined;
  for (const hit of counted)
    if (hit.uncertain !== true && (!oldest || hit.sent < oldest.sent)) oldest = hit;
  if (!oldest || oldest.received === NEVER) return NEVER;
  const { received } = oldest;
  const { version } = belief;
  if (log.median?.version !== version || log.median.received !== received)
    log.median = { version, received, at: medianDeparture(belief, received) + PROBE_DELAY };
  return Math.max(now, log.median.at);
};

/**
 * The most that the server can count by its last report: the report, and the own requests that are
 * not certainly in it. Hits that left within the jitter of the server's clock may come back.
 */
const reportBound = ({ belief }: WindowState, { hits, reading }: Log, now: number): number => {
  if (reading === undefined) return NEVER;
  let bound = reading.count;
  const back = 2 * belief.slack;
  const [after, before] = [reading.received + back, reading.sent - back];
  for (const hit of hits) {
    if (!isForeign(hit) && hit.received > reading.sent && hit.id !== reading.id) bound++;
    else if (
      now < after &&
      hit.received + belief.period > before &&
      hit.sent + belief.period < after
    )
      bound += weightOf(hit);
  }
  return bound;
};
