/** Waiting requests, the groups in which they wait, and what groups wait for. */
import type { Explanation, LimitedRoute, Permit } from "../Model.ts";
import type { NotSentDetails } from "../RequestNotSentError.ts";
import { pacedUntil } from "./ClientErrors.ts";
import type { Heap } from "./heap.ts";
import type { WindowState } from "./Log.ts";
import { tryAcquire } from "./plan.ts";
import type { Wait } from "./plan.ts";
import { placesKept } from "./QueueOptions.ts";
import type { QueueOptions } from "./QueueOptions.ts";
import { logScope } from "./State.ts";
import type { Ask, CoreOptions, Grant, State } from "./State.ts";

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
  state: "waiting",
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
