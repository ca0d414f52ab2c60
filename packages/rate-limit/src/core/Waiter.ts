/**
 * Waiting requests, the groups in which they wait, what groups wait for, and the reasons that a
 * request is told when it is not sent.
 */
import type { Explanation, LimitedRoute, LimiterEvent, NotSentReason, Permit } from "../Model.ts";
import type { RateLimitDialect } from "../RateLimitDialect.ts";
import type { InFlight, NotSentDetails } from "../RequestNotSentError.ts";
import type { Store } from "../Store.ts";
import { NEVER } from "./basics.ts";
import { clientErrorsOf, pacedUntil } from "./ClientErrors.ts";
import type { ClientErrorOptions } from "./ClientErrors.ts";
import type { Heap } from "./heap.ts";
import type { WindowState } from "./Log.ts";
import { tryAcquire } from "./plan.ts";
import type { Wait } from "./plan.ts";
import { logScope, policiesOf, realName } from "./State.ts";
import type { Ask, CoreOptions, Grant, State } from "./State.ts";

/** The options of a queue; times in milliseconds. */
export interface QueueOptions {
  readonly store: Store;
  readonly key: string;
  readonly dialect: RateLimitDialect;
  readonly core: CoreOptions;
  readonly errors: ClientErrorOptions;
  readonly maxInFlight: number;
  readonly maxWait: number;
  /** For a priority, the places of each window that lower ones never take. */
  readonly reserve: ReadonlyArray<readonly [priority: number, places: number]>;
  /** Called for each grant, each 429 and each request that was not sent. */
  readonly onEvent?: ((event: LimiterEvent) => void) | undefined;
}

/** A request that waits. */
export interface Submission extends LimitedRoute {
  readonly priority?: number | undefined;
  readonly maxWait?: number | undefined;
}

/** The callbacks of a submission: one of them is called, once. */
export interface Delivery {
  readonly granted: (permit: Permit, grant: Grant) => void;
  readonly refused: (details: NotSentDetails) => void;
  readonly failed: (cause: unknown) => void;
}

/** A waiting request. */
export interface Waiter {
  readonly group: string;
  readonly route: string;
  readonly identity: string;
  readonly priority: number;
  /** Orders waiters by their priorities and ages. */
  readonly rank: number;
  /** Of those with one rank, who came first. */
  order: number;
  readonly since: number;
  readonly deadline: number;
  readonly delivery: Delivery;
  /** The deadline; while the store is asked, not before it can have answered. */
  dueAt: number;
  /** `asking`: a place is kept for it, and the store decides. */
  state: "waiting" | "asking" | "gone";
  slot: number;
}

/** What a group waits for. */
export interface Hold {
  readonly key: string;
  /** Responses of the policy may open it: those of one scope, or all of them. */
  readonly policy?: string | undefined;
  readonly scope?: string | undefined;
  readonly until: number;
  /** The earliest time at which it may open, as far as is known. */
  readonly soonest: number;
  readonly reason: Explanation["reason"];
  readonly window?: WindowState | undefined;
}

export interface Ward {
  hold: Hold;
  /** One of its groups is about to be asked. */
  isOpen: boolean;
  readonly groups: Heap<Group>;
  renewedAt: number;
  slot: number;
}

/** Waiting requests that the planner treats alike. */
export interface Group {
  readonly key: string;
  readonly route: string;
  readonly identity: string;
  /** By rank, from `first` on; those that left stay until they are half of all. */
  waiters: Array<Waiter>;
  first: number;
  gone: number;
  ward: Ward | undefined;
  /** It is about to be asked; otherwise it stands before its ward. */
  isReady: boolean;
  /** The class of the first waiter, as of a moment ago. */
  class: number;
  servedAt: number;
  slot: number;
}

/** A waiting request rises by one class in this time. */
export const AGEING_MILLIS = 30_000;

