/**
 * The limiter's knowledge as documents: plain data that a store keeps in memory or as JSON. The
 * planner (`plan.ts`, `learn.ts`) reads and changes documents in place, inside one transaction of a
 * store. Times are milliseconds of the store's clock.
 */
import type { Buckets } from "./Buckets.ts";

/** One counting window of one rule, as the policy's last response described it. */
export interface Window {
  readonly key: string;
  readonly rule: string;
  readonly period: number;
  /** The server reports when the window ends, so it has no hidden buckets. */
  readonly isExact: boolean;
  max: number;
  seenAt: number;
  /** Impossible counts minus possible ones, at least 0. */
  impossibleCounts: number;
  readonly buckets: Buckets;
}

/** The limits that requests of some routes share. */
export interface Policy {
  knowledge: "unknown" | "none" | "learned";
  windows: Array<Window>;
  blockedUntil: number;
  blockedSince: number;
  /** Consecutive refusals that named no time. */
  refusals: number;
  /** After a refusal, requests go one at a time until one succeeds. */
  isRecovering: boolean;
}

/** Requests of this program that are no longer in flight, stamped between the two times. */
export interface Hit {
  /** The time at which the first of them was sent. */
  readonly sentAt: number;
  /** The time of the last response, or of the timeout. */
  readonly receivedAt: number;
  /** Number of requests of the log up to and including these. */
  total: number;
  /** No response arrived, so the server may not have counted the request. */
  readonly isLost?: true;
}

/** The times at which requests in flight were sent, by id. */
type InFlight = Record<string, number>;

/** What is known about one window of one account. */
export interface WindowState {
  /** The server's last count, in the response to one request. */
  reading?:
    | { readonly count: number; readonly sentAt: number; readonly receivedAt: number }
    | undefined;
  /** Hits that were received before this time have left the window. */
  leftBefore: number;
  /** Requests of other programs that a count has shown. */
  foreign: Array<{ readonly until: number; readonly weight: number }>;
  /** The last time at which new foreign requests appeared, and their mean number in a count. */
  foreignLevel?: { readonly at: number; readonly mean: number } | undefined;
}

/** The requests of one account under a policy: of one identity, or of all for a shared rule. */
export interface RequestLog {
  /** In the order of `receivedAt`. */
  hits: Array<Hit>;
  /** Number of requests that were removed from `hits`. */
  removed: number;
  inFlight: InFlight;
  windows: Record<string, WindowState>;
  /** Mean time between request and response. */
  roundTrip: number;
  /** The last time at which a window was full. Until then, the time of the first decision. */
  fullAt?: number;
}

/** Requests of this client that the service rejected with a 4xx status. */
export interface ClientErrors {
  /** The times of all of them within the last window. */
  times: Array<number>;
  /** The times of 401, 403 and 429 responses, which can block the client. */
  blocking: Array<number>;
  /** The last rejection of each route, by `routeKey`. */
  routes: Record<string, number>;
  pacedAt: number;
  firewallUntil: number;
}

export const LOG_PREFIX = "log:";

/** Returns the key of a route. The prefix keeps routes apart from members such as `constructor`. */
export const routeKey = (route: string): string => `route:${route}`;

/** The documents of one transaction. All functions create a missing document. */
export type Documents = ReturnType<typeof makeDocuments>;

/** Wraps a store of documents by key. */
export const makeDocuments = (get: <A>(key: string, create: () => A) => A) => ({
  get,
  /** The policies that responses of a route named, and when, by `routeKey`. The latest is last. */
  routes: () => get("routes", (): Record<string, Array<readonly [string, number]>> => ({})),
  /** Requests in flight on routes without a known policy. */
  newRoutes: () => get("new-routes", (): InFlight => ({})),
  clientErrors: () =>
    get("client-errors", (): ClientErrors => ({
      times: [],
      blocking: [],
      routes: {},
      pacedAt: 0,
      firewallUntil: 0,
    })),
  policy: (name: string) =>
    get(`policy:${name}`, (): Policy => ({
      knowledge: "unknown",
      windows: [],
      blockedUntil: 0,
      blockedSince: 0,
      refusals: 0,
      isRecovering: false,
    })),
  requestLog: (policy: string, account: string) =>
    get(`${LOG_PREFIX}${policy}:${account}`, (): RequestLog => ({
      hits: [],
      removed: 0,
      inFlight: {},
      windows: {},
      roundTrip: 0,
    })),
});

/** Wraps documents in a `Map`. */
export const mapDocuments = (documents: Map<string, unknown>): Documents =>
  makeDocuments((key, create) => {
    let document = documents.get(key);
    if (document === undefined) documents.set(key, (document = create()));
    return document as never;
  });

/** Returns the index of the first hit that passes a test that all later hits pass as well. */
export const firstHit = (hits: ReadonlyArray<Hit>, test: (hit: Hit) => boolean): number => {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(hits[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Returns the number of requests before an index, those included that were removed. */
export const totalBefore = ({ hits, removed }: RequestLog, index: number): number =>
  hits[index - 1]?.total ?? removed;

/** Returns the number of requests from an index on. */
export const countFrom = (log: RequestLog, index: number): number =>
  totalBefore(log, log.hits.length) - totalBefore(log, index);

/** Adds a hit in the order of `receivedAt`: responses overtake each other, and clocks differ. */
export const addHit = (log: RequestLog, hit: Omit<Hit, "total">): void => {
  const { hits } = log;
  let index = hits.length;
  while (index > 0 && hits[index - 1]!.receivedAt > hit.receivedAt) hits[--index]!.total++;
  hits.splice(index, 0, { ...hit, total: totalBefore(log, index) + 1 });
};

const MAX_HITS = 1024;
/** Two neighbours are merged if they are no further apart than this share of their age. */
const MERGE_SHARE = 1 / 64;

/**
 * Removes the hits before an index once they are most of the log, because a count may include more
 * requests than expected. Merges old hits if many remain.
 */
export const removeHits = (log: RequestLog, index: number, now: number): void => {
  if (index * 2 > log.hits.length) {
    log.removed = totalBefore(log, index);
    log.hits.splice(0, index);
  }
  if (log.hits.length > MAX_HITS) log.hits = merged(log.hits, now);
};

/** Merges neighbours, because the exact times of old hits matter less. */
const merged = (hits: ReadonlyArray<Hit>, now: number): Array<Hit> => {
  const slots: Array<Hit> = [];
  for (const hit of hits) {
    const last = slots.at(-1);
    const isClose =
      last !== undefined && hit.receivedAt - last.sentAt < (now - last.sentAt) * MERGE_SHARE;
    if (isClose && last.isLost === hit.isLost)
      slots[slots.length - 1] = { ...last, receivedAt: hit.receivedAt, total: hit.total };
    else slots.push(hit);
  }
  return slots;
};
