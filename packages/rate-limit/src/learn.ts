/** Learns from a response: the policy of its route, the windows, their counts, and waits. */
import {
  addHighCount,
  narrow,
  newBuckets,
  resetCandidates,
  restoreCandidates,
  widen,
} from "./Buckets.ts";
import { addHit, firstHit, routeKey, totalBefore } from "./Documents.ts";
import type { Hit, Policy, RequestLog, Window } from "./Documents.ts";
import type { LimitInfo, WindowInfo } from "./Headers.ts";
import {
  accountWindows,
  type Grant,
  type PlanContext,
  releasePlace,
  reservePlace,
} from "./plan.ts";
import { type AccountWindow, foreignCount, ownCount } from "./Window.ts";

const DAY = 86_400_000;
const MINUTE = 60_000;
const SECOND = 1000;
/** A rule that responses no longer name is kept for this long. */
const ABSENT_MILLIS = 300_000;
/** First wait after a 429 that states no time. Each further 429 doubles the wait. */
const BLOCK_MILLIS = 15_000;
const MAX_BLOCK_MILLIS = 900_000;
const MAX_POLICIES = 16;
/** The counts of a window are ignored after this many impossible counts. */
const MAX_IMPOSSIBLE = 4;
/** Weight of a new count in the moving average of foreign requests. */
const MEAN_SHARE = 0.04;
/** Requests whose responses arrived less than this before `leftBefore` still count. */
const STAMP_MILLIS = 250;

/** Records the response to a request. `status` is `undefined` if no response arrived. */
export const learn = (
  context: PlanContext,
  grant: Grant,
  status: number | undefined,
  info: LimitInfo,
): void => {
  const { documents, now } = context;
  const name = info.policy ?? grant.policies.at(-1) ?? `?${grant.route}`;
  const isPending = isReserved(context, grant);
  if (grant.policies.length === 0) delete documents.newRoutes()[grant.id];
  if (status === undefined) {
    for (const each of grant.policies)
      complete(accountWindows(context, each, grant.identity), grant, now, true);
    return;
  }
  if (info.policy !== undefined)
    for (const each of grant.policies) if (each !== name) releasePlace(context, each, grant);
  nameRoute(context, grant.route, name);
  const policy = documents.policy(name);
  updateWindows(context, policy, status, info);
  const targets = accountWindows(context, name, grant.identity);
  if (isPending) reservePlace(targets, grant);
  if (status === 429) handleRefusal(context, name, grant, info);
  else applyRestriction(policy, info, now);
  for (const target of targets) {
    const count = serverCount(info, target);
    if (count !== undefined) readCount(target, count, grant, now);
  }
  complete(targets, grant, now, false);
  if (status < 500 && status !== 429 && grant.sentAt >= policy.blockedSince) {
    policy.isRecovering = false;
    policy.refusals = 0;
  }
};

/** Whether a request still has its place. If not, it was lost, or its outcome is recorded. */
export const isReserved = (context: PlanContext, { id, identity, policies }: Grant): boolean => {
  if (policies.length === 0) return id in context.documents.newRoutes();
  const targets = policies.flatMap((name) => accountWindows(context, name, identity));
  return targets.length === 0 || targets.some(({ log }) => id in log.inFlight);
};

/** Moves a request from the requests in flight to the hits of its logs. */
export const complete = (
  targets: ReadonlyArray<AccountWindow>,
  { id, sentAt }: Grant,
  now: number,
  isLost: boolean,
): void => {
  const hit = { sentAt, receivedAt: now };
  // Windows of the same account share a log, so only the first of them still finds the request in
  // flight.
  for (const { log } of targets) {
    if (!(id in log.inFlight)) continue;
    delete log.inFlight[id];
    addHit(log, isLost ? { ...hit, isLost } : hit);
    if (!isLost) log.roundTrip += (now - sentAt - log.roundTrip) * (log.roundTrip ? 0.1 : 1);
  }
};

const nameRoute = ({ documents, now }: PlanContext, route: string, name: string): void => {
  const routes = documents.routes();
  const named = routes[routeKey(route)] ?? [];
  const [last, at = 0] = named.at(-1) ?? [];
  // Writes an unchanged policy seldom, because every process reads this document for each request.
  if (last === name && at + ABSENT_MILLIS > now) return;
  routes[routeKey(route)] = [
    ...named.filter(([each]) => each !== name && !each.startsWith("?")),
    [name, now] as const,
  ].slice(-MAX_POLICIES);
};

const serverCount = ({ windows }: LimitInfo, { window }: AccountWindow): number | undefined =>
  windows.find(({ period, rule }) => period === window.period && rule === window.rule)?.count;

const newWindow = ({ isExact = false, max, period, rule }: WindowInfo, now: number): Window => ({
  key: `${rule}:${period}`,
  rule,
  period,
  isExact,
  max,
  seenAt: now,
  impossibleCounts: 0,
  buckets: newBuckets({ period, max, isExact }, now),
});

