/** Decides whether a request may be sent now, and reserves its place in the documents. */
import { type Documents, routeKey, type Window } from "./Documents.ts";
import type { Settings } from "./LimiterOptions.ts";
import { accountWindow, type AccountWindow, pruneLog, nextOpening } from "./Window.ts";

/** A request that may be sent now. */
export interface Grant {
  readonly id: string;
  readonly route: string;
  readonly identity: string;
  /** Places of each window that stay free for requests of a higher priority. */
  readonly reserve: number;
  readonly sentAt: number;
  /** Policies that count the request until its response names one. Empty if the route is new. */
  readonly policies: ReadonlyArray<string>;
}

export type PlannedRequest = Omit<Grant, "sentAt" | "policies">;

/** Reason and end of the wait of a request. */
export interface Wait {
  /** Time of the store's clock. `Infinity` if the wait ends with a response. */
  readonly until: number;
  /** Whether a response may end the wait sooner. */
  readonly mayEndEarly?: boolean;
  /** Whether every identity of the route has this wait. */
  readonly isShared: boolean;
  /** Set if the limiter sends no request of any route. */
  readonly block?: "firewall" | "too-many-errors" | undefined;
  readonly policy?: string | undefined;
  readonly window?: Window | undefined;
}

/** Whether the request can certainly not be sent before `until`. */
export const isCertain = ({ mayEndEarly = false, until }: Wait): boolean =>
  !mayEndEarly && Number.isFinite(until);

/** Input of one decision. `now` is the time of the store's clock. */
export interface PlanContext {
  readonly documents: Documents;
  readonly now: number;
  readonly options: Settings;
  /** The requests of this process that are in flight, by id. */
  readonly inFlight: Map<string, Grant>;
  /** Start of this process's request ids, which keeps them unique in a shared store. */
  readonly prefix: string;
}

/** A policy applies this long after a response of the route named it. The last always applies. */
const NAMED_MILLIS = 600_000;
/** Requests no longer wait for a response that takes longer than this. */
const OVERDUE_MILLIS = 10_000;

/** Returns the policies that a route's responses named in the last 10 minutes, the latest last. */
export const recentPolicies = (
  { documents, now }: PlanContext,
  route: string,
): ReadonlyArray<string> =>
  (documents.routes()[routeKey(route)] ?? [])
    .filter(([, at], index, all) => index === all.length - 1 || at + NAMED_MILLIS > now)
    .map(([name]) => name);

/** Returns the policy that any route named last, because a new route probably shares it. */
const assumedPolicy = ({ documents }: PlanContext): string | undefined =>
  Object.values(documents.routes())
    .map((named) => named.at(-1)!)
    .toSorted(([, at], [, other]) => other - at)[0]?.[0];

/** Returns a policy's windows with the logs of their accounts: one identity, or all identities. */
export const accountWindows = (
  { documents, options }: PlanContext,
  name: string,
  identity: string,
): ReadonlyArray<AccountWindow> =>
  documents.policy(name).windows.map((window) => {
    const account = options.sharedRules.includes(window.rule) ? "" : `@${identity}`;
    return accountWindow(window, documents.requestLog(name, account));
  });

/** Grants a request and reserves its places, or returns its wait. */
export const plan = (context: PlanContext, request: PlannedRequest): Grant | Wait => {
  const policies = recentPolicies(context, request.route);
  const wait =
    policies.length === 0
      ? newRouteWait(context, request)
      : longest(policies.map((name) => waitForPolicy(context, name, request)));
  if (wait) return wait;
  const grant: Grant = { ...request, sentAt: context.now, policies };
  if (policies.length === 0) context.documents.newRoutes()[grant.id] = grant.sentAt;
  for (const name of policies) reservePlace(accountWindows(context, name, grant.identity), grant);
  return grant;
};

const longest = (waits: ReadonlyArray<Wait | undefined>): Wait | undefined =>
  waits.reduce(
    (worst, each) => (!worst || (each && each.until > worst.until) ? each : worst),
    undefined,
  );

/** Returns a new route's wait: one new route at a time, and only if the assumed policy has room. */
const newRouteWait = (context: PlanContext, request: PlannedRequest): Wait | undefined => {
  const { documents, now, options } = context;
  const pending = documents.newRoutes();
  for (const [id, sentAt] of Object.entries(pending)) {
    if (sentAt + options.inFlightTimeout <= now || isOrphan(context, id)) delete pending[id];
    else if (sentAt + OVERDUE_MILLIS > now)
      return { until: sentAt + OVERDUE_MILLIS, mayEndEarly: true, isShared: true };
  }
  const name = assumedPolicy(context);
  return name !== undefined && documents.policy(name).knowledge === "learned"
    ? waitForPolicy(context, name, request)
    : undefined;
};

