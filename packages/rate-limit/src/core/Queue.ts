/**
 * Waiting requests, the planner, and a store. The queue knows neither promises of callers nor
 * effects: an entry brings a clock and turns callbacks into its own kind of value.
 */
import type { ClientErrorsSnapshot, LimitedRoute, NotSentReason, Permit } from "../Model.ts";
import type { Explanation, LimiterEvent, RequestOutcome } from "../Model.ts";
import type { RateLimitDialect, RateLimitInfo } from "../RateLimitDialect.ts";
import type { NotSentDetails } from "../RequestNotSentError.ts";
import type { Backend, Clock, Store } from "../Store.ts";
import { blockOf, expire, isRejection, pacedUntil, recordRejection } from "./ClientErrors.ts";
import type { ClientErrorOptions } from "./ClientErrors.ts";
import { NEVER } from "./basics.ts";
import { settle } from "./learn.ts";
import { cancel, tryAcquire } from "./plan.ts";
import type { Grant, Wait } from "./plan.ts";
import { policiesOf, realName } from "./State.ts";
import type { CoreOptions } from "./State.ts";

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
interface Submission extends LimitedRoute {
  readonly priority?: number | undefined;
  readonly maxWaitMillis?: number | undefined;
  readonly counted?: boolean | undefined;
}

/** The callbacks of a submission: one of them is called, once. */
interface Delivery {
  readonly granted: (permit: Permit, grant: Grant) => void;
  readonly refused: (details: NotSentDetails) => void;
  readonly failed: (cause: unknown) => void;
}

interface Waiter {
  readonly submission: Submission;
  readonly priority: number;
  /** Orders waiters by their priorities and ages. */
  readonly rank: number;
  readonly delivery: Delivery;
  readonly since: number;
  readonly deadline: number;
  readonly order: number;
}

/** Waiting requests that the planner treats alike. */
interface Group {
  readonly key: string;
  readonly route: string;
  readonly identity: string;
  readonly waiters: Array<Waiter>;
  /** The earliest deadline of the waiters. */
  deadline: number;
  until: number;
  wait: Wait | undefined;
  reason: Explanation["reason"];
  servedAt: number;
}

/** See the module. */
export interface Queue {
  readonly options: QueueOptions;
  readonly groups: ReadonlyMap<string, Group>;
  /** Monotonic milliseconds of the state. */
  readonly now: () => number;
  /** An instant as milliseconds since 1970. */
  readonly toWall: (at: number) => number;
  /** The state and the store behind it, opened and up to date for a route. */
  readonly opened: (route: LimitedRoute) => Promise<Backend>;
  readonly isFull: () => boolean;
  readonly waiting: () => number;
  readonly clientErrors: (backend: Backend, now: number) => ClientErrorsSnapshot;
  /** Lines a request up; returns what takes it out again. */
  readonly submit: (submission: Submission, delivery: Delivery) => () => void;
  /** Records the outcome of a granted request. Resolves when it is recorded everywhere. */
  readonly settle: (grant: Grant, outcome: RequestOutcome) => Promise<void> | undefined;
  /** Writes what is not written yet, and ends all timers. */
  readonly close: () => Promise<void>;
}

/** A waiting request rises by one class in this time. */
const AGEING_MILLIS = 30_000;
const LONGEST_TIMER = 2 ** 31 - 1;

