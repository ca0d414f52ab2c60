/**
 * One window of one rule: which requests the server may count in it, when the next one may go, and
 * what a count in a response teaches.
 *
 * A request is an interval `[sent, received]`: the server stamped it somewhere in between. It leaves
 * by its end and refutes by its start. What is in flight is always counted.
 */
import {
  departures,
  medianDeparture,
  observeClock,
  refute,
  refuteStill,
  SLACK_LIMIT,
  strain,
} from "./Belief.ts";
import type { Belief } from "./Belief.ts";

/** A request, or several of other programs. */
export interface Hit {
  readonly id: string;
  sent: number;
  /** `Infinity` in flight. */
  received: number;
  /** When a request without an outcome counts as lost. */
  readonly lostAt: number;
  /** No response came: it may or may not have been counted. */
  uncertain?: boolean;
  /** Set on requests of other programs: how many. */
  weight?: number;
}

/** The server's count in a response. */
export interface Reading {
  readonly id: string;
  readonly count: number;
  readonly sent: number;
  readonly received: number;
  readonly counted: boolean;
}

/** Arrivals of other programs' requests between two readings. */
interface Arrivals {
  readonly at: number;
  readonly millis: number;
  readonly weight: number;
}

/** One window of one rule, shared by all identities. */
export interface WindowState {
  readonly key: string;
  readonly rule: string;
  max: number;
  readonly period: number;
  seenAt: number;
  readonly belief: Belief;
  readonly logs: Map<string, Log>;
}

/** The requests of one identity in a window. */
export interface Log {
  /** Oldest first, by `sent`. */
  hits: Array<Hit>;
  /** For each hit its latest and its first departure, as of `version`. */
  last: Array<number>;
  first: Array<number>;
  version: number;
  reading: Reading | undefined;
  probe: string | undefined;
  median?: { readonly version: number; readonly received: number; readonly at: number };
  arrivals: ReadonlyArray<Arrivals>;
  /** Counted requests that the own ones of one period do not explain, on average. */
  residual: number;
}

/** When a window lets the next request go. */
export interface Opening {
  readonly at: number;
  /** The request uses the place kept back. */
  readonly probe?: boolean;
  /** When it may go at the earliest, by the hypotheses that fit best. */
  readonly soonest?: number;
}

const PROBE_DELAY = 10;
/** Hits are remembered for this long after they left: their count may still come. */
const MEMORY = 2000;
/** Departures this close to a request show how exact the server's clock is. */
const EDGE_MILLIS = 200;
const FEW_HITS = 16;
const DROP_MARGIN = 250;
const MANY_HYPOTHESES = 24;
const MOST_PROBES = 4;
/** Arrivals of other programs are remembered for this long. */
const ARRIVAL_MEMORY = 1_800_000;
/** Probability that more requests of other programs arrive than places are kept for them. */
const RISK = 0.001;
/** Share of the even gap between requests that is kept while other programs send. */
const PACE = 1.05;
/** Fewer requests of others than this on average are none. */
const FEW = 0.3;
const RESIDUAL_SHARE = 0.1;
/** So many requests of others at once are a burst. */
const BURST = 3;

/** A log without requests. */
export const newLog = (): Log => ({
  hits: [],
  last: [],
  first: [],
  version: 0,
  reading: undefined,
  probe: undefined,
  arrivals: [],
  residual: 0,
});

const weightOf = (hit: Hit): number => hit.weight ?? 1;

