/**
 * What an answer teaches: limits and windows from its headers, the server's own counts against
 * ours, restrictions, and how long the server really keeps a hit.
 */
import type { RateLimitInfo, RateLimitWindow } from "../RateLimitDialect.ts";
import { entriesOf, prune, quarterOf, reportedBound } from "./Planner.ts";
import { modelPad, weightOf } from "./PolicyState.ts";
import type { Hit, PolicyState, WindowState } from "./PolicyState.ts";

/** How a request ended, as far as limits are concerned. */
export interface Outcome {
  readonly id: string;
  readonly now: number;
  /** When it was let go; known to the caller even where the state is another policy's. */
  readonly sentAt: number;
  /** `undefined`: no answer came. */
  readonly status: number | undefined;
  readonly reading: RateLimitInfo | undefined;
  /** `false`: the server does not count it (a HEAD probe). */
  readonly counted: boolean;
  /** The bucket a server may round with, for a window of the given length. */
  readonly assumedBucketOf: (period: number) => number;
}

/** After a 429 without any time in it: doubled for each further one. */
const BLIND_HOLD = 15_000;
const LONGEST_HOLD = 900_000;
/** A suspicion grows up to this after violations that nothing else explains. */
const LARGEST_BUCKET = 60_000;
/** Header times are whole seconds, perhaps rounded down. */
const SECOND = 1000;
/**
 * What is believed about hidden buckets is tried anew after this: the excess may have been somebody
 * else's traffic.
 */
const EVIDENCE_LIFETIME = 1_800_000;
/** Excess below this is the clocks' and the network's. */
const TOLERANCE = 5;

/** The state after an answer (or the lack of one). */
export const settle = (state: PolicyState, outcome: Outcome): PolicyState => {
  const { now, reading, status } = outcome;
  let next = prune(settleHit(state, outcome), now);
  if (status === undefined) return next;
  next = learnWindows(next, outcome);
  if (status === 429) return punish(next, outcome);
  for (const measured of reading?.windows ?? []) next = reconcile(next, measured, outcome);
  const restricted = restrictionOf(reading);
  return {
    ...next,
    // An answer of the server's failing half says nothing about the limiter behind it.
    violations: status >= 500 ? next.violations : 0,
    holdUntil:
      restricted > 0 ? Math.max(next.holdUntil, now + restricted + SECOND) : next.holdUntil,
  };
};

const settleHit = (state: PolicyState, outcome: Outcome): PolicyState => {
  if (!outcome.counted) return state;
  const hit: Hit = {
    id: outcome.id,
    at: outcome.sentAt,
    settled: outcome.now,
    lease: outcome.now,
    ...(outcome.status === undefined && { uncertain: true }),
  };
  const place = state.hits.findLastIndex((candidate) => candidate.id === outcome.id);
  if (place !== -1) return { ...state, hits: state.hits.with(place, hit) };
  // It was let go under another name: the books of its true policy hear of it only now.
  const index = state.hits.findLastIndex((candidate) => candidate.at <= hit.at) + 1;
  return { ...state, hits: state.hits.toSpliced(index, 0, hit) };
};

const keyOf = (window: RateLimitWindow) => `${window.rule}:${window.periodMillis}`;

const learnWindows = (state: PolicyState, outcome: Outcome): PolicyState => {
  const measured = outcome.reading?.windows ?? [];
  if (measured.length === 0) {
    // Headers that went missing change nothing: the last known windows stand.
    return state.knowledge === "unknown" && outcome.counted && (outcome.status ?? 500) < 400
      ? { ...state, knowledge: "silent" }
      : state;
  }
  const windows = measured.map((window): WindowState => {
    const known = state.windows.find((candidate) => candidate.key === keyOf(window));
    if (known?.max === window.max) return known;
    if (known) return { ...known, max: window.max };
    return {
      key: keyOf(window),
      rule: window.rule,
      max: window.max,
      period: window.periodMillis,
      suspect: outcome.assumedBucketOf(window.periodMillis),
      evidence: 0,
      evidenceAt: 0,
      refuted: 0,
      goneBefore: Number.MIN_SAFE_INTEGER,
    };
  });
  return { ...state, knowledge: "learned", windows };
};

