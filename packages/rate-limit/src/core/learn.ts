/**
 * Records the response to a request and learns from it: which policies a route has, their windows,
 * and after a 429 how long to wait.
 */
import type { RateLimitInfo, RateLimitWindow } from "../RateLimitDialect.ts";
import { cutoff, newBelief, startOver } from "./Belief.ts";
import { NEVER } from "./basics.ts";
import { closeLease } from "./leases.ts";
import { add, drop, weigh } from "./Log.ts";
import type { WindowState } from "./Log.ts";
import { observe } from "./observe.ts";
import { creditOf, leave, observeTrip } from "./plan.ts";
import { isPlaceholder, logOf, namePolicy, policyNamed, STATED } from "./State.ts";
import type { CoreOptions, Grant, Lesson, Policy, Response, State } from "./State.ts";

const ABSENT_MILLIS = 300_000;
const BLIND_MILLIS = 15_000;
const MAX_BLOCK_MILLIS = 900_000;
/** A server that asks for more, as by an epoch in place of seconds, is misread. */
const DAY = 86_400_000;
/** Header times are whole seconds, perhaps rounded down. */
const SECOND = 1000;
/** A refusal lowers a stated limit to this share at most. */
const LOWERED = 0.9;
/** Without counts a refusal raises the flat pad by these steps. */
const PADS = [5000, 60_000];

/** Records the response to a request and learns from it. */
export const settle = (
  state: State,
  grant: Grant,
  response: Response,
  options: CoreOptions,
): void => {
  const { at: now, info, status } = response;
  closeLease(state, grant);
  receive(state, grant, now, options);
  if (status === undefined) grant.hit.uncertain = true;
  state.isHeard ||= status !== undefined;
  if (info?.policy !== undefined) namePolicy(state, grant.route, info.policy, now);
  const own = grant.policies.find(isPlaceholder) ?? grant.policies[0];
  const named = info?.policy ?? (info?.windows.length ? own : undefined);
  const unplaced = grant.policies.flatMap((name) => state.policies.get(name)?.unplaced ?? []);
  for (const name of grant.policies) {
    // A response that names no policy says nothing about the one that was a guess.
    const isElsewhere = named !== undefined || (name === grant.guestOf && status !== undefined);
    if (isElsewhere && name !== named) leave(state, name, grant, options);
  }
  if (status === undefined) return;
  const heard = grant.policies.filter((name) => name !== grant.guestOf);
  for (const name of named === undefined ? heard : [named]) {
    const policy = policyNamed(state, name);
    observeTrip(policy, now - grant.hit.sent, now);
    // Stamped at the earliest, by a clock that is behind by the shortest way of a response.
    if (grant.hit.sent === grant.grantedAt) grant.hit.sent += creditOf(policy);
    learn(policy, { ...response, grant, options, unplaced });
  }
};

/**
 * The response has come. After the deadline the request stands in its logs as lost, in the order
 * of another time: it is taken out and added anew.
 */
const receive = (
  state: State,
  { hit, identity, policies }: Grant,
  now: number,
  options: CoreOptions,
) => {
  if (hit.received === NEVER) {
    hit.received = now;
    return;
  }
  const late = policies
    .flatMap((name) => state.policies.get(name)?.windows ?? [])
    .map((window) => ({ window, log: logOf(window, identity, options) }))
    .filter(({ log }) => drop(log, hit.id));
  hit.received = now;
  delete hit.uncertain;
  for (const { log, window } of late) add(window, log, hit, now);
};

const learn = (policy: Policy, lesson: Lesson): void => {
  const { at: now, grant, info, options, status = 0 } = lesson;
  const { roundingMillis = SECOND, windows: measured = [] }: Partial<RateLimitInfo> = info ?? {};
  if (measured.length > 0) learnWindows(policy, measured, lesson);
  else if (policy.limits === "unknown" && status < 400) policy.limits = "none";
  if (policy.windows.length > 0) policy.unplaced = [];
  const restricted = measured.reduce(
    (most, { restrictedMillis = 0 }) => Math.max(most, restrictedMillis),
    0,
  );
  if (status === 429) onViolation(policy, restricted, lesson);
  else if (restricted > 0) block(policy, now, restricted + roundingMillis);
  for (const each of measured) {
    const window = windowOf(policy, each);
    if (window && each.hits !== undefined)
      observe(window, logOf(window, grant.identity, options), {
        id: grant.id,
        count: each.hits,
        sent: grant.hit.sent,
        received: now,
      });
  }
  if (status < 500 && status !== 429 && grant.grantedAt >= policy.blockedSince) {
    options.adaptive?.(policy, lesson);
    policy.recovering = false;
    policy.refusals = 0;
  }
};

/** Key of a window within its policy. */
export const windowKey = (window: RateLimitWindow): string =>
  `${window.rule}:${window.periodMillis}`;

