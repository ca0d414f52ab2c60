/**
 * Learns from the count in a response about one window of one rule.
 */
import { cutoff, MAX_SLACK, observeClock, refute, refuteStill, relax, strain } from "./Belief.ts";
import { NEVER } from "./basics.ts";
import { ARRIVAL_MEMORY, firstFrom, foreignFrom, forgetBefore, mostBy, order } from "./Log.ts";
import type { Belief } from "./Belief.ts";
import type { Hit, Log, Reading, WindowState } from "./Log.ts";

/** Departures this close to a request show how exact the server's clock is. */
const EDGE_MILLIS = 200;
const DROP_MARGIN = 250;
/** The most by which a request can seem to leave before its period ends. */
const EARLY_MILLIS = 1000;
const MOST_LIES = 4;
const RESIDUAL_SHARE = 0.1;
/**
 * Of windows with `n` times as many requests, one count in `n` is studied, and of counts far from
 * the limit one in `STUDY_EVERY` times as many: a response costs the same.
 */
const MANY_HITS = 512;
const STUDY_EVERY = 64;

const isCertain = ({ uncertain }: Hit): boolean => !uncertain;

/** The requests in a count besides the one that it answers. */
const othersIn = ({ count }: Reading): number => Math.max(0, count - 1);

/** Learns from the count of a response. */
export const observe = (window: WindowState, log: Log, k: Reading): void => {
  const { belief } = window;
  const { hits, reading: last } = log;
  // A study takes time for every request in the window.
  const many = Math.floor(hits.length / MANY_HITS);
  const every = k.count * 2 < window.max ? many * STUDY_EVERY : many;
  if (every > 0 && belief.readings++ % every !== 0) {
    remember(log, k);
    return;
  }
  order(log, k.received);
  const others = othersIn(k);
  const answered = firstFrom(hits, k.sent);

  // A fall: something left between the two responses, whatever others sent.
  if (last && last.received < k.sent) {
    const fresh = hits
      .slice(firstFrom(hits, last.received), answered)
      .filter((hit) => hit.sent > last.received && isCertain(hit));
    if (last.count + fresh.length > others)
      refuteStill(belief, last.sent - belief.slack, k.received + belief.slack);
  }

  // Of the hits that were answered before this request, at most `others` are counted.
  const before = sentBefore(hits, answered);
  const gone = before[before.length - 1 - others] ?? -NEVER;
  // A request that left so long before its period ends has not left.
  const isLie = !window.isPlain && gone + belief.period - k.received > EARLY_MILLIS;
  if (doubt(belief, isLie, others)) return;
  if (gone > -NEVER) {
    refute(belief, gone - belief.slack, k.received + belief.slack);
    const left = Math.min(before[before.length - others] ?? k.sent, k.received - belief.period);
    forgetBefore(log, left - DROP_MARGIN, (hit) => !isCertain(hit));
  }

  const self = hits.findLastIndex(({ id }) => id === k.id);
  const own = self < 0 ? hits : hits.toSpliced(self, 1);
  // A plain window: what is gone before its time or counted after it shows how exact the clock is.
  const off = Math.max(
    gone + belief.period - k.received,
    k.sent - belief.period - (own[own.length - others]?.received ?? NEVER),
  );
  if (belief.living.length === 1 && Math.abs(off) <= EDGE_MILLIS) observeClock(belief, off);
  if (log.foreign) {
    const recent = own.length - firstFrom(own, k.sent - belief.period);
    log.foreign.residual += (Math.max(0, others - recent) - log.foreign.residual) * RESIDUAL_SHARE;
  }
  compare(window, log, own, k);
  remember(log, k);
};

/** The times at which the certain ones of the first `count` hits were sent, the earliest first. */
const sentBefore = (hits: ReadonlyArray<Hit>, count: number): Float64Array => {
  const times = new Float64Array(count);
  let size = 0;
  for (let index = 0; index < count; index++)
    if (isCertain(hits[index]!)) times[size++] = hits[index]!.sent;
  return times.subarray(0, size).toSorted();
};

