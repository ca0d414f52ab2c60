/**
 * One window of one account: when there is room for one more request.
 *
 * Two upper bounds of the server's count hold at once. By the log: own requests that may not have
 * left yet, and foreign requests. By the report: the last count, and own requests that are not
 * certainly included in it. The smaller bound decides.
 */
import { leavesBy, probeTime, uncertainty } from "./Buckets.ts";
import { addHit, countFrom, firstHit, removeHits, totalBefore, windowState } from "./Documents.ts";
import type { Reading, RequestLog, Window, WindowState } from "./Documents.ts";

/** The time at which one more request may go. `Infinity`: once a request in flight is answered. */
export interface Opening {
  readonly at: number;
  /** The request would use the place that is kept for probing whether old requests have left. */
  readonly isProbe?: true;
}

/** Returns the index of the first hit that may be counted at `now`. */
const firstCounted = (
  { buckets }: Window,
  { hits }: RequestLog,
  { leftBefore }: WindowState,
  now: number,
): number =>
  firstHit(hits, ({ received }) => received >= leftBefore && leavesBy(buckets, received) > now);

/** Returns the number of own requests that may be counted at `now`, those in flight excluded. */
export const ownCount = (
  window: Window,
  log: RequestLog,
  state: WindowState,
  now: number,
): number => countFrom(log, firstCounted(window, log, state, now));

/** Returns the number of foreign requests that may be counted at `now`. */
export const foreignCount = (
  { buckets }: Window,
  { foreign }: WindowState,
  now: number,
): number => {
  let sum = 0;
  for (const { until, weight } of foreign) if (leavesBy(buckets, until) > now) sum += weight;
  return sum;
};

/** Other programs are expected to send for this long after their last request. */
const FOREIGN_MILLIS = 1_800_000;
/** A smaller mean number of foreign requests counts as none. */
const MIN_FOREIGN_MEAN = 0.3;

/** Returns the foreign requests per millisecond; 0 if no other program sends. */
const foreignRate = ({ foreignLevel }: WindowState, period: number, now: number): number =>
  !foreignLevel || foreignLevel.at + FOREIGN_MILLIS < now || foreignLevel.mean < MIN_FOREIGN_MEAN
    ? 0
    : foreignLevel.mean / period;

/** Returns the places for foreign requests that no count has shown yet, if `mean` are expected. */
const foreignPlaces = (mean: number): number => Math.ceil(mean + 3 * Math.sqrt(mean));

/** Returns the time at which one more request may go; `reserve` places stay free. */
export const opening = (window: Window, log: RequestLog, now: number, reserve: number): Opening => {
  const { buckets } = window;
  const state = windowState(log, window);
  const { reading } = state;
  const spread = spreadOut(window, log, now, Math.max(1, window.max - reserve));
  if (spread.at > now) return { at: spread.at };
  const { places } = spread;
  const inFlight = Object.keys(log.inFlight).length;
  const first = firstCounted(window, log, state, now);
  const byLog = countFrom(log, first) + foreignCount(window, state, now) + inFlight;
  const byReport =
    reading && buckets.hasCounts
      ? reportedCount(reading, log) + inFlight
      : Number.POSITIVE_INFINITY;
  // A clock that jitters may count again for a moment what it had forgotten.
  const reliableAt = reading ? reading.received + 2 * buckets.slack : 0;
  const bound = reliableAt > now ? byLog : Math.min(byLog, byReport);
  // Keeping the only place would wait for ever.
  const kept = Math.min(places - 1, placesForProbe(window, log, first));
  if (bound + kept < places) return { at: now };
  const at = departure(window, log, now, byLog + kept - places + 1);
  const isFree = state.probe === undefined || !(state.probe in log.inFlight);
  // If the report is lower than the log, the oldest hits of the log have left already.
  const left = totalBefore(log, log.hits.length) - (bound - inFlight);
  const oldest =
    log.hits[
      Math.max(
        first,
        firstHit(log.hits, ({ total }) => total > left),
      )
    ];
  if (kept > 0 && bound < places && isFree && oldest) {
    const probeAt = Math.max(now, probeTime(buckets, oldest.received));
    if (probeAt < at) return { at: probeAt, isProbe: true };
  }
  return { at: reliableAt > now && byReport < places ? Math.min(at, reliableAt) : at };
};

