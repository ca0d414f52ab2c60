/**
 * When may the next request of a policy go? A pure function of what is known.
 *
 * For every window two counts are kept. The *model*: own hits not older than the period (plus a pad
 * where evidence demands one). The *bound*: the most the server can count, which is the smaller of
 * its last reported count plus everything sent since, and the own hits under the largest suspected
 * pad. While the bound is below the limit a request cannot break it. The last free place is kept
 * for a probe: it is used only when the model expects that hits have left, so that its answer shows
 * whether they really have. A server that counts in hidden buckets is found out in this way without
 * a single violation; one that does not is recognised after hits of every phase of a suspected
 * bucket were seen leaving in time, and from then on the model alone rules.
 */
import { ALL_REFUTED, modelPad, weightOf, worstPad } from "./PolicyState.ts";
import type { Hit, PolicyState, WindowState } from "./PolicyState.ts";

/**
 * May it go, and if not, when to ask again (earlier when one of the requests in flight is
 * answered).
 */
export type Decision =
  | { readonly go: true; readonly state: PolicyState }
  | {
      readonly go: false;
      readonly state: PolicyState;
      readonly until: number;
      readonly rule?: string;
    };

/** What the planner needs to know about a request and the house rules. */
export interface BeginOptions {
  readonly id: string;
  readonly now: number;
  /** How long an unanswered request is believed in. */
  readonly lease: number;
  /** Requests in flight at once on a policy whose answers carry no rate headers. */
  readonly concurrencyWithoutHeaders: number;
  /** `false`: not counted by the server (a HEAD probe); it respects holds only. */
  readonly counted: boolean;
}

/** Two clocks, a timer that fires early, a comparison with `<=`: what a wait gets on top. */
const MARGIN = 10;

/** Takes a permit if there is one. */
export const begin = (state: PolicyState, options: BeginOptions): Decision => {
  const { now } = options;
  const current = prune(state, now);
  const opening = openingAt(current, now, options);
  if (opening.until > now) return { go: false, state: current, ...opening };
  const hit: Hit = { id: options.id, at: now, lease: now + options.lease };
  return {
    go: true,
    state: options.counted ? { ...current, hits: [...current.hits, hit] } : current,
  };
};

/** Gives a permit back whose request was never sent. */
export const cancel = (state: PolicyState, id: string): PolicyState => ({
  ...state,
  hits: state.hits.filter((hit) => hit.id !== id),
});

/**
 * When `count` further requests would go, in order, if each were answered at once and nothing
 * changed.
 */
export const forecast = (state: PolicyState, now: number, count: number): ReadonlyArray<number> => {
  const current = prune(state, now);
  const lanes = current.windows.map((window) => {
    const width = window.period + modelPad(window);
    const settled = entriesOf(current, window).map((hit) => ({
      ...hit,
      settled: hit.settled ?? now,
    }));
    return {
      width,
      places: trusted(window) ? window.max : Math.max(1, window.max - 1),
      leaving: leavingOf(settled, width),
    };
  });
  const times: Array<number> = [];
  let time = Math.max(now, current.holdUntil);
  for (let index = 0; index < count; index++) {
    for (const lane of lanes) time = dropsTo(lane.leaving, time, lane.places - 1);
    times.push(time);
    // Later requests never leave before earlier ones, so the lists stay sorted.
    for (const lane of lanes) {
      const last = lane.leaving.at(-1)?.at ?? 0;
      lane.leaving.push({ at: Math.max(time + lane.width, last), weight: 1 });
    }
  }
  return times;
};

/** Forgets what no window can count any more and takes lost requests for answered. */
export const prune = (state: PolicyState, now: number): PolicyState => {
  const keep = Math.max(0, ...state.windows.map((window) => window.period + window.suspect));
  const isOver = (hit: Hit) =>
    hit.settled === undefined ? hit.lease <= now : hit.settled + keep + MARGIN < now;
  if (state.hits.length <= MOST_NOTES && !state.hits.some(isOver)) return state;
  let changed = false;
  const hits: Array<Hit> = [];
  for (const hit of state.hits) {
    if (hit.settled === undefined && hit.lease <= now) {
      changed = true;
      hits.push({ ...hit, settled: hit.lease, uncertain: true });
    } else if (hit.settled !== undefined && hit.settled + keep + MARGIN < now) changed = true;
    else hits.push(hit);
  }
  if (hits.length > MOST_NOTES) return { ...state, hits: coalesce(state, hits, now) };
  return changed ? { ...state, hits } : state;
};

/** Beyond this many notes per policy older ones are put together. */
const MOST_NOTES = 128;

/**
 * Puts neighbours together that no report of the server still tells apart; together they leave when
 * the last one does. The older they are the coarser: what leaves a window a little late costs next
 * to nothing.
 */
const coalesce = (
  state: PolicyState,
  hits: ReadonlyArray<Hit>,
  now: number,
): ReadonlyArray<Hit> => {
  const finest = Math.min(...state.windows.map((window) => window.period)) / 64;
  const known = Math.min(...state.windows.map((window) => window.sample?.sentAt ?? 0));
  const notes: Array<Hit> = [];
  for (const hit of hits) {
    const last = notes.at(-1);
    const fits =
      last?.settled !== undefined &&
      hit.settled !== undefined &&
      hit.settled < known &&
      last.uncertain === hit.uncertain &&
      last.window === hit.window &&
      hit.at - last.at <= Math.max(finest, (now - hit.at) / 64);
    if (fits) {
      const settled = Math.max(last.settled, hit.settled);
      notes[notes.length - 1] = { ...last, settled, weight: weightOf(last) + weightOf(hit) };
    } else notes.push(hit);
  }
  return notes;
};

