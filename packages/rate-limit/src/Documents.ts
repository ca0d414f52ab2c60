/**
 * Documents that hold what a limiter knows: plain data that a store keeps in memory or as JSON. The
 * planner (`plan.ts`, `learn.ts`) reads and changes documents in place, inside one transaction of a
 * store. Times are milliseconds of the store's clock.
 */
import type { Buckets } from "./Buckets.ts";

/** One counting window of one rule, as the policy's last response described it. */
export interface Window {
  readonly key: string;
  readonly rule: string;
  readonly period: number;
  /** Whether the end of the window is known, so that no hidden buckets are assumed. */
  readonly isExact: boolean;
  max: number;
  seenAt: number;
  /** Impossible counts minus possible ones. From 4 on, the counts of the window are ignored. */
  impossibleCounts: number;
  readonly buckets: Buckets;
}

/** The limits of all routes whose responses name the same policy. */
export interface Policy {
  knowledge: "unknown" | "none" | "learned";
  windows: Array<Window>;
  blockedUntil: number;
  blockedSince: number;
  /** Consecutive 429 responses that stated no time to wait. */
  refusals: number;
  /** After a 429 response, requests are sent one at a time until one succeeds. */
  isRecovering: boolean;
}

/** Own requests that are no longer in flight, stamped between `sentAt` and `receivedAt`. */
export interface Hit {
  /** When the first request of the hit was sent. */
  readonly sentAt: number;
  /** When the response to the last request of the hit arrived, or the request timed out. */
  readonly receivedAt: number;
  /** Number of requests in the log up to the end of this hit, including removed requests. */
  total: number;
  /** No response arrived, so the server may not have counted the request. */
  readonly isLost?: true;
}

/** When the requests in flight were sent, by request id. */
type InFlight = Record<string, number>;

/** State of one window of one account: the server's last count, and requests of other programs. */
export interface WindowState {
  /** The server's last count, and when its request was sent and answered. */
  reading?:
    | { readonly count: number; readonly sentAt: number; readonly receivedAt: number }
    | undefined;
  /** The server no longer counts requests whose responses arrived before this time. */
  leftBefore: number;
  /** Requests of other programs, each with the time of the count that showed the request. */
  foreign: Array<{ readonly until: number; readonly weight: number }>;
  /** When a count last showed new requests of other programs, and their mean number in a count. */
  foreignLevel?: { readonly at: number; readonly mean: number } | undefined;
}

/** Requests of one account under a policy: of one identity, or of all for a shared rule. */
export interface RequestLog {
  /** Ordered by `receivedAt`, the earliest first. */
  hits: Array<Hit>;
  /** Number of old requests that are no longer in `hits`, but included in `total`. */
  removed: number;
  inFlight: InFlight;
  windows: Record<string, WindowState>;
  /** Moving average of the time from request to response, in milliseconds. */
  roundTrip: number;
  /** When a window was last full. Before the first such time, the time of the first decision. */
  fullAt?: number;
}

/** Requests of this client that the service rejected with a 4xx status. */
export interface ClientErrors {
  /** The times of all rejections within the last `clientErrorWindow`. */
  times: Array<number>;
  /** The times of 401, 403 and 429 responses, which can block the client. */
  blocking: Array<number>;
  /** The time of the last rejection of each route, by `routeKey`. */
  routes: Record<string, number>;
  pacedAt: number;
  firewallUntil: number;
}

export const LOG_PREFIX = "log:";

/** Returns the key of a route. The prefix keeps routes apart from members such as `constructor`. */
export const routeKey = (route: string): string => `route:${route}`;

/** Access to the documents of one transaction. Its functions create missing documents. */
export type Documents = ReturnType<typeof makeDocuments>;

/** Adds a function for each document to `get`, which finds or creates a document by its key. */
export const makeDocuments = (get: <A>(key: string, create: () => A) => A) => ({
  get,
  /** Policies that responses of a route named, with the time, by `routeKey`; the latest last. */
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

/** Returns access to documents that are kept in a `Map`. */
export const mapDocuments = (documents: Map<string, unknown>): Documents =>
  makeDocuments((key, create) => {
    let document = documents.get(key);
    if (document === undefined) documents.set(key, (document = create()));
    return document as never;
  });

/** Returns the index of the first hit that passes `test`. All later hits must pass as well. */
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

/** Returns the number of requests before an index, including those removed from the log. */
export const totalBefore = ({ hits, removed }: RequestLog, index: number): number =>
  hits[index - 1]?.total ?? removed;

/** Returns the number of requests from an index to the end of the log. */
export const countFrom = (log: RequestLog, index: number): number =>
  totalBefore(log, log.hits.length) - totalBefore(log, index);

/** Inserts a hit by `receivedAt`, because responses overtake each other and clocks differ. */
export const addHit = (log: RequestLog, hit: Omit<Hit, "total">): void => {
  const { hits } = log;
  let index = hits.length;
  while (index > 0 && hits[index - 1]!.receivedAt > hit.receivedAt) hits[--index]!.total++;
  hits.splice(index, 0, { ...hit, total: totalBefore(log, index) + 1 });
};

const MAX_HITS = 1024;
/** Neighbouring hits are merged if the time between them is below this share of their age. */
const MERGE_SHARE = 1 / 64;

/**
 * Removes the hits before an index, but only if they are most of the log, because a count may
 * include more requests than expected. Merges old hits if more than `MAX_HITS` remain.
 */
export const removeHits = (log: RequestLog, index: number, now: number): void => {
  if (index * 2 > log.hits.length) {
    log.removed = totalBefore(log, index);
    log.hits.splice(0, index);
  }
  if (log.hits.length > MAX_HITS) log.hits = merged(log.hits, now);
};

/** Merges neighbouring hits, because the exact times of old requests matter less. */
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