/** Updates a policy's windows. Rules that responses omit are kept for at least 5 minutes. */
const updateWindows = (
  { now, options }: PlanContext,
  policy: Policy,
  status: number,
  info: LimitInfo,
): void => {
  if (info.windows.length === 0) {
    if (policy.knowledge !== "unknown" || status >= 400) return;
    policy.knowledge = "none";
    policy.windows = options.limits.map(({ max, period }) =>
      newWindow({ rule: "client", max, period, isExact: true }, now),
    );
    return;
  }
  // Headers replace the limits that the caller stated in the options.
  const known = policy.knowledge === "learned" ? policy.windows : [];
  policy.knowledge = "learned";
  const rules = new Set(info.windows.map(({ rule }) => rule));
  const current = info.windows.map((each) => {
    const { period, rule } = each;
    const window =
      known.find((other) => other.period === period && other.rule === rule) ?? newWindow(each, now);
    return Object.assign(window, { max: each.max, seenAt: now });
  });
  const absent = known.filter(
    ({ period, rule, seenAt }) =>
      !rules.has(rule) && seenAt + Math.max(2 * period, ABSENT_MILLIS) > now,
  );
  policy.windows = [...current, ...absent];
};

const restriction = ({ windows }: LimitInfo): number =>
  Math.max(0, ...windows.map(({ restricted = 0 }) => restricted));

/** Blocks the policy if a response other than 429 announces a restriction. */
const applyRestriction = (policy: Policy, info: LimitInfo, now: number): void => {
  const restricted = restriction(info);
  if (restricted > 0)
    policy.blockedUntil = Math.max(policy.blockedUntil, now + Math.min(restricted, DAY) + SECOND);
};

/** Blocks a policy after a 429. Only requests sent after the last block count as a new refusal. */
const handleRefusal = (context: PlanContext, name: string, grant: Grant, info: LimitInfo): void => {
  const { now } = context;
  const policy = context.documents.policy(name);
  const requested = Math.max(restriction(info), info.retryAfter ?? 0);
  if (grant.sentAt >= policy.blockedSince) {
    policy.blockedSince = now;
    if (requested === 0) policy.refusals++;
    for (const target of accountWindows(context, name, grant.identity))
      widenModel(target, grant, serverCount(info, target));
  }
  policy.isRecovering = true;
  const backoff = BLOCK_MILLIS * 2 ** Math.min(10, Math.max(0, policy.refusals - 1));
  const wait = requested > 0 ? requested + SECOND : Math.min(backoff, MAX_BLOCK_MILLIS);
  policy.blockedUntil = Math.max(policy.blockedUntil, now + Math.min(wait, DAY));
};

/**
 * Widens the model after the server refused a request that the model permitted, because the server
 * must count requests for longer.
 */
const widenModel = (target: AccountWindow, grant: Grant, count: number | undefined): void => {
  const { log, state, window } = target;
  const { buckets, isExact, max, period } = window;
  const { pad } = buckets;
  if (count === undefined) {
    // The limit that the caller stated was too high.
    if (isExact) window.max = Math.max(1, Math.floor(max * 0.9));
    // Without counts, each refusal raises the time for which requests are kept.
    else if (!buckets.hasCounts)
      resetCandidates(buckets, max, pad === 0 && period < MINUTE ? 5 * SECOND : MINUTE);
    return;
  }
  if (isExact) return;
  const own = ownCount(target, grant.sentAt) + Object.keys(log.inFlight).length;
  // The window was not exceeded, the model was right, or other programs explain the refusal.
  if (count <= max || own >= count || state.foreignLevel) return;
  const longer = Math.min(MINUTE, Math.max(SECOND, pad * 2));
  resetCandidates(buckets, max, buckets.sizes.length === 0 ? longer : 0);
};

/** Learns from the count that a response states for one window. */
const readCount = (target: AccountWindow, count: number, grant: Grant, now: number): void => {
  const { state, window } = target;
  widen(window.buckets, now);
  if (!isPossible(target, count, grant, now)) return;
  findForeign(target, count - 1, grant, now);
  if (!state.reading || grant.sentAt >= state.reading.sentAt)
    state.reading = { count, sentAt: grant.sentAt, receivedAt: now };
};