/** Whether a request of this process is not in flight here, because the store's reply was lost. */
const isOrphan = ({ inFlight, prefix }: PlanContext, id: string): boolean =>
  id.startsWith(prefix) && !inFlight.has(id);

const waitForPolicy = (
  context: PlanContext,
  name: string,
  request: PlannedRequest,
): Wait | undefined => {
  const { documents, now, options } = context;
  const policy = documents.policy(name);
  if (policy.blockedUntil > now)
    return { until: policy.blockedUntil, policy: name, isShared: true };
  const isUnsure = policy.knowledge === "unknown" || policy.isRecovering;
  if (isUnsure || policy.windows.length === 0) {
    const busy = waitForResponse(context, name, isUnsure ? 1 : options.concurrencyWithoutHeaders);
    if (busy) return busy;
  }
  const waits: Array<Wait> = [];
  const targets = accountWindows(context, name, request.identity);
  for (const [log, sameLog] of Map.groupBy(targets, (target) => target.log)) {
    const windows = sameLog.map(({ window }) => window);
    const isShared = options.sharedRules.includes(windows[0]!.rule);
    pruneLog(log, sameLog, now, options.inFlightTimeout);
    for (const id in log.inFlight) if (isOrphan(context, id)) delete log.inFlight[id];
    const longestPeriod = Math.max(...windows.map(({ period }) => period));
    log.fullAt ??= now;
    if (log.fullAt + longestPeriod >= now) {
      const maxInFlight = concurrency(windows, log.roundTrip);
      const busy = waitForResponse(
        context,
        name,
        maxInFlight,
        isShared ? undefined : request.identity,
      );
      if (busy) return busy;
    }
    for (const target of sameLog) {
      const until = nextOpening(target, now, request.reserve);
      if (until <= now) continue;
      // Writes the time seldom, because every process reads this document for each request.
      if (log.fullAt + longestPeriod / 8 < now) log.fullAt = now;
      waits.push({ until, policy: name, window: target.window, isShared });
    }
  }
  return longest(waits);
};

/**
 * Returns the number of requests that may be in flight at once if windows are new or full: no more
 * than fit into two round trips, because a refusal reaches all requests in flight.
 */
const concurrency = (windows: ReadonlyArray<Window>, roundTrip: number): number => {
  const rate = Math.min(...windows.map(({ max, period }) => max / period));
  return 1 + Math.ceil(2 * roundTrip * rate - 0.5);
};

/**
 * Returns a wait if `maxInFlight` requests under a policy are in flight. With an identity, only its own
 * requests count.
 */
const waitForResponse = (
  { inFlight, now }: PlanContext,
  policy: string,
  maxInFlight: number,
  identity?: string,
): Wait | undefined => {
  let [busy, oldest] = [0, now];
  for (const grant of inFlight.values()) {
    const isSame = identity === undefined || identity === grant.identity;
    if (!isSame || !grant.policies.includes(policy) || grant.sentAt + OVERDUE_MILLIS <= now)
      continue;
    busy++;
    oldest = Math.min(oldest, grant.sentAt);
  }
  if (busy < maxInFlight) return undefined;
  const isShared = identity === undefined;
  return { until: oldest + OVERDUE_MILLIS, mayEndEarly: true, isShared, policy };
};

/** Adds a request to the requests in flight in the log of each window. */
export const reservePlace = (
  targets: ReadonlyArray<AccountWindow>,
  { id, sentAt }: Grant,
): void => {
  for (const { log } of targets) log.inFlight[id] = sentAt;
};

/** Removes a request from the logs of a policy that did not count it. */
export const releasePlace = (context: PlanContext, name: string, grant: Grant): void => {
  for (const { log } of accountWindows(context, name, grant.identity))
    delete log.inFlight[grant.id];
};

/** Releases all places of a request that was not sent, in the logs of its policies. */
export const release = (context: PlanContext, grant: Grant): void => {
  if (grant.policies.length === 0) delete context.documents.newRoutes()[grant.id];
  for (const name of grant.policies) releasePlace(context, name, grant);
};