/**
 * Beside other programs, spreads requests evenly, because counts after a silence are ambiguous, and
 * reduces the places by those that foreign requests may take before the next count.
 */
const spreadOut = (
  window: Window,
  log: RequestLog,
  now: number,
  places: number,
): { readonly at: number; readonly places: number } => {
  const { max, period } = window;
  const state = windowState(log, window);
  const rate = foreignRate(state, period, now);
  if (rate === 0) return { at: now, places };
  const usual = foreignPlaces((2 * rate * period) / max);
  const interval = (1.03 * period) / Math.max(1, places - rate * period - usual - 1);
  const last = Math.max(log.hits.at(-1)?.sent ?? 0, ...Object.values(log.inFlight));
  const silence = Math.min(period, now - (state.reading?.sent ?? now));
  const unseen = Math.min(max >> 1, foreignPlaces(rate * silence));
  return { at: last + interval, places: Math.max(1, places - unseen) };
};

/** Returns the last count plus the answered requests that are not certainly included in it. */
const reportedCount = ({ count, sent }: Reading, log: RequestLog): number => {
  const later = countFrom(
    log,
    firstHit(log.hits, ({ received }) => received >= sent),
  );
  // The count includes the request that it answers.
  return count + Math.max(0, later - 1);
};

/** While it is uncertain when requests leave, one place is kept for a probe, if it gains a request. */
const placesForProbe = (
  { buckets, max, period }: Window,
  { hits }: RequestLog,
  first: number,
): number => {
  const oldest = hits[first];
  if (max === 1 || !oldest) return 0;
  const worst = Math.max(
    uncertainty(buckets, oldest.received),
    uncertainty(buckets, hits.at(-1)!.received),
  );
  // If the server may have no buckets at all, one probe can settle it.
  const share = buckets.canBePlain ? 0.5 : 1;
  return worst > Math.max((share * period) / max, 4 * buckets.slack) ? 1 : 0;
};

/** Returns the time at which `count` of the requests that may be counted have left. */
const departure = (window: Window, log: RequestLog, now: number, count: number): number => {
  const { buckets } = window;
  const state = windowState(log, window);
  const left = totalBefore(log, firstCounted(window, log, state, now));
  /** Requests in flight leave after their answers. */
  const ownDeparture = (own: number): number => {
    if (own <= 0) return now;
    const hit = log.hits[firstHit(log.hits, ({ total }) => total >= left + own)];
    return hit ? leavesBy(buckets, hit.received) : Number.POSITIVE_INFINITY;
  };
  let at = ownDeparture(count);
  let foreign = 0;
  for (const { until, weight } of state.foreign) {
    const leavesAt = leavesBy(buckets, until);
    if (leavesAt <= now) continue;
    foreign += weight;
    at = Math.min(at, Math.max(leavesAt, ownDeparture(count - foreign)));
  }
  return at;
};

/** Hits are kept for this long after their departure, because late responses may include them. */
const LATE_MILLIS = 2000;

/** Removes what no window counts any more. Requests without an outcome for `timeout` are lost. */
export const forget = (
  log: RequestLog,
  windows: ReadonlyArray<Window>,
  now: number,
  timeout: number,
): void => {
  for (const [id, sent] of Object.entries(log.inFlight))
    if (sent + timeout <= now) {
      delete log.inFlight[id];
      addHit(log, { sent, received: sent + timeout, isLost: true });
    }
  let first = log.hits.length;
  for (const window of windows) {
    const state = windowState(log, window);
    first = Math.min(first, firstCounted(window, log, state, now - LATE_MILLIS));
    if (state.foreign.length > 0)
      state.foreign = state.foreign.filter(
        ({ until }) => leavesBy(window.buckets, until) > now - LATE_MILLIS,
      );
  }
  removeHits(log, first, now);
};
