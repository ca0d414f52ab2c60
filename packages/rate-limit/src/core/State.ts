/**
 * Everything that a limiter knows: policies, the routes that belong to them, and rejected requests.
 * Plain data; instants are milliseconds of a monotonic clock.
 */
import type { RateLimitInfo } from "../RateLimitInfo.ts";
import { BUCKET_SIZES } from "./Belief.ts";
import { newClientErrors } from "./ClientErrors.ts";
import type { ClientErrors } from "./ClientErrors.ts";
import { getOrMake, NEVER } from "./basics.ts";
import { newLog } from "./Log.ts";
import type { Hit, Log, WindowState } from "./Log.ts";

/** So many requests in so many milliseconds. */
export interface StatedLimit {
  readonly max: number;
  readonly period: number;
}

/** Finds the limits of services that tell none: see `./adaptive`. */
export type Adaptive = (policy: Policy, lesson: Lesson) => void;

/** Options of the planner; times in milliseconds. */
export interface CoreOptions {
  /** Rules whose budget all identities share. */
  readonly isShared: (rule: string) => boolean;
  readonly bucketSizes: ReadonlyArray<number>;
  readonly concurrencyWithoutHeaders: number;
  readonly inFlightTimeout: number;
  /** Limits that the program states, for routes whose responses tell none. */
  readonly stated: ReadonlyArray<StatedLimit>;
  /** Learns from the responses of a policy that tells no limits. */
  readonly adaptive?: Adaptive | undefined;
  /** Places of a window that stay free, for the requests of a successor that knows nothing. */
  readonly spare: (max: number) => number;
}

export const defaultOptions: CoreOptions = {
  isShared: (rule) => rule === "ip" || rule === "client",
  bucketSizes: BUCKET_SIZES,
  concurrencyWithoutHeaders: 4,
  inFlightTimeout: 90_000,
  stated: [],
  spare: () => 0,
};

/** A request that was sent before its policy was known. */
interface Unplaced {
  readonly hit: Hit;
  readonly identity: string;
}

/** One policy. */
export interface Policy {
  readonly name: string;
  limits: "unknown" | "none" | "learned";
  windows: ReadonlyArray<WindowState>;
  /** Leases of all identities and the times of their grants, written by `leases.ts` alone. */
  readonly inFlight: Map<string, number>;
  /** The time of the last grant. */
  grantedAt: number;
  blockedUntil: number;
  blockedSince: number;
  /** Refusals without any time in them, one after the other. */
  refusals: number;
  /** After a refusal requests go one by one until one succeeds. */
  recovering: boolean;
  /** A request had to wait lately: bursts would gain nothing. */
  waitedAt: number;
  /** Mean of recent round trips. */
  roundTrip: number;
  /** The shortest round trip of the last spell, and of this one so far. */
  minRoundTrip: number;
  shortest: number;
  trips: number;
  /** 0: there has been no trip. */
  spellSince: number;
  /** Requests of a route before its first policy was named. */
  unplaced: ReadonlyArray<Unplaced>;
}

/** A request to plan. */
export interface Ask {
  readonly id: string;
  readonly route: string;
  readonly identity: string;
  /** Places of each window that stay free for requests of a higher priority. */
  readonly reserve?: number;
}

/** A request that was permitted. */
export interface Grant extends Ask {
  readonly grantedAt: number;
  readonly policies: ReadonlyArray<string>;
  /** The policy among them that is a guess. */
  readonly guestOf: string | undefined;
  readonly hit: Hit;
}

/** The response to a request; `status` is `undefined` without one. */
export interface Response {
  readonly status: number | undefined;
  readonly info: RateLimitInfo | undefined;
  /** The time at which it came. */
  readonly at: number;
}

/** A response to learn from. */
export interface Lesson extends Response {
  readonly grant: Grant;
  readonly options: CoreOptions;
  /** Requests that were sent under other policies meanwhile. */
  readonly unplaced: ReadonlyArray<Unplaced>;
}