/** Learns which requests are no longer counted. Returns `false` if the count is impossible. */
const isPossible = (
  { log, state, window }: AccountWindow,
  count: number,
  grant: Grant,
  now: number,
): boolean => {
  const { buckets } = window;
  const others = Math.max(0, count - 1);
  const last = state.reading;
  const scan = scanResponses(log, others, grant.sentAt, last?.receivedAt);
  const { earliestCounted, earliestLeft, responded, sentAfterCount } = scan;
  const hasLeft = responded > others;
  // The server cannot stop counting a request a second before its period ends, so such a count is
  // not of this window.
  const isImpossible = hasLeft && !window.isExact && earliestLeft + buckets.period - now > SECOND;
  const conflicts = window.impossibleCounts + (isImpossible ? 1 : -1);
  window.impossibleCounts = Math.min(MAX_IMPOSSIBLE, Math.max(0, conflicts));
  buckets.hasCounts = window.impossibleCounts < MAX_IMPOSSIBLE;
  if (isImpossible || !buckets.hasCounts) return false;
  if (hasLeft) {
    narrow(buckets, earliestLeft - buckets.slack, now + buckets.slack);
    const sure = Math.min(grant.sentAt, now - buckets.period, earliestCounted);
    state.leftBefore = Math.max(state.leftBefore, sure - STAMP_MILLIS);
  }
  // The count is lower than the last count and the requests sent since, so the server stopped
  // counting a request in between, whatever other programs sent.
  if (last && last.receivedAt < grant.sentAt && last.count + sentAfterCount > others)
    narrow(buckets, last.sentAt - buckets.slack - buckets.period, now + buckets.slack);
  return true;
};

/**
 * Scans the requests whose responses arrived before `sentAt`. `responded` is their number. If the
 * server counts only the last `others` of them, `earliestCounted` is the time at which the earliest
 * of these was sent, and `earliestLeft` is the same time for one more. `sentAfterCount` is the
 * number of requests that were sent after `lastCount`.
 */
const scanResponses = (log: RequestLog, others: number, sentAt: number, lastCount = Infinity) => {
  const { hits } = log;
  let [responded, sentAfterCount] = [0, 0];
  let [earliestCounted, earliestLeft] = [Infinity, Infinity];
  const end = firstHit(hits, ({ receivedAt }) => receivedAt >= sentAt);
  // Stops where earlier requests change nothing, because the log of a generous policy is long.
  const isFew = totalBefore(log, end) - log.removed <= others;
  for (let index = end - 1; index >= 0; index--) {
    const hit = hits[index]!;
    if ((isFew || responded > others) && hit.receivedAt <= lastCount) break;
    if (hit.isLost) continue;
    const before = index > 0 ? hits[index - 1]!.total : log.removed;
    if (responded <= others && hit.sentAt < earliestLeft) earliestLeft = hit.sentAt;
    if (responded < others) earliestCounted = earliestLeft;
    if (hit.sentAt > lastCount) sentAfterCount += hit.total - before;
    responded += hit.total - before;
  }
  return { responded, earliestCounted, sentAfterCount, earliestLeft };
};

/** Compares a count with own requests. The rest is foreign, or left later than expected. */
const findForeign = (target: AccountWindow, others: number, grant: Grant, now: number): void => {
  const { log, state, window } = target;
  const inFlight = Object.keys(log.inFlight).length - (grant.id in log.inFlight ? 1 : 0);
  const before = totalBefore(log, log.hits.length) - (others - inFlight);
  const counted = log.hits[firstHit(log.hits, ({ total }) => total > before)];
  if (counted && state.foreign.length === 0)
    addHighCount(window.buckets, counted.receivedAt, grant.sentAt);
  const known = foreignCount(target, grant.sentAt);
  const missing = others - known - ownCount(target, grant.sentAt) - inFlight;
  const { reading } = state;
  // Skips the first count, because it includes earlier requests of this program.
  if (reading && reading.receivedAt <= grant.sentAt && (state.foreignLevel || missing > 0)) {
    if (!state.foreignLevel) restoreCandidates(window.buckets);
    const { at = now, mean = missing } = state.foreignLevel ?? {};
    const seen = Math.max(0, known + missing);
    state.foreignLevel = {
      at: missing > 0 ? now : at,
      mean: Math.max(seen, mean + (seen - mean) * MEAN_SHARE),
    };
  }
  if (missing > 0) addForeign(target, missing, now);
  else dropForeign(target, known - others, grant.sentAt, now);
};

/** Adds foreign requests. Requests in the same 64th of the period share an entry. */
const addForeign = ({ state, window }: AccountWindow, weight: number, now: number): void => {
  const slot = (time: number): number => Math.floor((time * 64) / window.period);
  const last = state.foreign.at(-1);
  const isSame = last !== undefined && slot(last.until) === slot(now);
  if (isSame) state.foreign.pop();
  state.foreign.push({ until: now, weight: weight + (isSame ? last.weight : 0) });
};

/** Drops the oldest foreign requests if a count has no room for them beside own requests. */
const dropForeign = (target: AccountWindow, excess: number, sentAt: number, now: number): void => {
  const { log, state, window } = target;
  const isCounted = (hit: Hit): boolean =>
    hit.receivedAt >= state.leftBefore && hit.sentAt + window.period > now;
  const end = firstHit(log.hits, ({ receivedAt }) => receivedAt > sentAt);
  const own = totalBefore(log, end) - totalBefore(log, firstHit(log.hits, isCounted));
  let surplus = excess + Math.max(0, own);
  state.foreign = state.foreign.flatMap(({ until, weight }) => {
    const dropped = Math.min(weight, Math.max(0, surplus));
    surplus -= dropped;
    return dropped === weight ? [] : [{ until, weight: weight - dropped }];
  });
};