/**
 * Whether a count cannot be: a request has left long before its period ends, so the count is of
 * another route, or old. A server whose counts are mostly such ones tells none.
 */
const doubt = (belief: Belief, isLie: boolean, others: number): boolean => {
  if (isLie) belief.lies = Math.min(MOST_LIES, belief.lies + 1);
  else if (others > 0) belief.lies = Math.max(0, belief.lies - 1);
  const counts = belief.lies < MOST_LIES && (belief.counts || !isLie);
  if (counts !== belief.counts) {
    belief.counts = counts;
    belief.version++;
  }
  return isLie || !counts;
};

const remember = (log: Log, k: Reading): void => {
  if (!log.reading || k.sent >= log.reading.sent) log.reading = k;
  // While others send, only the last one tells; so it does where requests take no time.
  if (log.foreign || k.received === k.sent) log.lowest = log.reading;
  else if (!log.lowest || mostBy(log, k) < mostBy(log, log.lowest)) log.lowest = k;
};

/** Compares the count with the hits that may be in it: too many mean buckets, slack, or others. */
const compare = (window: WindowState, log: Log, own: ReadonlyArray<Hit>, k: Reading): void => {
  const { belief } = window;
  const others = othersIn(k);
  // The oldest hit that is still counted, if nobody else sent any.
  const y = log.foreign?.hits.length ? undefined : own[own.length - others];
  if (y) {
    const late = strain(belief, y.received, k.sent);
    if (late > 0 && late + belief.slack <= 2 * MAX_SLACK && !log.foreign?.arrivals.length) {
      belief.slack += late + 5;
      belief.version++;
    }
  }
  const cut = cutoff(belief, k.sent).safe;
  const possible = own.slice(firstFrom(own, cut));
  const counted = foreignFrom(log, cut).reduce((sum, { weight }) => sum + weight, 0);
  const missing = others - counted - possible.length;
  if (missing > 0) addForeign(window, log, k, missing);
  if (!log.foreign) return;
  const sure = possible.filter(
    (hit) => isCertain(hit) && hit.received <= k.sent && hit.sent + belief.period > k.received,
  );
  // Foreign hits that the count has no room for have left.
  let surplus = Math.max(0, counted - Math.max(0, others - sure.length));
  const lies = new Set<number>();
  log.foreign.hits = log.foreign.hits.flatMap((hit) => {
    const less = Math.min(surplus, hit.weight);
    surplus -= less;
    // They have not had the time to leave: the count that showed them was old, or of another route.
    if (less > 0 && hit.sent + belief.period - EARLY_MILLIS > k.received) lies.add(hit.received);
    return less === hit.weight ? [] : [{ ...hit, weight: hit.weight - less }];
  });
  if (lies.size === 0) return;
  log.foreign.arrivals = log.foreign.arrivals.filter(({ at }) => !lies.has(at));
  if (log.foreign.arrivals.length === 0) log.foreign.residual = 0;
};

const addForeign = (window: WindowState, log: Log, k: Reading, missing: number): void => {
  const last = log.reading;
  const foreign = (log.foreign ??= { hits: [], arrivals: [], residual: 0 });
  const sent = last ? Math.min(last.sent, k.sent) : k.sent - window.period;
  foreign.hits = [...foreign.hits, { sent, received: k.received, weight: missing }];
  foreign.residual = Math.max(foreign.residual, missing);
  // The first count shows the past of this program too.
  if (!last || last.received > k.sent) return;
  // Only a rise of the count dates arrivals; what was hidden before may be older.
  const fresh = log.hits.filter(({ id, received }) => received > last.sent && id !== last.id);
  const weight = Math.max(0, k.count - last.count - fresh.length);
  if (foreign.arrivals.length === 0) relax(window.belief);
  foreign.arrivals = [
    ...foreign.arrivals.filter(({ at }) => at > k.received - ARRIVAL_MEMORY),
    { at: k.received, millis: k.received - last.sent, weight },
  ];
};
