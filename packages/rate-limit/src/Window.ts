/**
 * One window of one account: when there is room for one more request.
 *
 * Two upper bounds of the server's count hold at once. By the log: own requests that may not have
 * left yet, and foreign requests. By the report: the last count, and own requests that are not
 * certainly included in it. The smaller bound decides.
 */
import { windowState } from "./Documents.ts";
import type { Hit, Reading, RequestLog, Window, WindowState } from "./Documents.ts";
import { leavesBy, probeTime, uncertainty } from "./Buckets.ts";

/** The time at which one more request may go. `Infinity`: once a request in flight is answered. */
export interface Opening {
  readonly at: number;
  /** The request would use the place that is kept for probing whether old requests have left. */
  readonly isProbe?: true;
}

/** Returns the index of the first hit that passes a test that all later hits pass as well. */
export const firstHit = (hits: ReadonlyArray<Hit>, test: (hit: Hit) => boolean): number => {
  // Usually all hits pass.
  if (hits[0] && test(hits[0])) return 0;
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(hits[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Returns the number of requests from an index on. */
export const weightFrom = (hits: ReadonlyArray<Hit>, index: number): number => {
  let sum = 0;
  for (let each = index; each < hits.length; each++) sum += hits[each]!.weight ?? 1;
  return sum;
};

/** Returns the index of the hit that includes the request at position `fromEnd`, 1 for the last. */
export const hitFromEnd = (hits: ReadonlyArray<Hit>, fromEnd: number): number => {
  let index = hits.length;
  for (let rest = fromEnd; rest > 0 && index > 0;) rest -= hits[--index]!.weight ?? 1;
  return index;
};

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
): number => weightFrom(log.hits, firstCounted(window, log, state, now));

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
  const byLog = weightFrom(log.hits, first) + foreignCount(window, state, now) + inFlight;
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
  const oldest = log.hits[Math.max(first, hitFromEnd(log.hits, bound - inFlight))];
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
  let last = log.hits.at(-1)?.sent ?? 0;
  for (const { sent } of Object.values(log.inFlight)) last = Math.max(last, sent);
  const silence = Math.min(period, now - (state.reading?.sent ?? now));
  const unseen = Math.min(max >> 1, foreignPlaces(rate * silence));
  return { at: last + interval, places: Math.max(1, places - unseen) };
};

/** Returns the last count plus the answered requests that are not certainly included in it. */
const reportedCount = ({ count, sent }: Reading, { hits }: RequestLog): number => {
  const later = weightFrom(
    hits,
    firstHit(hits, ({ received }) => received >= sent),
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
  const foreign = state.foreign
    .map(({ until, weight }) => ({ at: leavesBy(buckets, until), weight }))
    .filter(({ at }) => at > now)
    .toSorted((a, b) => a.at - b.at);
  let rest = count;
  let next = 0;
  for (let index = firstCounted(window, log, state, now); index < log.hits.length; index++) {
    const { received, weight = 1 } = log.hits[index]!;
    if (foreign.length === 0 && (rest -= weight) > 0) continue;
    const at = leavesBy(buckets, received);
    for (; next < foreign.length && foreign[next]!.at <= at; next++)
      if ((rest -= foreign[next]!.weight) <= 0) return foreign[next]!.at;
    if (foreign.length === 0 || (rest -= weight) <= 0) return at;
  }
  for (; next < foreign.length; next++)
    if ((rest -= foreign[next]!.weight) <= 0) return foreign[next]!.at;
  // Requests in flight leave after their answers.
  return Number.POSITIVE_INFINITY;
};

/** Hits are kept for this long after their departure, because late responses may include them. */
const LATE_MILLIS = 2000;
const MAX_HITS = 1024;
/** Two neighbours are merged if they are no further apart than this share of their age. */
const MERGE_SHARE = 1 / 64;

/** Removes what no window counts any more, and merges old hits of large windows. */
export const forget = (log: RequestLog, windows: ReadonlyArray<Window>, now: number): void => {
  for (const [id, { lostAt, sent }] of Object.entries(log.inFlight))
    if (lostAt <= now) {
      delete log.inFlight[id];
      addHit(log, { sent, received: lostAt, isLost: true });
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
  if (first > 64 || first * 2 > log.hits.length) log.hits.splice(0, first);
  if (log.hits.length > MAX_HITS) log.hits = merged(log.hits, now);
};

/** Adds a hit in the order of `received`: the clocks of processes differ a little. */
export const addHit = ({ hits }: RequestLog, hit: Hit): void => {
  let index = hits.length;
  while (index > 0 && hits[index - 1]!.received > hit.received) index--;
  hits.splice(index, 0, hit);
};

/** Merges neighbours: the older they are, the less their exact times matter. */
const merged = (hits: ReadonlyArray<Hit>, now: number): Array<Hit> => {
  const slots: Array<Hit> = [];
  for (const hit of hits) {
    const last = slots.at(-1);
    const isClose =
      last !== undefined && hit.received - last.sent < (now - last.sent) * MERGE_SHARE;
    if (isClose && last.isLost === hit.isLost)
      slots[slots.length - 1] = {
        ...last,
        received: hit.received,
        weight: (last.weight ?? 1) + (hit.weight ?? 1),
      };
    else slots.push(hit);
  }
  return slots;
};
