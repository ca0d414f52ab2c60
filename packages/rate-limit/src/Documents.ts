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
  limits: "unknown" | "none" | "learned";
  windows: Array<Window>;
  blockedUntil: number;
  blockedSince: number;
  /** Consecutive refusals that named no time. */
  refusals: number;
  /** After a refusal, requests go one at a time until one succeeds. */
  isRecovering: boolean;
}

/** Answered requests of this program. The server stamped them between the two times. */
export interface Hit {
  /** The time at which the first of them was sent. */
  readonly sent: number;
  /** The time at which the last of them was answered or given up. */
  readonly received: number;
  /** Number of requests. Default: 1. */
  readonly weight?: number;
  /** No answer arrived, so the server may not have counted the request. */
  readonly isLost?: true;
}

/** A request in flight. At `lostAt` the limiter stops waiting for its outcome. */
export interface PendingRequest {
  readonly sent: number;
  readonly lostAt: number;
}

/** Requests of other programs that a count has shown. */
interface ForeignRequests {
  readonly until: number;
  readonly weight: number;
}

/** The server's count in the response to one request. */
export interface Reading {
  readonly count: number;
  readonly sent: number;
  readonly received: number;
}

/** What is known about one window of one account. */
export interface WindowState {
  reading?: Reading | undefined;
  /** Hits that were received before this time have left the window. */
  leftBefore: number;
  foreign: Array<ForeignRequests>;
  /** The last time at which new foreign requests appeared, and their mean number in a count. */
  foreignLevel?: { readonly at: number; readonly mean: number } | undefined;
  /** The request that uses the place that is kept for probing. */
  probe?: string | undefined;
}

/** The requests of one account under a policy: of one identity, or of all for a shared rule. */
export interface RequestLog {
  /** In the order of `received`. */
  hits: Array<Hit>;
  inFlight: Record<string, PendingRequest>;
  windows: Record<string, WindowState>;
}

/** Requests of this client that the service rejected with a 4xx status. */
export interface ClientErrors {
  /** The times of all of them within the last window. */
  times: Array<number>;
  /** The times of 401, 403 and 429 responses, which can block the client. */
  blocking: Array<number>;
  /** The last rejection of each route. */
  routes: Record<string, number>;
  pacedAt: number;
  firewallUntil: number;
}

/** The policies that responses of a route named, and when. The latest is the last one. */
export type RoutePolicies = Record<string, Array<readonly [policy: string, at: number]>>;

/** The documents of one transaction. All methods but `find` create a missing document. */
export interface Documents {
  readonly find: (key: string) => unknown;
  readonly routes: () => RoutePolicies;
  /** Requests in flight on routes without a known policy. */
  readonly newRoutes: () => Record<string, PendingRequest>;
  readonly clientErrors: () => ClientErrors;
  readonly policy: (name: string) => Policy;
  readonly requestLog: (policy: string, account: string) => RequestLog;
}

const LOG_PREFIX = "log:";

const newPolicy = (): Policy => ({
  limits: "unknown",
  windows: [],
  blockedUntil: 0,
  blockedSince: 0,
  refusals: 0,
  isRecovering: false,
});

const newClientErrors = (): ClientErrors => ({
  times: [],
  blocking: [],
  routes: {},
  pacedAt: 0,
  firewallUntil: 0,
});

/** Wraps documents by key: `get` returns a document and creates a missing one. */
export const makeDocuments = (
  get: <A>(key: string, create: () => A) => A,
  find: Documents["find"],
): Documents => ({
  find,
  routes: () => get("routes", (): RoutePolicies => ({})),
  newRoutes: () => get("new-routes", (): Record<string, PendingRequest> => ({})),
  clientErrors: () => get("client-errors", newClientErrors),
  policy: (name) => get(`policy:${name}`, newPolicy),
  requestLog: (policy, account) =>
    get(`${LOG_PREFIX}${policy}:${account}`, (): RequestLog => ({
      hits: [],
      inFlight: {},
      windows: {},
    })),
});

/** Wraps documents in a `Map`. */
export const mapDocuments = (documents: Map<string, unknown>): Documents =>
  makeDocuments(
    (key, create) => {
      let document = documents.get(key);
      if (document === undefined) documents.set(key, (document = create()));
      return document as never;
    },
    (key) => documents.get(key),
  );

/** Marks the requests in flight of an earlier run of the program as lost. */
export const loseRequestsInFlight = (documents: Map<string, unknown>, now: number): void => {
  documents.delete("new-routes");
  for (const [key, document] of documents)
    if (key.startsWith(LOG_PREFIX)) {
      const log = document as RequestLog;
      for (const { sent } of Object.values(log.inFlight))
        log.hits.push({ sent, received: now, isLost: true });
      log.inFlight = {};
    }
};

/** Logs and routes that are not used for this long are removed. */
const UNUSED_MILLIS = 86_400_000;

/** Removes the logs and routes that nobody has used for a day. */
export const removeUnused = (documents: Map<string, unknown>, now: number): void => {
  const isOld = (at: number): boolean => at + UNUSED_MILLIS < now;
  for (const [key, document] of documents) {
    if (!key.startsWith(LOG_PREFIX)) continue;
    const { hits, inFlight, windows } = document as RequestLog;
    const readAt = Object.values(windows).map(({ reading }) => reading?.received ?? 0);
    const usedAt = Math.max(hits.at(-1)?.received ?? 0, ...readAt);
    if (isOld(usedAt) && Object.keys(inFlight).length === 0) documents.delete(key);
  }
  const routes = mapDocuments(documents).routes();
  for (const [route, policies] of Object.entries(routes))
    if (isOld(policies.at(-1)?.[1] ?? 0)) delete routes[route];
};

export const windowState = (log: RequestLog, { key }: Window): WindowState =>
  (log.windows[key] ??= { leftBefore: 0, foreign: [] });