/** Everything that a limiter knows. */
export interface State {
  readonly policies: Map<string, Policy>;
  /** For each route the policies that its responses named, and when. */
  readonly routes: Map<string, Map<string, number>>;
  errors: ClientErrors;
  /** Granted requests without an outcome by their ids: see `leases.ts`. */
  readonly leases: Map<string, Grant>;
  /** Whether any response has come. */
  isHeard: boolean;
}

/** A policy that no response of a route has named lately is not the route's any more. */
const NAMED_MILLIS = 600_000;

export const newState = (): State => ({
  policies: new Map(),
  routes: new Map(),
  errors: newClientErrors(),
  leases: new Map(),
  isHeard: false,
});

export const policyNamed = (state: State, name: string): Policy =>
  getOrMake(state.policies, name, () => ({
    name,
    limits: "unknown",
    windows: [],
    inFlight: new Map(),
    grantedAt: -NEVER,
    blockedUntil: -NEVER,
    blockedSince: -NEVER,
    refusals: 0,
    recovering: false,
    waitedAt: -NEVER,
    roundTrip: 0,
    minRoundTrip: NEVER,
    shortest: NEVER,
    trips: 0,
    spellSince: 0,
    unplaced: [],
  }));

/** Stands for the policy of a route whose responses have named none. */
export const isPlaceholder = (policy: string): boolean => policy.startsWith("?");

/** The policy of the limits that the program states. */
export const STATED = "*";

/** The name of a policy, unless no response has told it. */
export const realName = (policy: string | undefined): string | undefined =>
  policy === undefined || policy === STATED || isPlaceholder(policy) ? undefined : policy;

/** The policies that a request of the route has to fit; the one that was named last comes last. */
export const policiesOf = (state: State, route: string, now: number): ReadonlyArray<string> => {
  const named = state.routes.get(route);
  if (!named) return [`?${route}`];
  const names = [...named.keys()];
  const last = names.at(-1);
  return names.filter(
    (name) => name === last || named.get(name)! + NAMED_MILLIS > now || !named.delete(name),
  );
};

/** A route that names more policies than this names them by something else than its limits. */
const MOST_NAMES = 16;

/** Forgets the policy that responses of a route have not named for the longest time. */
const forgetName = ({ policies, routes }: State, named: Map<string, number>): void => {
  const oldest = [...named.keys()][0]!;
  named.delete(oldest);
  if (![...routes.values()].some((names) => names.has(oldest))) policies.delete(oldest);
};

/** A response of the route named the policy. */
export const namePolicy = (state: State, route: string, policy: string, now: number): void => {
  const named = getOrMake(state.routes, route, () => new Map<string, number>());
  // Maps keep the order in which keys were added.
  named.delete(policy);
  named.set(policy, now);
  while (named.size > MOST_NAMES) forgetName(state, named);
};

/** The policy that most routes named last; of two the one that was heard of first. */
export const likeliest = ({ routes }: State): string | undefined => {
  const lasts = [...routes.values()].map((named) => [...named.keys()].at(-1)!);
  const [most] = [...Map.groupBy(lasts, (name) => name).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  return most?.[0];
};

/** The requests of an identity, or of all where they share the rule. */
export const logOf = (
  window: WindowState,
  identity: string,
  options: Pick<CoreOptions, "isShared">,
): Log => getOrMake(window.logs, logScope(window, identity, options), newLog);

/** The key of a log: the identity, or nothing where all share the rule. */
export const logScope = (
  { rule }: WindowState,
  identity: string,
  { isShared }: Pick<CoreOptions, "isShared">,
): string => (isShared(rule) ? "" : identity);

/** What a policy's plans depend on besides its requests: a change concerns all identities. */
export const signatureOf = ({ policies }: State, name: string): string => {
  const { blockedUntil, limits, recovering, windows = [] } = policies.get(name) ?? {};
  const seen = windows.map(({ belief, key, max }) => [key, max, belief.version]);
  return [limits, blockedUntil, recovering, ...seen].join();
};