const restrictionOf = (reading: RateLimitInfo | undefined): number =>
  Math.max(0, ...(reading?.windows ?? []).map((window) => window.restrictedMillis ?? 0));

const punish = (state: PolicyState, outcome: Outcome): PolicyState => {
  const { now, reading } = outcome;
  const violations = state.violations + 1;
  const asked = Math.max(reading?.retryAfterMillis ?? 0, restrictionOf(reading));
  // A server that still refuses after the time it asked for does not mean its own words.
  const factor = 2 ** Math.min(violations - 1, 6);
  const hold =
    asked > 0
      ? Math.max(asked + SECOND, Math.min((asked + SECOND) * factor, LONGEST_HOLD))
      : Math.min(BLIND_HOLD * factor, LONGEST_HOLD);
  const windows = state.windows.map((window) => {
    const measured = reading?.windows.find((candidate) => keyOf(candidate) === window.key);
    const full = measured?.hits === undefined || measured.hits >= window.max;
    const own = total(
      entriesOf(state, window).filter(
        (hit) => (hit.settled ?? now) + window.period > now && hit.id !== outcome.id,
      ),
    );
    // Our own arithmetic allowed it, the server's did not: it keeps hits longer than it says.
    if (!full || own >= window.max) return { ...window, refuted: 0 };
    // Even the whole suspected bucket was too little.
    const suspect =
      modelPad(window) === window.suspect
        ? Math.max(window.suspect, Math.min(window.suspect * 4, LARGEST_BUCKET))
        : window.suspect;
    return { ...window, refuted: 0, suspect, evidence: suspect, evidenceAt: now };
  });
  return { ...state, windows, violations, holdUntil: Math.max(state.holdUntil, now + hold) };
};

/** Sets the server's count against our own record of the window. */
const reconcile = (
  state: PolicyState,
  measured: RateLimitWindow,
  outcome: Outcome,
): PolicyState => {
  const count = measured.hits;
  const index = state.windows.findIndex((candidate) => candidate.key === keyOf(measured));
  const before = state.windows[index];
  if (count === undefined || before === undefined) return state;
  const { now, sentAt } = outcome;
  if (before.max >= 80 && count * 4 < before.max) {
    // Far from the limit the count alone says enough, and which of two counts binds harder does not
    // matter.
    const window = { ...before, sample: { count, sentAt, self: outcome.id } };
    return { ...state, windows: state.windows.with(index, window) };
  }
  const entries = entriesOf(state, before).filter((hit) => hit.id !== outcome.id);
  const settled = entries
    .filter((hit) => hit.settled !== undefined && hit.settled < sentAt)
    .toSorted((a, b) => (b.settled ?? 0) - (a.settled ?? 0));
  // Requests that overlapped with this one may or may not be in its count.
  const most = Math.max(0, count - (outcome.counted ? 1 : 0));
  const least = Math.max(0, most - (total(entries) - total(settled)));
  let window = sampled(before, state, { count, sentAt, self: outcome.id });
  window = sawLeaving(window, settled, most, now);
  window = sawStaying(window, settled, least, outcome);
  const windows = state.windows.with(index, window);
  const hits = correctStrangers(state.hits, window, settled, {
    most,
    least,
    now,
    sentAt,
    id: outcome.id,
  });
  return { ...state, windows, hits };
};

/**
 * Keeps the report that binds harder: answers of requests that overlapped come in any order. A
 * count above what an earlier report allows for shows requests of somebody else, and then the
 * earlier one is worth nothing.
 */
const sampled = (
  window: WindowState,
  state: PolicyState,
  sample: NonNullable<WindowState["sample"]>,
): WindowState => {
  if (window.sample !== undefined) {
    const before = reportedBound(state, window);
    const after = reportedBound(state, { ...window, sample });
    if (before < after && sample.count <= before) return window;
  }
  return { ...window, sample };
};

/**
 * Hits leave in the order in which they came: one after which the server surely got as many as it
 * counts has left. Requests that overlap come in any order, so only one that was sent after a hit's
 * answer is sure to have come after that hit.
 */