/** The hits that a window may count. */
export const entriesOf = (state: PolicyState, window: WindowState): ReadonlyArray<Hit> =>
  state.hits.filter(
    (hit) =>
      (hit.settled === undefined || hit.settled > window.goneBefore) &&
      (hit.window === undefined || hit.window === window.key),
  );

/**
 * The most the server can count in `window` by its own report: the report plus whatever may have
 * come after it.
 */
export const reportedBound = (state: PolicyState, window: WindowState): number => {
  const sample = window.sample;
  if (sample === undefined) return Number.POSITIVE_INFINITY;
  let later = 0;
  for (const hit of state.hits) {
    if (hit.window !== undefined && hit.window !== window.key) continue;
    if (hit.id !== sample.self && (hit.settled === undefined || hit.settled >= sample.sentAt))
      later += weightOf(hit);
  }
  return sample.count + later;
};

const openingAt = (
  state: PolicyState,
  now: number,
  options: BeginOptions,
): { readonly until: number; readonly rule?: string } => {
  if (state.holdUntil > now) return { until: state.holdUntil };
  if (!options.counted) return { until: now };
  const places =
    state.knowledge === "unknown" || state.violations > 0
      ? 1
      : state.knowledge === "silent"
        ? options.concurrencyWithoutHeaders
        : Number.POSITIVE_INFINITY;
  if (Number.isFinite(places)) {
    const flying = state.hits.filter((hit) => hit.settled === undefined);
    if (flying.length >= places) return { until: Math.min(...flying.map((hit) => hit.lease)) };
  }
  let opening: { until: number; rule?: string } = { until: now };
  for (const window of state.windows) {
    const until = windowOpensAt(state, window, now);
    if (until > opening.until) opening = { until, rule: window.rule };
  }
  return opening;
};

const windowOpensAt = (state: PolicyState, window: WindowState, now: number): number => {
  const { max } = window;
  const bound = reportedBound(state, window);
  if (bound <= max - 2) return now;
  const entries = entriesOf(state, window);
  const model = leavingOf(entries, window.period + modelPad(window));
  if (trusted(window)) return bound < max ? now : dropsTo(model, now, max - 1);
  const worst = leavingOf(entries, window.period + worstPad(window));
  if (max === 1) return dropsTo(worst, now, 0);
  // The last free place is for a probe: only once hits are believed to have left.
  const certain = dropsTo(worst, now, max - 2);
  const probe = Math.max(
    bound >= max ? dropsTo(worst, now, max - 1) : now,
    dropsTo(model, now, max - 2),
  );
  return Math.min(certain, explore(window, probe, entries));
};

/**
 * Where a place kept back costs much, probes visit every quarter of the suspected bucket: requests
 * that follow their own rhythm would show the same quarter for hours. It costs less than one
 * bucket, once.
 */
const explore = (window: WindowState, time: number, entries: ReadonlyArray<Hit>): number => {
  if (window.max >= 20 || window.suspect > window.period / 2 || window.refuted === 0) return time;
  // A probe that comes late proves nothing: first look at those who are just leaving.
  if (entries.some((hit) => (window.refuted & quarterOf(window, hit.at)) === 0)) return time;
  const quarter = window.suspect / 4;
  let later = time;
  while ((window.refuted & quarterOf(window, later)) !== 0) {
    later = (Math.floor(later / quarter) + 1) * quarter;
  }
  return later;
};

/** The quarter of the suspected bucket in which `time` lies, as a bit of `WindowState.refuted`. */
export const quarterOf = (window: WindowState, time: number): number =>
  1 << Math.min(3, Math.floor(((time % window.suspect) / window.suspect) * 4));

/** When how many leave a window. */
interface Leaving {
  readonly at: number;
  readonly weight: number;
}

const leavingOf = (entries: ReadonlyArray<Hit>, width: number): Array<Leaving> =>
  entries
    .map((hit) => ({ at: endOf(hit) + width + MARGIN, weight: weightOf(hit) }))
    .toSorted((a, b) => a.at - b.at);

/**
 * No place is kept back: the bucket is either known or known not to be there, or the server reports
 * nothing to learn from.
 */
const trusted = (window: WindowState): boolean =>
  window.refuted === ALL_REFUTED ||
  modelPad(window) === window.suspect ||
  window.sample === undefined;

const endOf = (hit: Hit): number => hit.settled ?? hit.lease;

/** The earliest time from `now` on after which at most `places` are still to leave. */
const dropsTo = (leaving: ReadonlyArray<Leaving>, now: number, places: number): number => {
  if (places < 0) return Number.POSITIVE_INFINITY;
  let stay = 0;
  for (let index = leaving.length - 1; index >= 0; index--) {
    const { at, weight } = leaving[index] as Leaving;
    if (at <= now) return now;
    stay += weight;
    if (stay > places) return at;
  }
  return now;
};
