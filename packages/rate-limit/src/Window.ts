/**
 * Computes when one window of one account has room for another request.
 *
 * Two upper bounds of the server's count are known. The log counts own requests that may not have
 * left the window yet, and foreign requests (of other programs). The report is the last count, plus
 * own requests that it may not include. The smaller bound decides.
 */
import { leavesBy, probeTime, uncertainty } from "./Buckets.ts";
import { addHit, countFrom, firstHit, removeHits, totalBefore } from "./Documents.ts";
import type { Hit, RequestLog, Window, WindowState } from "./Documents.ts";

/** A window, and the requests of one account that it may count. */
export interface AccountWindow {
  readonly window: Window;
  readonly log: RequestLog;
  readonly state: WindowState;
}

export const accountWindow = (window: Window, log: RequestLog): AccountWindow => {
  const state = (log.windows[window.key] ??= { leftBefore: 0, foreign: [] });
  return { window, log, state };
};

/** Returns the index of the first hit that the server may count at `now`. */
const firstCounted = ({ log, state, window }: AccountWindow, now: number): number =>
  firstHit(
    log.hits,
    ({ receivedAt }) =>
      receivedAt >= state.leftBefore && leavesBy(window.buckets, receivedAt) > now,
  );

/** Returns the number of own requests that may be counted at `now`, except requests in flight. */
export const ownCount = (target: AccountWindow, now: number): number =>
  countFrom(target.log, firstCounted(target, now));

/** Returns the number of requests of other programs that may be counted at `now`. */
export const foreignCount = ({ state, window }: AccountWindow, now: number): number => {
  let sum = 0;
  for (const { until, weight } of state.foreign)
    if (leavesBy(window.buckets, until) > now) sum += weight;
  return sum;
};

/** Other programs are expected to send for this long after their last known request. */
const FOREIGN_MILLIS = 1_800_000;
/** Foreign traffic is ignored if it has fewer requests per count than this on average. */
const MIN_FOREIGN_MEAN = 0.3;

/** Returns the requests of other programs per millisecond, or 0 if no other program sends. */
const foreignRate = ({ state, window }: AccountWindow, now: number): number => {
  const { at, mean } = state.foreignLevel ?? { at: 0, mean: 0 };
  return at + FOREIGN_MILLIS < now || mean < MIN_FOREIGN_MEAN ? 0 : mean / window.period;
};

/** Returns the places to keep for foreign requests, of which `mean` are expected. */
const foreignPlaces = (mean: number): number => Math.ceil(mean + 3 * Math.sqrt(mean));

/**
 * Returns the time at which another request can be sent if `reserve` places stay free. `Infinity`
 * if a response to a request in flight has to arrive first.
 */
export const nextOpening = (target: AccountWindow, now: number, reserve: number): number => {
  const { log, state, window } = target;
  const { buckets } = window;
  const { at: spreadAt, places } = spreadRequests(target, now, Math.max(1, window.max - reserve));
  if (spreadAt > now) return spreadAt;
  const inFlight = Object.keys(log.inFlight).length;
  const first = firstCounted(target, now);
  const byLog = countFrom(log, first) + foreignCount(target, now) + inFlight;
  const byReport = reportedCount(target) + inFlight;
  // The server's clock jitters, so its next count may include requests that this count did not.
  const reliableAt = state.reading ? state.reading.receivedAt + 2 * buckets.slack : 0;
  const bound = reliableAt > now ? byLog : Math.min(byLog, byReport);
  // Leaves at least one place, because a request without a place would wait forever.
  const kept = Math.min(places - 1, placesForProbe(target, first));
  if (bound + kept < places) return now;
  const at = departure(target, now, byLog + kept - places + 1);
  if (bound < places) {
    // If the report is lower than the log, the server no longer counts the oldest hits of the log.
    const left = totalBefore(log, log.hits.length) - (bound - inFlight);
    const firstLeft = firstHit(log.hits, ({ total }) => total > left);
    const oldest = log.hits[Math.max(first, firstLeft)];
    const probeAt = oldest ? probeTime(buckets, oldest.receivedAt) : at;
    const isProbing = Object.values(log.inFlight).some((sentAt) => sentAt >= probeAt);
    if (probeAt < at && !isProbing) return Math.max(now, probeAt);
  }
  return reliableAt > now && byReport < places ? Math.min(at, reliableAt) : at;
};