export const makeQueue = (options: QueueOptions, clock: Clock): Queue => {
  const { core, errors, key, maxInFlight, onEvent, store } = options;
  const groups = new Map<string, Group>();
  const self = Math.random().toString(36).slice(2, 10);
  let backend: Backend | undefined;
  let opening: Promise<Backend> | undefined;
  let stopTimer: (() => void) | undefined;
  let timerAt = NEVER;
  let serial = 0;
  let inFlight = 0;

  const now = (): number => clock.now() + (backend?.offset?.() ?? 0);
  const toWall = (at: number): number => Math.round(at - now() + clock.wall());

  const waiters = (): ReadonlyArray<Waiter> =>
    [...groups.values()].flatMap((group) => group.waiters);

  const open = (): Promise<Backend> | undefined => {
    if (backend || opening) return opening;
    const opened = store.open({ key, core, clock, self });
    if ("state" in opened) {
      backend = opened;
      return undefined;
    }
    opening = opened.then(
      (ready) => (backend = ready),
      (cause) => {
        // The next request tries again.
        opening = undefined;
        throw cause;
      },
    );
    return opening;
  };

  const submit = (submission: Submission, delivery: Delivery): (() => void) => {
    const { counted = true, identity = "default", route } = submission;
    const loading = open();
    const since = now();
    const priority = submission.priority ?? 0;
    const waiter: Waiter = {
      submission,
      priority,
      rank: priority * AGEING_MILLIS - since,
      delivery,
      since,
      deadline: since + (submission.maxWaitMillis ?? options.maxWait),
      order: serial++,
    };
    const name = `${counted ? "+" : "-"}${identity}\n${route}`;
    let group = groups.get(name);
    if (!group) {
      group = {
        key: name,
        route,
        identity,
        waiters: [],
        deadline: NEVER,
        until: -NEVER,
        wait: undefined,
        reason: "concurrency",
        servedAt: -NEVER,
      };
      groups.set(name, group);
    }
    insert(group, waiter);
    if (backend) {
      dispatch();
      // Known at once, where the group waits already.
      if (group.waiters.includes(waiter)) refuseLate(group, since);
    } else
      loading?.then(dispatch, (cause) => {
        const all = waiters();
        groups.clear();
        for (const each of all) each.delivery.failed(cause);
      });
    return () => {
      take(group, waiter);
    };
  };

  const insert = (group: Group, waiter: Waiter): void => {
    const index = group.waiters.findLastIndex(
      ({ order, rank }) => rank > waiter.rank || (rank === waiter.rank && order < waiter.order),
    );
    group.waiters.splice(index + 1, 0, waiter);
    group.deadline = Math.min(group.deadline, waiter.deadline);
    groups.set(group.key, group);
  };

  const take = ({ key: name }: Group, waiter: Waiter): void => {
    const group = groups.get(name);
    const index = group?.waiters.indexOf(waiter) ?? -1;
    if (!group || index === -1) return;
    group.waiters.splice(index, 1);
    if (group.waiters.length === 0) groups.delete(name);
  };

  const isFull = (): boolean => inFlight >= maxInFlight;

  /** Grants what may go now, refuses what would wait too long, and sets the timer for the rest. */
  const dispatch = (): void => {
    if (!backend || groups.size === 0) return;
    const at = now();
    const block = blockOf(backend.state.errors, at, errors);
    if (block)
      for (const group of groups.values())
        for (const waiter of group.waiters.slice())
          refuse(group, waiter, block.kind, block.until, at);
    // A wait that concerns all identities is planned once for each route.
    const shared = new Map<string, Wait>();
    for (let group = next(at); group && !isFull(); group = next(at))
      serve(backend, group, at, shared);
    setTimer(at);
  };

  /** The group whose turn it is: the highest class, then the one that was served longest ago. */
  const next = (at: number): Group | undefined => {
    let best: Group | undefined;
    let highest = -NEVER;
    for (const group of groups.values()) {
      if (group.until > at) continue;
      const head = group.waiters[0]!;
      const priority = head.priority + Math.floor((at - head.since) / AGEING_MILLIS);
      if (priority < highest) continue;
      if (
        priority > highest ||
        group.servedAt < best!.servedAt ||
        (group.servedAt === best!.servedAt && head.order < best!.waiters[0]!.order)
      ) {
        best = group;
        highest = priority;
      }
    }
    return best;
  };

  const serve = (
    { reserve, state }: Backend,
    group: Group,
    at: number,
    shared: Map<string, Wait>,
  ): void => {
    const { identity, route } = group;
    const waiter = group.waiters[0]!;
    const paced = pacedUntil(state.errors, route, at, errors);
    if (paced > at) {
      hold(group, paced, "client-errors", undefined, at);
      return;
    }
    const counted = waiter.submission.counted ?? true;
    const kept = options.reserve.reduce(
      (sum, [priority, places]) => sum + (waiter.priority < priority ? places : 0),
      0,
    );
    const same = `${counted}${kept} ${route}`;
    const ask = { id: `${self}${serial++}`, route, identity, counted, reserve: kept };
    const answer = shared.get(same) ?? tryAcquire(state, ask, at, core);
    if ("until" in answer) {
      if (!answer.window || core.isShared(answer.window.rule)) shared.set(same, answer);
      hold(group, answer.until, answer.reason, answer, at);
      return;
    }
    if (state.errors.routes.has(route)) state.errors.pacedAt = at;
    group.servedAt = serial;
    take(group, waiter);
    inFlight++;
    const reserving = reserve?.(answer);
    if (!reserving) {
      deliver(waiter, answer);
      return;
    }
    const decided = (until: number | undefined): void => {
      if (until === undefined) {
        deliver(waiter, answer);
        return;
      }
      // Another process was faster.
      takeBack(answer);
      const again = groups.get(group.key) ?? group;
      insert(again, waiter);
      hold(again, until, "window", undefined, now());
      dispatch();
    };
    reserving.then(decided, (cause) => {
      takeBack(answer);
      waiter.delivery.failed(cause);
      dispatch();
    });
  };

  const takeBack = (grant: Grant): void => {
    inFlight--;
    cancel(backend!.state, grant, core);
  };

  const deliver = ({ delivery, since }: Waiter, grant: Grant): void => {
    const policy = grant.policies.map(realName).findLast((name) => name !== undefined);
    const waitedMillis = Math.max(0, now() - since);
    onEvent?.({ type: "granted", policy, waitedMillis });
    const { id } = grant;
    delivery.granted({ id, grantedAt: toWall(now()), policy, waitedMillis }, grant);
  };

  const hold = (
    group: Group,
    until: number,
    reason: Explanation["reason"],
    wait: Wait | undefined,
    at: number,
  ): void => {
    group.until = until;
    group.wait = wait;
    group.reason = reason;
    refuseLate(group, at, at < group.deadline);
  };

  /** Refuses at once what can be known to come too late, and what has waited long enough. */
  const refuseLate = (group: Group, at: number, isQuick = false): void => {
    const { until, wait } = group;
    const soonest = wait ? wait.soonest : until;
    const isCertain = soonest > at && until > at && soonest < NEVER;
    for (let index = group.waiters.length - 1; index >= 0; index--) {
      const waiter = group.waiters[index]!;
      // At best `max` requests go per period.
      const behind = wait?.window ? Math.floor(index / wait.window.max) * wait.window.period : 0;
      const opens = isCertain ? soonest + behind : at;
      if (waiter.deadline <= at || opens > waiter.deadline)
        refuse(group, waiter, "wait-too-long", Math.max(opens, waiter.deadline), at);
      // Those before it wait less.
      else if (isQuick) return;
    }
    group.deadline = NEVER;
    for (const { deadline } of group.waiters) group.deadline = Math.min(group.deadline, deadline);
  };

  const refuse = (
    group: Group,
    waiter: Waiter,
    kind: NotSentReason,
    until: number,
    at: number,
  ): void => {
    take(group, waiter);
    onEvent?.({ type: "not-sent", kind });
    const { route, wait } = group;
    waiter.delivery.refused({
      kind,
      retryAfterMillis: Math.max(0, until - at),
      policy: realName(wait?.policy ?? policiesOf(backend!.state, route, at).at(-1)),
      rule: wait?.window?.rule,
      clientErrors: kind === "too-many-errors" ? clientErrors(backend!, at) : undefined,
    });
  };

  const clientErrors = ({ state }: Backend, at: number): ClientErrorsSnapshot => {
    expire(state.errors, at, errors);
    return {
      count: state.errors.times.length,
      blocking: state.errors.blocking.length,
      max: errors.max,
      windowMillis: errors.window,
    };
  };

  const setTimer = (at: number): void => {
    let wakeAt = NEVER;
    for (const { deadline, until } of groups.values())
      wakeAt = Math.min(wakeAt, deadline, until > at ? until : NEVER);
    if (backend?.pollMillis && groups.size > 0) wakeAt = Math.min(wakeAt, at + backend.pollMillis);
    if (wakeAt === timerAt) return;
    stopTimer?.();
    stopTimer = undefined;
    timerAt = wakeAt;
    if (wakeAt === NEVER) return;
    stopTimer = clock.schedule(Math.min(Math.max(0, wakeAt - at), LONGEST_TIMER), () => {
      timerAt = NEVER;
      stopTimer = undefined;
      const later = now();
      for (const group of groups.values()) if (group.deadline <= later) refuseLate(group, later);
      // Responses to other processes are not announced to this one.
      const [group] = groups.values();
      if (backend?.sync && group) backend.sync(group).then(wake, wake);
      else dispatch();
    });
  };

  /** Wakes the groups that a response may concern. */
  const wake = (): void => {
    for (const group of groups.values()) group.until = -NEVER;
    dispatch();
  };

  const record = (
    grant: Grant,
    { isFirewallBlock, sent, status }: RequestOutcome,
    info: RateLimitInfo | undefined,
    at: number,
  ): void => {
    const { state } = backend!;
    if (sent === false) cancel(state, grant, core);
    else {
      settle(state, grant, { status, info }, at, core);
      if (isRejection(status, isFirewallBlock, errors))
        recordRejection(state.errors, grant.route, status, isFirewallBlock, at, errors);
      if (status === 429)
        onEvent?.({ type: "violation", policy: info?.policy ?? realName(grant.policies[0]) });
    }
    inFlight--;
    wake();
  };

  return {
    options,
    groups,
    now,
    toWall,
    submit,
    clientErrors,
    isFull,
    waiting: () => waiters().length,
    opened: async (route) => {
      await open();
      await backend!.sync?.({ route: route.route, identity: route.identity ?? "default" });
      return backend!;
    },
    settle: (grant, outcome) => {
      const at = now();
      const isSent = outcome.sent !== false;
      const info =
        isSent && outcome.headers ? options.dialect.read(outcome.headers, clock.wall()) : undefined;
      const recordIt = (time = at): void => record(grant, outcome, info, time);
      return backend!.settle
        ? backend!.settle(grant, isSent, recordIt, info)
        : (recordIt(), undefined);
    },
    close: async () => {
      stopTimer?.();
      stopTimer = undefined;
      await backend?.close?.();
    },
  };
};