const refresh = ({ belief }: WindowState, log: Log): void => {
  if (log.version === belief.version) return;
  log.version = belief.version;
  const times = log.hits.map(({ received }) =>
    Number.isFinite(received)
      ? departures(belief, received)
      : ([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as const),
  );
  log.last = times.map(([last]) => last);
  log.first = times.map(([, first]) => first);
};

const stale = (log: Log): void => {
  log.version = 0;
};

/** Forgets hits that have left, and gives up on requests whose process died. */
export const prune = (window: WindowState, log: Log, now: number): void => {
  for (const hit of log.hits)
    if (!Number.isFinite(hit.received) && hit.lostAt <= now) {
      hit.received = hit.lostAt;
      hit.uncertain = true;
      stale(log);
    }
  refresh(window, log);
  const kept = log.last.findIndex((at) => at + MEMORY > now);
  const gone = kept === -1 ? log.hits.length : kept;
  if (gone === 0) return;
  log.hits.splice(0, gone);
  log.last.splice(0, gone);
  log.first.splice(0, gone);
};

/** Adds a request that is about to be sent. */
export const add = (window: WindowState, log: Log, hit: Hit): void => {
  refresh(window, log);
  let index = log.hits.length;
  while (index > 0 && log.hits[index - 1]!.sent > hit.sent) index--;
  const [last, first] = Number.isFinite(hit.received)
    ? departures(window.belief, hit.received)
    : [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (log.hits.length < FEW_HITS) {
    // Arrays that grow reserve space; most users have few requests.
    log.hits = log.hits.toSpliced(index, 0, hit);
    log.last = log.last.toSpliced(index, 0, last);
    log.first = log.first.toSpliced(index, 0, first);
    return;
  }
  log.hits.splice(index, 0, hit);
  log.last.splice(index, 0, last);
  log.first.splice(index, 0, first);
};

/** Takes a request out that was not counted here. */
export const drop = (log: Log, id: string): void => {
  const index = log.hits.findLastIndex((hit) => hit.id === id);
  if (log.probe === id) log.probe = undefined;
  if (index === -1) return;
  log.hits.splice(index, 1);
  log.last.splice(index, 1);
  log.first.splice(index, 1);
};

/** Takes over the hits of all processes from a store that they share. */
export const replaceHits = (
  window: WindowState,
  log: Log,
  hits: ReadonlyArray<Omit<Hit, "weight" | "uncertain">>,
  isOwn: (id: string) => boolean,
): void => {
  const known = new Map(log.hits.map((hit) => [hit.id, hit]));
  const told = new Set(hits.map(({ id }) => id));
  log.hits = [
    // Others' hits that the store does not have were taken back or have left.
    ...log.hits.filter(({ id, weight }) => weight !== undefined || (isOwn(id) && !told.has(id))),
    ...hits.map(({ id, lostAt, received, sent }) => {
      const hit = known.get(id);
      if (!hit) return { id, lostAt, received, sent };
      if (Number.isFinite(received)) hit.received = Math.min(hit.received, received);
      return hit;
    }),
  ].toSorted((a, b) => a.sent - b.sent);
  stale(log);
  refresh(window, log);
};

/** A request has its response. */
export const land = (window: WindowState, log: Log, id: string): void => {
  if (log.probe === id) log.probe = undefined;
  const index = log.hits.findLastIndex((hit) => hit.id === id);
  if (index === -1 || log.version !== window.belief.version) return;
  [log.last[index], log.first[index]] = departures(window.belief, log.hits[index]!.received) as [
    number,
    number,
  ];
};

/** The smallest number of places that Poisson arrivals of mean `mean` exceed with less than `RISK`. */
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
const foreignRate = ({ period }: WindowState, { arrivals, residual }: Log, now: number): number => {
  const last = arrivals.at(-1);
  if (!last || (residual < FEW && last.at + 2 * period < now)) return 0;
  return Math.max(residual, 1) / period;
};

/** Places kept for requests of other programs that no response has shown yet. */
const foreignReserve = (window: WindowState, log: Log, rate: number, now: number): number => {
  const { arrivals, reading } = log;
  if (arrivals.length === 0 || reading === undefined) return 0;
  const silence = Math.min(now - reading.sent, window.period);
  let most = rate === 0 ? 0 : poissonReserve(rate * Math.max(silence, window.period / window.max));
  // The next burst exceeds the largest of n with probability 1/(n+1).
  for (const { millis, weight } of arrivals)
    if (weight > most && weight > BURST && millis <= silence * 2) most = weight;
  return Math.min(most, window.max - 1);
};

/** Silence makes counts ambiguous, so requests are spread evenly while others send too. */
const paced = (window: WindowState, log: Log, rate: number, reserve: number): number => {
  if (rate === 0) return Number.NEGATIVE_INFINITY;
  const { max, period } = window;
  const usual = Math.min(reserve, poissonReserve((2 * rate * period) / max));
  const gap = (PACE * period) / Math.max(1, max - log.residual - usual - 1);
  const last = log.hits.findLast((hit) => hit.weight === undefined);
  return (last?.sent ?? Number.NEGATIVE_INFINITY) + gap;
};

/** When the next request may go; `credit`: it arrives at least this much later than it is sent. */
export const opening = (
  window: WindowState,
  log: Log,
  now: number,
  credit: number,
  spare: number,
): Opening => {
  const { belief, max } = window;
  prune(window, log, now);
  const rate = foreignRate(window, log, now);
  const foreign = foreignReserve(window, log, rate, now);
  const pace = paced(window, log, rate, foreign);
  if (pace > now) return { at: pace, soonest: pace };
  const places = Math.max(1, max - foreign - spare);
  // Quick answer: not even with every place kept back.
  let total = 0;
  for (const hit of log.hits) total += hit.weight ?? 1;
  if (total + Math.max(1, Math.floor(max / 4)) < places) return { at: now };

  const tolerance = Math.max(belief.period / max, resolution(belief) + 2 * credit);
  let count = 0;
  let unsettled = false;
  let flying = false;
  for (let index = 0; index < log.hits.length; index++) {
    const last = log.last[index]!;
    if (last <= now + credit) continue;
    count += log.hits[index]!.weight ?? 1;
    if (last === Number.POSITIVE_INFINITY) flying = true;
    else if (last - log.first[index]! > tolerance) unsettled = true;
  }
  if (flying && !unsettled && belief.living.length > 1) {
    const [last, first] = departures(belief, now);
    unsettled = last - first > tolerance;
  }
  const keep = !unsettled || max === 1 ? 0 : rate > 0 ? 1 : probesKept(belief, max);
  const bound = Math.min(count, reportBound(window, log, now));
  if (bound + keep < places) return { at: now };
  const normal = departureOf(log, count - Math.max(0, places - keep - 1), now, credit);
  if (keep > 0 && bound < places && log.probe === undefined) {
    const oldest = log.hits.findIndex((hit, index) => !hit.uncertain && log.last[index]! > now);
    const hit = log.hits[oldest];
    if (hit && Number.isFinite(hit.received)) {
      const at = probeTime(belief, log, hit.received);
      if (at < normal) return { at: Math.max(now, at), probe: true, soonest: Math.max(now, at) };
    }
  }
  // What has left can come back for as long as the jitter of the server's clock.
  const calm = (log.reading?.received ?? now) + 2 * belief.slack;
  const at = calm > now && calm < normal ? calm : normal;
  return { at: Math.max(now, at), soonest: likelyOpening(window, log, now, places) };
};

/** When the next request may go by the hypotheses that fit best: for forecasts, not for sending. */
export const likelyOpening = (
  { max }: WindowState,
  log: Log,
  now: number,
  places: number,
): number => {
  let count = 0;
  for (let index = 0; index < log.hits.length; index++)
    if (log.first[index]! > now) count += weightOf(log.hits[index]!);
  const need = count - Math.max(1, Math.min(max, places)) + 1;
  if (need <= 0) return now;
  const at = departureAfter(log.first, log.hits, now, need);
  return at !== undefined && Number.isFinite(at) ? at : now;
};

/** When `need` of the hits that leave after `now` have left. */
const departureAfter = (
  times: ReadonlyArray<number>,
  hits: ReadonlyArray<Hit>,
  now: number,
  need: number,
): number | undefined => {
  let left = need;
  let before = Number.NEGATIVE_INFINITY;
  // Departures are nearly always in order: sort only if they are not.
  for (let index = 0; index < times.length; index++) {
    const at = times[index]!;
    if (at < before) return departureInOrder(times, hits, now, need);
    before = at;
  }
  for (let index = 0; index < times.length; index++) {
    if (times[index]! <= now) continue;
    left -= weightOf(hits[index]!);
    if (left <= 0) return times[index];
  }
  return undefined;
};

const departureInOrder = (
  times: ReadonlyArray<number>,
  hits: ReadonlyArray<Hit>,
  now: number,
  need: number,
): number | undefined => {
  let left = need;
  const order = [...times.keys()]
    .filter((index) => times[index]! > now)
    .toSorted((a, b) => times[a]! - times[b]!);
  for (const index of order) {
    left -= weightOf(hits[index]!);
    if (left <= 0) return times[index];
  }
  return undefined;
};

/** Departures cannot be told apart any better than this. */
const resolution = (belief: Belief): number => summary(belief).size / 16 + 2 * belief.slack;

/** The number and the largest size of the hypotheses with a vote, kept until the belief changes. */
const summary = (belief: Belief): NonNullable<Belief["summary"]> => {
  if (belief.summary?.version === belief.version) return belief.summary;
  let size = 0;
  let voters = 0;
  for (const h of belief.living) {
    if (h.strained) continue;
    voters++;
    if (h.size > size) size = h.size;
  }
  belief.summary = { version: belief.version, size, voters };
  return belief.summary;
};

/** The time of the probe for a hit, kept until the belief changes. */
const probeTime = (belief: Belief, log: Log, received: number): number => {
  const { median } = log;
  if (median?.version === belief.version && median.received === received) return median.at;
  const at = medianDeparture(belief, received) + PROBE_DELAY;
  log.median = { version: belief.version, received, at };
  return at;
};

const probesKept = (belief: Belief, max: number): number =>
  summary(belief).voters > MANY_HYPOTHESES
    ? Math.min(MOST_PROBES, Math.max(1, Math.floor(max / 4)))
    : 1;

/** When `need` of the counted hits have left. `Infinity`: a response has to come first. */
const departureOf = (log: Log, need: number, now: number, credit: number): number => {
  if (need <= 0) return now;
  const at = departureAfter(log.last, log.hits, now + credit, need);
  return at === undefined ? Number.POSITIVE_INFINITY : at - credit;
};

/**
 * The most that the server can count by its last report: the report, and the own requests that are
 * not certainly in it. Hits that left within the jitter of the server's clock may come back.
 */
const reportBound = ({ belief }: WindowState, { hits, reading }: Log, now: number): number => {
  if (reading === undefined) return Number.POSITIVE_INFINITY;
  let bound = reading.count;
  const back = 2 * belief.slack;
  for (const hit of hits) {
    if (hit.weight === undefined && hit.received > reading.sent && hit.id !== reading.id) bound++;
    else if (
      now < reading.received + back &&
      hit.received + belief.period > reading.sent - back &&
      hit.sent + belief.period < reading.received + back
    )
      bound += weightOf(hit);
  }
  return bound;
};

/** Learns from the count of a response. Returns how many requests of other programs it revealed. */
export const observe = (window: WindowState, log: Log, k: Reading): number => {
  const { belief } = window;
  if (!belief.counts) {
    belief.counts = true;
    belief.version++;
  }
  if (log.probe === k.id) log.probe = undefined;
  const others = Math.max(0, k.count - (k.counted ? 1 : 0));
  const last = log.reading;
  const own = log.hits.filter((hit) => hit.weight === undefined && hit.id !== k.id);
  const certain = own.filter((hit) => hit.uncertain !== true);

  // A fall: something left between the two responses, whatever others sent.
  if (last && last.received < k.sent) {
    let fresh = k.counted ? 1 : 0;
    for (const hit of certain) if (hit.sent > last.received && hit.received < k.sent) fresh++;
    if (last.count + fresh > k.count)
      refuteStill(belief, last.sent - belief.slack, k.received + belief.slack);
  }

  // Of the hits that were answered before this request, at most `others` are counted.
  const before = certain.filter((hit) => hit.received < k.sent).toSorted((a, b) => b.sent - a.sent);
  const gone = before[others];
  if (gone) {
    refute(belief, gone.sent - belief.slack, k.received + belief.slack);
    const newest = before[others - 1]?.sent ?? k.sent;
    log.hits = log.hits.filter(
      (hit) =>
        hit.weight !== undefined ||
        hit.uncertain === true ||
        hit.received >= newest - DROP_MARGIN ||
        hit.received + belief.period >= k.received - DROP_MARGIN,
    );
    stale(log);
  }

  if (belief.living.length === 1) watchClock(belief, own, k, others);
  let recent = 0;
  for (const hit of own)
    if (hit.sent <= k.received && hit.received + belief.period > k.sent) recent++;
  const residual = Math.max(0, others - recent);
  log.residual += (residual - log.residual) * RESIDUAL_SHARE;
  const revealed = compare(window, log, k, others);
  if (last === undefined || k.sent >= last.sent) log.reading = k;
  return revealed;
};

/**
 * How far the server's clock is off in a plain window: hits near the edge that are still counted
 * though they should have left, or are gone too early.
 */
const watchClock = (belief: Belief, own: ReadonlyArray<Hit>, k: Reading, others: number): void => {
  const arrived = (k.sent + k.received) / 2;
  let inside = 0;
  const edge: Array<number> = [];
  for (const { received, sent } of own) {
    const left = (sent + Math.min(received, k.received)) / 2 + belief.period - arrived;
    if (left > EDGE_MILLIS) inside++;
    else if (left > -EDGE_MILLIS) edge.push(left);
  }
  const counted = others - inside;
  if (edge.length === 0 || counted < 0 || counted > edge.length) return;
  edge.sort((a, b) => b - a);
  const late = counted === 0 ? 0 : -edge[counted - 1]!;
  const early = counted === edge.length ? 0 : edge[counted]!;
  observeClock(belief, Math.max(0, late, early));
};

/** Compares the count with the hits that may be in it: too many mean buckets, slack, or others. */
const compare = (window: WindowState, log: Log, k: Reading, others: number): number => {
  const { belief } = window;
  const last = log.reading;
  const possible = log.hits
    .filter((hit) => hit.id !== k.id && hit.sent <= k.received)
    .toSorted((a, b) => b.received - a.received);
  let rank = 0;
  const y = possible.find((hit) => (rank += weightOf(hit)) >= others);
  if (others > 0 && y && Number.isFinite(y.received) && y.weight === undefined) {
    const late = strain(belief, y.received, k.sent);
    if (late > 0 && late <= SLACK_LIMIT - belief.slack && log.arrivals.length === 0) {
      belief.slack += late + 5;
      belief.version++;
    }
  }
  refresh(window, log);
  let most = 0;
  let surely = 0;
  let foreign = 0;
  for (let index = 0; index < log.hits.length; index++) {
    const hit = log.hits[index]!;
    if (hit.id === k.id || hit.sent > k.received) continue;
    if (log.last[index]! > k.sent) {
      most += weightOf(hit);
      if (hit.weight !== undefined) foreign += hit.weight;
      else if (
        hit.uncertain !== true &&
        hit.received <= k.sent &&
        hit.sent + belief.period > k.received
      )
        surely++;
    }
  }
  // Foreign hits that the count has no room for have left.
  let surplus = foreign - Math.max(0, others - surely);
  if (surplus > 0) {
    log.hits = log.hits.flatMap((hit) => {
      if (hit.weight === undefined || surplus <= 0) return [hit];
      const less = Math.min(surplus, hit.weight);
      surplus -= less;
      return hit.weight === less ? [] : [{ ...hit, weight: hit.weight - less }];
    });
    stale(log);
    return 0;
  }
  const missing = others - most;
  if (missing <= 0) return 0;
  const hit: Hit = {
    id: `${k.id}+`,
    sent: last ? Math.min(last.sent, k.sent) : k.sent - belief.period,
    received: k.received,
    lostAt: k.received,
    weight: missing,
  };
  add(window, log, hit);
  log.residual = Math.max(log.residual, missing);
  // The first count shows the past of this program too.
  if (last && last.received <= k.sent) {
    // Only a rise of the count dates arrivals; what was hidden before may be older.
    let fresh = k.counted ? 1 : 0;
    for (const { id, received, weight } of log.hits)
      if (weight === undefined && id !== k.id && received > last.sent && id !== last.id) fresh++;
    const weight = Math.max(0, k.count - last.count - fresh);
    log.arrivals = [
      ...log.arrivals.filter(({ at }) => at > k.received - ARRIVAL_MEMORY),
      { at: k.received, millis: k.received - last.sent, weight },
    ];
    return missing;
  }
  return 0;
};