const windowOf = (
  { windows }: Policy,
  { periodMillis, rule }: RateLimitWindow,
): WindowState | undefined =>
  windows.find((window) => window.period === periodMillis && window.rule === rule);

/** The buckets that a window may have. */
const sizesOf = (
  { isPlain }: Pick<WindowState, "isPlain">,
  { bucketSizes }: CoreOptions,
): ReadonlyArray<number> => (isPlain ? [] : bucketSizes);

/** The windows that a response leaves of a policy. */
const windowsLeft = (
  { windows }: Policy,
  measured: ReadonlyArray<RateLimitWindow>,
  now: number,
): ReadonlyArray<WindowState> => {
  const isReplaced = measured.some(({ rule }) => !windows.some((window) => window.rule === rule));
  // Another period of the same rule, or other rules, is evidence; mere absence is not.
  return windows.filter(({ period, rule, seenAt }) => {
    const told = measured.filter((each) => each.rule === rule);
    return told.length > 0
      ? told.some(({ periodMillis }) => periodMillis === period)
      : !isReplaced && seenAt + Math.max(2 * period, ABSENT_MILLIS) > now;
  });
};

const learnWindows = (
  policy: Policy,
  measured: ReadonlyArray<RateLimitWindow>,
  { at: now, grant, options, unplaced }: Lesson,
): void => {
  const isFirst = policy.limits !== "learned";
  policy.limits = "learned";
  policy.windows = windowsLeft(policy, measured, now);
  for (const each of measured) {
    const { max, periodMillis: period, rule } = each;
    let window = windowOf(policy, each);
    if (!window) {
      const belief = newBelief(period, max, sizesOf(each, options), now);
      window = { key: windowKey(each), rule, max, period, seenAt: now, belief, logs: new Map() };
      policy.windows = [...policy.windows, window];
    }
    window.max = max;
    window.isPlain = each.isPlain;
    window.seenAt = now;
    // Sent when the policy was not known yet, or under another one.
    for (const { hit, identity } of isFirst ? [grant, ...policy.unplaced, ...unplaced] : [grant]) {
      const log = logOf(window, identity, options);
      if (!log.hits.findLast(({ id }) => id === hit.id)) add(window, log, hit, now);
    }
  }
  if (isFirst && policy.inFlight.size > 0) policy.waitedAt = now;
};

const block = (policy: Policy, now: number, millis: number): void => {
  policy.blockedUntil = Math.max(policy.blockedUntil, now + Math.min(millis, DAY));
};

const onViolation = (policy: Policy, restricted: number, lesson: Lesson): void => {
  const { at: now, grant, info, options } = lesson;
  const { retryAfterMillis = 0, roundingMillis = SECOND }: Partial<RateLimitInfo> = info ?? {};
  const asked = Math.max(retryAfterMillis, restricted);
  // A request sent before is part of the incident that the policy waits for already.
  if (grant.grantedAt >= policy.blockedSince) {
    if (asked === 0) policy.refusals++;
    for (const window of policy.windows)
      if (policy.name === STATED) lower(window, lesson);
      else blame(window, lesson);
    policy.blockedSince = now;
  }
  options.adaptive?.(policy, lesson);
  policy.recovering = true;
  const backOff = BLIND_MILLIS * 2 ** Math.max(0, policy.refusals - 1);
  block(policy, now, asked > 0 ? asked + roundingMillis : Math.min(backOff, MAX_BLOCK_MILLIS));
};

/** A stated limit was too high: no more than were counted, but a tenth less at most. */
const lower = (window: WindowState, { grant, options }: Lesson): void => {
  const log = logOf(window, grant.identity, options);
  const known = weigh(log, cutoff(window.belief, grant.hit.sent).safe);
  const least = Math.floor(window.max * LOWERED);
  window.max = Math.max(1, Math.min(window.max - 1, Math.max(least, known - 1)));
};

/** The own arithmetic allowed the request, the server's did not. */
const blame = (window: WindowState, { at: now, grant, info, options }: Lesson): void => {
  const { belief } = window;
  const hits = info?.windows.find((each) => windowKey(each) === window.key)?.hits;
  let pad = 0;
  if (hits === undefined) {
    if (belief.counts) return;
    const steps = window.period < 60_000 ? PADS : PADS.slice(1);
    pad = steps.find((step) => step > belief.pad) ?? belief.pad;
  } else {
    const log = logOf(window, grant.identity, options);
    const known = weigh(log, cutoff(belief, grant.hit.sent).safe);
    if (hits <= window.max || known >= hits || log.foreign?.arrivals.length) return;
    if (belief.living.length === 1) pad = Math.min(60_000, Math.max(1000, belief.pad * 2));
  }
  startOver(belief, sizesOf(window, options), pad, now);
};