const sawLeaving = (
  window: WindowState,
  settled: ReadonlyArray<Hit>,
  most: number,
  now: number,
): WindowState => {
  const own = settled.filter((hit) => hit.window === undefined && hit.uncertain !== true);
  if (total(own) <= most) return window;
  const latestSent = own.toSorted((a, b) => b.at - a.at);
  const latestCounted = atRank(latestSent, most)?.at ?? Number.POSITIVE_INFINITY;
  const gone = own.filter((hit) => (hit.settled ?? latestCounted) < latestCounted);
  const [newest] = gone;
  if (newest?.settled === undefined) return window;
  let { refuted } = window;
  for (const hit of gone) {
    if (now - hit.at - window.period <= window.suspect / 4 + modelPad(window))
      refuted |= quarterOf(window, hit.at);
  }
  return { ...window, refuted, goneBefore: Math.max(window.goneBefore, newest.settled) };
};

/** A hit of ours that is still counted after its time shows a hidden bucket. */
const sawStaying = (
  window: WindowState,
  settled: ReadonlyArray<Hit>,
  least: number,
  { now, sentAt }: Outcome,
): WindowState => {
  const stale = window.evidence > 0 && now - window.evidenceAt > EVIDENCE_LIFETIME;
  const current = stale ? { ...window, evidence: 0, refuted: 0 } : window;
  const oldest = atRank(settled, least);
  if (oldest?.settled === undefined || oldest.window !== undefined) return current;
  const excess = sentAt - oldest.settled - window.period;
  // Beyond the suspected bucket it is somebody else's request that fills the count.
  if (excess <= Math.max(TOLERANCE, current.evidence) || excess > window.suspect) return current;
  return {
    ...current,
    evidence: excess,
    evidenceAt: now,
    // A larger pad than the quarters were tried with.
    refuted: modelPad({ ...current, evidence: excess }) > modelPad(current) ? 0 : current.refuted,
  };
};

/**
 * Requests of others on the same account show only in the count: the missing ones are added, the
 * surplus goes.
 */
const correctStrangers = (
  hits: ReadonlyArray<Hit>,
  window: WindowState,
  settled: ReadonlyArray<Hit>,
  seen: { most: number; least: number; now: number; sentAt: number; id: string },
): ReadonlyArray<Hit> => {
  const horizon = seen.sentAt - window.period - window.suspect;
  const believed = settled.filter(
    (hit) => (hit.settled ?? 0) > Math.max(horizon, window.goneBefore),
  );
  const strangers = believed.filter((hit) => hit.window !== undefined);
  const certain = believed.filter((hit) => hit.window === undefined && hit.uncertain !== true);
  const leave = new Set(beyond(strangers, Math.max(0, seen.most - total(certain))));
  if (leave.size > 0) return hits.filter((hit) => !leave.has(hit));
  const missing = seen.least - total(believed);
  if (missing <= 0) return hits;
  const added: Hit = {
    id: `${seen.id}/${window.key}`,
    // They came before the request whose answer told of them.
    at: seen.sentAt - 1,
    settled: seen.sentAt - 1,
    lease: seen.sentAt,
    window: window.key,
    weight: missing,
  };
  const index = hits.findLastIndex((hit) => hit.at < seen.sentAt) + 1;
  return hits.toSpliced(index, 0, added);
};

const total = (hits: ReadonlyArray<Hit>): number =>
  hits.reduce((sum, hit) => sum + weightOf(hit), 0);

/** The notes, newest first, that stand wholly behind the first `count` requests. */
const beyond = (hits: ReadonlyArray<Hit>, count: number): ReadonlyArray<Hit> => {
  let before = 0;
  const index = hits.findIndex((hit) => {
    const isBeyond = before >= count;
    before += weightOf(hit);
    return isBeyond;
  });
  return index === -1 ? [] : hits.slice(index);
};

/** The note of the request number `rank`, from 1, newest first. */
const atRank = (hits: ReadonlyArray<Hit>, rank: number): Hit | undefined => {
  let upTo = 0;
  return rank < 1
    ? undefined
    : hits.find((hit) => {
        upTo += weightOf(hit);
        return upTo >= rank;
      });
};