/**
 * Spreads requests evenly if other programs send, because a count after a pause is ambiguous.
 * Reduces the places by the foreign requests that may be sent before the next count.
 */
const spreadRequests = (target: AccountWindow, now: number, places: number) => {
  const { log, state, window } = target;
  const { max, period } = window;
  const rate = foreignRate(target, now);
  if (rate === 0) return { at: now, places };
  const usual = foreignPlaces((2 * rate * period) / max);
  const interval = (1.03 * period) / Math.max(1, places - rate * period - usual - 1);
  const last = Math.max(log.hits.at(-1)?.sentAt ?? 0, ...Object.values(log.inFlight));
  const silence = Math.min(period, now - (state.reading?.sentAt ?? now));
  const unseen = Math.min(max >> 1, foreignPlaces(rate * silence));
  return { at: last + interval, places: Math.max(1, places - unseen) };
};

/** Returns the last count plus the hits that the count may not include. */
const reportedCount = ({ log, state, window }: AccountWindow): number => {
  const { reading } = state;
  if (!reading || !window.buckets.hasCounts) return Number.POSITIVE_INFINITY;
  const isLater = ({ receivedAt }: Hit): boolean => receivedAt >= reading.sentAt;
  // The response's count includes its own request.
  return reading.count + Math.max(0, countFrom(log, firstHit(log.hits, isLater)) - 1);
};

/**
 * Returns the number of places to keep for a probe: 1 if it is uncertain when the server stops
 * counting requests and the probe would gain time for at least one request, otherwise 0.
 */
const placesForProbe = ({ log, window }: AccountWindow, first: number): number => {
  const { buckets, max, period } = window;
  const oldest = log.hits[first];
  if (max === 1 || !oldest) return 0;
  const worst = Math.max(
    uncertainty(buckets, oldest.receivedAt),
    uncertainty(buckets, log.hits.at(-1)!.receivedAt),
  );
  // A smaller gain is enough if one probe can show that the server has no buckets.
  const share = buckets.canBePlain ? 0.5 : 1;
  return worst > Math.max((share * period) / max, 4 * buckets.slack) ? 1 : 0;
};

/**
 * Returns the time at which the server certainly no longer counts `count` of the requests that it
 * may count at `now`.
 */
const departure = (target: AccountWindow, now: number, count: number): number => {
  const { log, state, window } = target;
  const left = totalBefore(log, firstCounted(target, now));
  /** Returns when `own` own requests have left, or `Infinity` if some are in flight. */
  const ownDeparture = (own: number): number => {
    if (own <= 0) return now;
    const hit = log.hits[firstHit(log.hits, ({ total }) => total >= left + own)];
    return hit ? leavesBy(window.buckets, hit.receivedAt) : Number.POSITIVE_INFINITY;
  };
  let at = ownDeparture(count);
  let foreign = 0;
  for (const { until, weight } of state.foreign) {
    const leavesAt = leavesBy(window.buckets, until);
    if (leavesAt <= now) continue;
    foreign += weight;
    at = Math.min(at, Math.max(leavesAt, ownDeparture(count - foreign)));
  }
  return at;
};

/** Hits are kept for this long after the server stopped counting them, for late responses. */
const LATE_MILLIS = 2000;

/**
 * Removes hits and foreign requests that no window can count. Requests that are in flight for
 * longer than `timeout` milliseconds become lost hits.
 */
export const pruneLog = (
  log: RequestLog,
  windows: ReadonlyArray<AccountWindow>,
  now: number,
  timeout: number,
): void => {
  for (const [id, sentAt] of Object.entries(log.inFlight))
    if (sentAt + timeout <= now) {
      delete log.inFlight[id];
      addHit(log, { sentAt, receivedAt: sentAt + timeout, isLost: true });
    }
  let first = log.hits.length;
  for (const target of windows) {
    const { state, window } = target;
    first = Math.min(first, firstCounted(target, now - LATE_MILLIS));
    state.foreign = state.foreign.filter(
      ({ until }) => leavesBy(window.buckets, until) > now - LATE_MILLIS,
    );
  }
  removeHits(log, first, now);
};