/** A request that lines up. */
export const waiterOf = (
  { identity = "default", priority = 0, route }: Submission,
  delivery: Delivery,
  { deadline, since }: { readonly since: number; readonly deadline: number },
): Waiter => ({
  group: `${identity}\n${route}`,
  route,
  identity,
  priority,
  rank: priority * AGEING_MILLIS - since,
  order: 0,
  since,
  deadline,
  delivery,
  dueAt: deadline,
  state: "asking",
  slot: -1,
});

/** The grant of a request, or what it has to wait for. */
export const admit = (
  state: State,
  { identity, priority, route }: Waiter,
  { at, id }: { readonly id: string; readonly at: number },
  options: QueueOptions,
): Grant | Hold => {
  const paced = pacedUntil(state.errors, route, at, options.errors);
  if (paced > at) return pacedHold(route, paced);
  const ask = { id, route, identity, reserve: placesKept(options, priority) };
  const answer = tryAcquire(state, ask, at, options.core);
  if ("until" in answer) return holdOf(answer, ask, options.core);
  if (state.errors.routes.has(route)) state.errors.pacedAt = at;
  return answer;
};

/** The places of each window that requests of a priority leave to higher ones. */
const placesKept = ({ reserve }: QueueOptions, priority: number): number =>
  reserve.reduce((sum, [above, places]) => sum + (priority < above ? places : 0), 0);

/** What a request of the planner waits for. */
const holdOf = (
  { policy, reason, soonest, until, window }: Wait,
  { identity, reserve = 0 }: Ask,
  core: CoreOptions,
): Hold => {
  const scope = window ? logScope(window, identity, core) : "";
  const key = `${reason} ${reserve}\n${policy}\n${window?.key}\n${scope}`;
  return { key, policy, scope, until, soonest, reason, window };
};

/** Requests on a route that was rejected lately are spread. */
const pacedHold = (route: string, until: number): Hold => ({
  key: `errors\n${route}`,
  until,
  soonest: until,
  reason: "client-errors",
});

/** The store lets others go first. */
export const storeHold = ({ identity, key }: Group, grant: Grant, until: number): Hold => ({
  key: `store\n${key}`,
  policy: grant.policies.at(-1),
  scope: identity,
  until,
  soonest: until,
  reason: "window",
});

/** The time at which a request of a held group may go at best, if that is after its deadline. */
export const tooLate = (
  { soonest, until, window }: Hold,
  deadline: number,
  before: number,
  at: number,
): number | undefined => {
  if (!(soonest > at && until > at && soonest < NEVER)) return undefined;
  // At best `max` requests go per period.
  const opens = soonest + (window ? Math.floor(before / window.max) * window.period : 0);
  return opens > deadline ? opens : undefined;
};

/** What held a request that is refused. */
interface Held {
  readonly hold: Hold | undefined;
  /** Whether nothing goes on any route. */
  readonly isFull: boolean;
  readonly route: string;
}

const WAITS_FOR_RESPONSES: ReadonlySet<string> = new Set(["in-flight", "learning"]);

/** The details of a refusal. */
export const refusalOf = (
  { at, kind, until }: { kind: NotSentReason; until: number; at: number },
  { hold, isFull, route }: Held,
  state: State | undefined,
  errors: ClientErrorOptions,
): NotSentDetails => {
  const named = state && policiesOf(state, route, at).at(-1);
  const isSpread = kind === "wait-too-long" && !isFull && hold?.reason === "client-errors";
  const isRejected = kind === "too-many-errors" || isSpread;
  const isBusy = isFull || (hold && WAITS_FOR_RESPONSES.has(hold.reason));
  return {
    kind,
    retryAfterMillis: Math.max(0, until - at),
    policy: realName(hold?.policy ?? named),
    rule: hold?.window?.rule,
    inFlight: state && isBusy && kind === "wait-too-long" ? inFlightOf(state, at) : undefined,
    clientErrors: state && isRejected ? clientErrorsOf(state.errors, at, errors) : undefined,
  };
};

const inFlightOf = ({ leases }: State, at: number): InFlight | undefined => {
  for (const { grantedAt } of leases.values())
    return { count: leases.size, oldestMillis: Math.max(0, at - grantedAt) };
  return undefined;
};
