/**
 * Learns from the count in a response about one window of one rule.
 */
import { cutoff, MAX_SLACK, observeClock, refute, refuteStill, strain } from "./Belief.ts";
import type { Belief } from "./Belief.ts";
import { NEVER } from "./basics.ts";
import { add, isForeign, order, weightOf } from "./Log.ts";
import type { Hit, Log, Reading, WindowState } from "./Log.ts";

/** Departures this close to a request show how exact the server's clock is. */
const EDGE_MILLIS = 200;
const DROP_MARGIN = 250;
/** Arrivals of other programs are remembered for this long. */
const ARRIVAL_MEMORY = 1_800_000;
const RESIDUAL_SHARE = 0.1;
/**
 * In windows of so many requests, counts far from the limit are studied once in so many responses.
 */
const MANY_HITS = 512;
const STUDY_EVERY = 64;

/** Learns from the count of a response. */
export const observe = (window: WindowState, log: Log, k: Reading): void => {
  const { belief } = window;
  if (!belief.counts) {
    belief.counts = true;
    belief.version++;
  }
  // A study takes time for every request in the window.
  const isFull = k.count * 2 >= window.max;
  if (log.hits.length > MANY_HITS && !isFull && log.hits.length % STUDY_EVERY !== 0) {
    if (log.reading === undefined || k.sent >= log.reading.sent) log.reading = k;
    return;
  }
  order(log, k.received);
  const self = k.counted ? 1 : 0;
  const others = Math.max(0, k.count - self);
  const last = log.reading;
  const own = log.hits.filter((hit) => !isForeign(hit) && hit.id !== k.id);
  const certain = own.filter((hit) => hit.uncertain !== true);

  // A fall: something left between the two responses, whatever others sent.
  if (last && last.received < k.sent) {
    const fresh = certain.filter((hit) => hit.sent > last.received && hit.received < k.sent).length;
    if (last.count + fresh + self > k.count)
      refuteStill(belief, last.sent - belief.slack, k.received + belief.slack);
  }

  // Of the hits that were answered before this request, at most `others` are counted.
  const before = certain.filter((hit) => hit.received < k.sent).toSorted((a, b) => b.sent - a.sent);
  const gone = before[others];
  if (gone) {
    refute(belief, gone.sent - belief.slack, k.received + belief.slack);
    const left = Math.min(before[others - 1]?.sent ?? k.sent, k.received - belief.period);
    log.hits = log.hits.filter(
      (hit) => isForeign(hit) || hit.uncertain === true || hit.received >= left - DROP_MARGIN,
    );
  }

  if (belief.living.length === 1) watchClock(belief, own, k, others);
  const recent = own.filter(
    (hit) => hit.sent <= k.received && hit.received + belief.period > k.sent,
  ).length;
  log.residual += (Math.max(0, others - recent) - log.residual) * RESIDUAL_SHARE;
  compare(window, log, k, others);
  if (last === undefined || k.sent >= last.sent) log.reading = k;
};

/**
 * Measures how far the server's clock is off in a plain window: hits near the edge that are still
 * counted
 * though they should have left, or are gone too early.
 */
const watchClock = (belief: Belief, own: ReadonlyArray<Hit>, k: Reading, others: number): void => {
  const arrived = (k.sent + k.received) / 2;
  const left = own.map(
    ({ received, sent }) => (sent + Math.min(received, k.received)) / 2 + belief.period - arrived,
  );
  const edge = left.filter((at) => Math.abs(at) <= EDGE_MILLIS).toSorted((a, b) => b - a);
  const counted = others - left.filter((at) => at > EDGE_MILLIS).length;
  if (edge.length === 0 || counted < 0 || counted > edge.length) return;
  observeClock(belief, Math.max(0, -(edge[counted - 1] ?? 0), edge[counted] ?? 0));
};

/** Compares the count with the hits that may be in it: too many mean buckets, slack, or others. */
const compare = (window: WindowState, log: Log, k: Reading, others: number): void => {
  const { belief } = window;
  const possible = log.hits.filter((hit) => hit.id !== k.id && hit.sent <= k.received);
  let rank = 0;
  const y = possible.findLast((hit) => (rank += weightOf(hit)) >= others);
  if (others > 0 && y && y.received < NEVER && !isForeign(y)) {
    const late = strain(belief, y.received, k.sent);
    if (late > 0 && late + belief.slack <= 2 * MAX_SLACK && log.arrivals.length === 0) {
      belief.slack += late + 5;
      belief.version++;
    }
  }
  const cut = cutoff(belief, k.sent).safe;
  let most = 0;
  let surely = 0;
  let foreign = 0;
  for (const hit of possible) {
    if (hit.received < cut) continue;
    most += weightOf(hit);
    if (isForeign(hit)) foreign += weightOf(hit);
    else if (
      hit.uncertain !== true &&
      hit.received <= k.sent &&
      hit.sent + belief.period > k.received
    )
      surely++;
  }
  // Foreign hits that the count has no room for have left.
  let surplus = foreign - Math.max(0, others - surely);
  if (surplus > 0) {
    log.hits = log.hits.flatMap((hit) => {
      const less = isForeign(hit) ? Math.min(surplus, weightOf(hit)) : 0;
      surplus -= less;
      if (less === 0) return [hit];
      return weightOf(hit) === less ? [] : [{ ...hit, weight: weightOf(hit) - less }];
    });
    return;
  }
  const missing = others - most;
  if (missing > 0) addForeign(window, log, k, missing);
};

const addForeign = (window: WindowState, log: Log, k: Reading, missing: number): void => {
  const last = log.reading;
  const hit: Hit = {
    id: `${k.id}+`,
    sent: last ? Math.min(last.sent, k.sent) : k.sent - window.period,
    received: k.received,
    lostAt: k.received,
    weight: missing,
  };
  add(window, log, hit, k.received);
  log.residual = Math.max(log.residual, missing);
  // The first count shows the past of this program too.
  if (!last || last.received > k.sent) return;
  // Only a rise of the count dates arrivals; what was hidden before may be older.
  const fresh = log.hits.filter(
    (each) =>
      !isForeign(each) && each.id !== k.id && each.id !== last.id && each.received > last.sent,
  ).length;
  const weight = Math.max(0, k.count - last.count - fresh - (k.counted ? 1 : 0));
  log.arrivals = [
    ...log.arrivals.filter(({ at }) => at > k.received - ARRIVAL_MEMORY),
    { at: k.received, millis: k.received - last.sent, weight },
  ];
};
