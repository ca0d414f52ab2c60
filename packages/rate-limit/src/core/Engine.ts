/**
 * The limiter at work: waiting requests, the planning core, and a store. It knows neither promises
 * nor effects; a face brings a clock and turns callbacks into its own kind of value.
 */
import type {
  ClientErrorsSnapshot,
  Explanation,
  LimitedRoute,
  NotSentReason,
  Permit,
  RequestOutcome,
  RouteSnapshot,
} from "../Model.ts";
import type { RateLimitDialect } from "../RateLimitDialect.ts";
import type { NotSentDetails } from "../RequestNotSentError.ts";
import type { Store } from "../Store.ts";
import { blockOf, expire, isRejection, pacedUntil, recordRejection } from "./ClientErrors.ts";
import type { ClientErrorOptions } from "./ClientErrors.ts";
import { forecast, snapshotOf } from "./forecast.ts";
import { freeze, thaw } from "./freeze.ts";
import { makeReplica, POLL_MILLIS } from "./Replica.ts";
import type { Replica } from "./Replica.ts";
import { cancel, logOf, newState, policiesOf, settle, tryAcquire } from "./State.ts";
import type { CoreOptions, Grant, State, Wait } from "./State.ts";

/** What the engine needs of its surroundings. */
export interface EngineClock {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** Calls `wake` after `millis`; returns what cancels it. */
  readonly schedule: (millis: number, wake: () => void) => () => void;
}

/** The options of an engine; times in milliseconds. */
export interface EngineOptions {
  readonly store: Store;
  readonly key: string;
  readonly dialect: RateLimitDialect;
  readonly core: CoreOptions;
  readonly errors: ClientErrorOptions;
  readonly maxInFlight: number;
  readonly maxWait: number;
  /** Told of every response and every request that was not sent. */
  readonly onEvent?: ((event: LimiterEvent) => void) | undefined;
}

/** What happens in a limiter, for metrics. */
export type LimiterEvent =
  | { readonly type: "granted"; readonly policy: string | undefined; readonly waitedMillis: number }
  | { readonly type: "not-sent"; readonly kind: NotSentReason }
  | { readonly type: "violation"; readonly policy: string | undefined };

/** A request that waits. */
export interface Submission extends LimitedRoute {
  readonly priority?: number | undefined;
  readonly maxWaitMillis?: number | undefined;
  readonly counted?: boolean | undefined;
}

/** What becomes of a submission: one of these is called, once. */
export interface Delivery {
  readonly granted: (permit: Permit, grant: Grant) => void;
  readonly refused: (details: NotSentDetails) => void;
  readonly failed: (cause: unknown) => void;
}

interface Waiter {
  readonly submission: Submission;
  readonly delivery: Delivery;
  readonly since: number;
  readonly deadline: number;
  readonly order: number;
}

/** Waiting requests that the core treats alike. */
interface Group {
  readonly key: string;
  readonly route: string;
  readonly identity: string;
  waiters: Array<Waiter>;
  until: number;
  wait: Wait | undefined;
  reason: Explanation["reason"];
  servedAt: number;
}

/** A waiting request rises by one class in this time. */
const AGEING_MILLIS = 30_000;
const SAVE_MILLIS = 100;
const LONGEST_TIMER = 2 ** 31 - 1;

export class Engine {
  private readonly groups = new Map<string, Group>();
  private readonly self = Math.random().toString(36).slice(2, 10);
  private readonly replica: Replica | undefined;
  private state: State | undefined;
  private loading: Promise<void> | undefined;
  private stopTimer: (() => void) | undefined;
  private timerAt = Number.POSITIVE_INFINITY;
  private serial = 0;
  private inFlight = 0;
  private stopSaving: (() => void) | undefined;
  private saving: Promise<void> = Promise.resolve();
  private readonly options: EngineOptions;
  private readonly clock: EngineClock;

  constructor(options: EngineOptions, clock: EngineClock) {
    this.options = options;
    this.clock = clock;
    const { key, store } = options;
    if (store.kind === "memory") this.state = store.stateOf(key);
    if (store.kind === "shared") {
      this.state = newState();
      this.replica = makeReplica(store, key, this.state, options.core, clock, (id) =>
        id.startsWith(this.self),
      );
    }
  }

  /** Milliseconds of the clock that the state is kept in. */
  private now(): number {
    return this.clock.now() + (this.replica?.offset() ?? 0);
  }

  private ready(): Promise<void> {
    const { key, store } = this.options;
    this.loading ??= (async () => {
      const loaded = store.kind === "persistent" ? await store.load(key) : undefined;
      this.state =
        thaw(loaded, this.clock.now(), this.clock.wall(), this.options.core) ?? newState();
    })();
    return this.loading;
  }

  /** Number of requests that wait. */
  get waiting(): number {
    let size = 0;
    for (const { waiters } of this.groups.values()) size += waiters.length;
    return size;
  }

  /** Lines a request up; returns what takes it out again. */
  submit(submission: Submission, delivery: Delivery): () => void {
    const now = this.now();
    const waiter: Waiter = {
      submission,
      delivery,
      since: now,
      deadline: now + (submission.maxWaitMillis ?? this.options.maxWait),
      order: this.serial++,
    };
    const identity = submission.identity ?? "default";
    const key = `${submission.counted === false ? "-" : "+"}${identity}\n${submission.route}`;
    let group = this.groups.get(key);
    if (!group) {
      group = {
        key,
        route: submission.route,
        identity,
        waiters: [],
        until: Number.NEGATIVE_INFINITY,
        wait: undefined,
        reason: "concurrency",
        servedAt: Number.NEGATIVE_INFINITY,
      };
      this.groups.set(key, group);
    }
    this.insert(group, waiter);
    if (this.state) {
      this.dispatch();
      // Known at once, where the group waits already.
      if (group.waiters.includes(waiter)) this.refuseLate(group, now);
    } else
      this.ready().then(
        () => this.dispatch(),
        (cause) => {
          this.loading = undefined;
          this.failAll(cause);
        },
      );
    return () => this.take(group, waiter);
  }

  private insert({ waiters }: Group, waiter: Waiter): void {
    const priority = waiter.submission.priority ?? 0;
    let index = waiters.length;
    while (index > 0) {
      const other = waiters[index - 1]!;
      const first = other.submission.priority ?? 0;
      if (first > priority || (first === priority && other.order < waiter.order)) break;
      index--;
    }
    waiters.splice(index, 0, waiter);
  }

  private take(group: Group, waiter: Waiter): void {
    const index = group.waiters.indexOf(waiter);
    if (index === -1) return;
    group.waiters.splice(index, 1);
    if (group.waiters.length === 0) this.groups.delete(group.key);
  }

  private failAll(cause: unknown): void {
    const groups = [...this.groups.values()];
    this.groups.clear();
    for (const { waiters } of groups) for (const { delivery } of waiters) delivery.failed(cause);
  }

  /** Grants what may go now, refuses what would wait too long, and sets the timer for the rest. */
  private dispatch(): void {
    const { state } = this;
    if (!state) return;
    const now = this.now();
    const { errors, maxInFlight } = this.options;
    const block = this.groups.size > 0 ? blockOf(state.errors, now, errors) : undefined;
    if (block) {
      for (const group of this.groups.values())
        for (const waiter of group.waiters.slice())
          this.refuse(group, waiter, block.kind, block.until, now);
      return;
    }
    while (this.inFlight < maxInFlight) {
      const group = this.next(now);
      if (!group) break;
      this.serve(group, now, state);
    }
    this.setTimer(now);
  }

  /** The group whose turn it is: the highest class, then the one that was served longest ago. */
  private next(now: number): Group | undefined {
    let best: Group | undefined;
    let highest = Number.NEGATIVE_INFINITY;
    for (const group of this.groups.values()) {
      if (group.until > now) continue;
      const head = group.waiters[0]!;
      const priority =
        (head.submission.priority ?? 0) + Math.floor((now - head.since) / AGEING_MILLIS);
      if (
        !best ||
        priority > highest ||
        (priority === highest &&
          (group.servedAt < best.servedAt ||
            (group.servedAt === best.servedAt && head.order < best.waiters[0]!.order)))
      ) {
        best = group;
        highest = priority;
      }
    }
    return best;
  }

  private serve(group: Group, now: number, state: State): void {
    const { core, errors } = this.options;
    const waiter = group.waiters[0]!;
    const paced = pacedUntil(state.errors, group.route, now, errors);
    if (paced > now) {
      this.hold(group, paced, "client-errors", undefined, now);
      return;
    }
    const answer = tryAcquire(
      state,
      {
        id: `${this.self}${this.serial++}`,
        route: group.route,
        identity: group.identity,
        counted: waiter.submission.counted ?? true,
      },
      now,
      core,
    );
    if ("until" in answer) {
      this.hold(group, answer.until, answer.reason, answer, now);
      return;
    }
    if (state.errors.routes.has(group.route)) state.errors.pacedAt = now;
    group.servedAt = this.serial;
    this.take(group, waiter);
    this.inFlight++;
    const { store } = this.options;
    if (store.kind === "memory") this.deliver(waiter, answer, now);
    else if (this.replica) this.reserve(this.replica, group, waiter, answer);
    else if (this.isHalfFull(answer, state))
      this.save().then(
        () => this.deliver(waiter, answer, this.now()),
        (cause) => this.abandon(waiter, answer, cause),
      );
    else {
      this.saveSoon();
      this.deliver(waiter, answer, now);
    }
  }

  private deliver({ delivery, since }: Waiter, grant: Grant, now: number): void {
    const policy = grant.policies.findLast((name) => !name.startsWith("?"));
    const waitedMillis = Math.max(0, now - since);
    this.options.onEvent?.({ type: "granted", policy, waitedMillis });
    const grantedAt = this.toWall(now);
    delivery.granted({ id: grant.id, grantedAt, policy, waitedMillis }, grant);
  }

  private toWall(at: number): number {
    return Math.round(at - this.now() + this.clock.wall());
  }

  private reserve(replica: Replica, group: Group, waiter: Waiter, grant: Grant): void {
    const decided = (until: number | undefined): void => {
      const now = this.now();
      if (until === undefined) {
        this.deliver(waiter, grant, now);
        return;
      }
      // Another process was faster.
      this.inFlight--;
      cancel(this.state!, grant, this.options.core);
      const known = this.groups.get(group.key) ?? group;
      this.groups.set(group.key, known);
      this.insert(known, waiter);
      this.hold(known, until, "window", undefined, now);
      this.dispatch();
    };
    replica.reserve(grant).then(decided, (cause) => this.abandon(waiter, grant, cause));
  }

  private abandon({ delivery }: Waiter, grant: Grant, cause: unknown): void {
    this.inFlight--;
    cancel(this.state!, grant, this.options.core);
    delivery.failed(cause);
    this.dispatch();
  }

  private hold(
    group: Group,
    until: number,
    reason: Explanation["reason"],
    wait: Wait | undefined,
    now: number,
  ): void {
    group.until = until;
    group.wait = wait;
    group.reason = reason;
    this.refuseLate(group, now);
  }

  /** Refuses at once what can be known to come too late, and what has waited long enough. */
  private refuseLate(group: Group, now: number): void {
    const { until, wait } = group;
    const soonest = wait ? wait.soonest : until;
    const isCertain = Number.isFinite(soonest) && soonest > now && until > now;
    const window = wait?.rule
      ? this.state?.policies
          .get(wait.policy)
          ?.windows.find((each) => each.rule === wait.rule && each.period === wait.period)
      : undefined;
    for (let index = group.waiters.length - 1; index >= 0; index--) {
      const waiter = group.waiters[index]!;
      // At best `max` requests go per period.
      const behind = window ? Math.floor(index / window.max) * window.period : 0;
      const opens = isCertain ? soonest + behind : now;
      if (waiter.deadline <= now || opens > waiter.deadline)
        this.refuse(group, waiter, "wait-too-long", Math.max(opens, waiter.deadline), now);
    }
  }

  private refuse(
    group: Group,
    waiter: Waiter,
    kind: NotSentReason,
    until: number,
    now: number,
  ): void {
    this.take(group, waiter);
    this.options.onEvent?.({ type: "not-sent", kind });
    const named = policiesOf(this.state!, group.route, now).at(-1);
    waiter.delivery.refused({
      kind,
      retryAfterMillis: Math.max(0, until - now),
      policy: group.wait?.policy ?? (named?.startsWith("?") ? undefined : named),
      rule: group.wait?.rule,
      clientErrors: kind === "too-many-errors" ? this.clientErrors(now) : undefined,
    });
  }

  private clientErrors(now: number): ClientErrorsSnapshot {
    const { errors } = this.options;
    expire(this.state!.errors, now, errors);
    return {
      count: this.state!.errors.times.length,
      blocking: this.state!.errors.blocking.length,
      max: errors.max,
      windowMillis: errors.window,
    };
  }

  private setTimer(now: number): void {
    let at = Number.POSITIVE_INFINITY;
    for (const { until, waiters } of this.groups.values()) {
      if (until > now) at = Math.min(at, until);
      for (const { deadline } of waiters) at = Math.min(at, deadline);
    }
    if (this.replica && this.groups.size > 0) at = Math.min(at, now + POLL_MILLIS);
    if (at === this.timerAt) return;
    this.stopTimer?.();
    this.stopTimer = undefined;
    this.timerAt = at;
    if (!Number.isFinite(at)) return;
    const millis = Math.min(Math.max(0, at - now), LONGEST_TIMER);
    this.stopTimer = this.clock.schedule(millis, () => {
      this.timerAt = Number.POSITIVE_INFINITY;
      this.stopTimer = undefined;
      const later = this.now();
      for (const group of this.groups.values()) this.refuseLate(group, later);
      if (this.replica) this.poll(this.replica);
      else this.dispatch();
    });
  }

  /** What other processes have in flight comes back without a word to this one. */
  private poll(replica: Replica): void {
    const [group] = this.groups.values();
    if (!group) return;
    replica.sync(group.route, group.identity).then(
      () => this.wake(),
      () => this.wake(),
    );
  }

  /** Wakes the groups that a response may concern. */
  private wake(): void {
    for (const group of this.groups.values()) group.until = Number.NEGATIVE_INFINITY;
    this.dispatch();
  }

  /** Records the outcome of a granted request. Resolves when it is recorded everywhere. */
  settle(grant: Grant, outcome: RequestOutcome): Promise<void> | undefined {
    const isSent = outcome.sent !== false;
    const info =
      isSent && outcome.headers
        ? this.options.dialect.read(outcome.headers, this.clock.wall())
        : undefined;
    if (!this.replica) {
      this.record(grant, outcome, info, this.now());
      return undefined;
    }
    const { replica } = this;
    return replica.settle(grant, isSent).then(
      () => {
        this.record(grant, outcome, info, this.now());
        return replica.publish(grant);
      },
      (cause) => {
        this.record(grant, outcome, info, this.now());
        throw cause;
      },
    );
  }

  /** The outcome could not be told: the request counts as sent, and its place is free. */
  settleUnknown(grant: Grant): void {
    void this.settle(grant, { status: undefined })?.catch(() => undefined);
  }

  private record(
    grant: Grant,
    outcome: RequestOutcome,
    info: ReturnType<RateLimitDialect["read"]> | undefined,
    now: number,
  ): void {
    const state = this.state!;
    const { core, errors, onEvent } = this.options;
    const { isFirewallBlock, status } = outcome;
    if (outcome.sent === false) cancel(state, grant, core);
    else {
      settle(state, grant, { status, info }, now, core);
      if (isRejection(status, isFirewallBlock, errors))
        recordRejection(state.errors, grant.route, status, isFirewallBlock, now, errors);
      if (status === 429)
        onEvent?.({ type: "violation", policy: info?.policy ?? grant.policies[0] });
    }
    this.inFlight--;
    if (this.options.store.kind === "persistent") this.saveSoon();
    this.wake();
  }

  private isHalfFull(grant: Grant, state: State): boolean {
    return grant.policies.some((name) =>
      state.policies
        .get(name)
        ?.windows.some(
          (window) => logOf(window, grant.identity, this.options.core).hits.length * 2 > window.max,
        ),
    );
  }

  private saveSoon(): void {
    if (this.stopSaving) return;
    this.stopSaving = this.clock.schedule(SAVE_MILLIS, () => {
      this.stopSaving = undefined;
      this.save().catch(() => undefined);
    });
  }

  /** Writes the state; one write at a time, the last one wins. */
  private save(): Promise<void> {
    const { key, store } = this.options;
    if (store.kind !== "persistent" || !this.state) return Promise.resolve();
    this.stopSaving?.();
    this.stopSaving = undefined;
    const frozen = freeze(this.state, this.clock.now(), this.clock.wall());
    const saved = this.saving.then(() => store.save(key, frozen));
    this.saving = saved.catch(() => undefined);
    return saved;
  }

  /** Writes what is not written yet, and ends all timers. */
  async close(): Promise<void> {
    this.stopTimer?.();
    this.stopTimer = undefined;
    if (this.stopSaving) await this.save();
    await this.saving;
  }

  private async loaded(route: string, identity: string): Promise<State> {
    if (!this.state) await this.ready();
    await this.replica?.sync(route, identity);
    return this.state!;
  }

  /** See `Limiter.forecast`. */
  async forecast({ identity = "default", route }: LimitedRoute, count: number) {
    const state = await this.loaded(route, identity);
    const now = this.now();
    const { known, starts } = forecast(state, route, identity, count, now, this.options.core);
    const named = policiesOf(state, route, now).at(-1);
    const startsInMillis = starts.map((at) => at - now);
    return {
      startsInMillis,
      durationMillis: startsInMillis.at(-1) ?? 0,
      known,
      policy: named?.startsWith("?") ? undefined : named,
    };
  }

  /** See `Limiter.snapshot`. */
  async snapshot({ identity = "default", route }: LimitedRoute): Promise<RouteSnapshot> {
    const state = await this.loaded(route, identity);
    const now = this.now();
    const policies = policiesOf(state, route, now)
      .flatMap((name) => state.policies.get(name) ?? [])
      .toReversed();
    const block = blockOf(state.errors, now, this.options.errors);
    return {
      limits:
        (["learned", "none"] as const).find((each) =>
          policies.some(({ limits }) => limits === each),
        ) ?? "unknown",
      policies: policies.map((policy) =>
        snapshotOf(policy, identity, now, this.options.core, (at) => this.toWall(at)),
      ),
      clientErrors: this.clientErrors(now),
      blockedUntil: block && this.toWall(block.until),
    };
  }

  /** Why each waiting request waits. */
  explain(): ReadonlyArray<Explanation> {
    const now = this.now();
    const isFull = this.inFlight >= this.options.maxInFlight;
    return [...this.groups.values()].map(({ identity, reason, route, until, wait, waiters }) => ({
      route,
      identity,
      waiting: waiters.length,
      reason: isFull && until <= now ? "concurrency" : reason,
      policy: wait?.policy.startsWith("?") ? undefined : wait?.policy,
      rule: wait?.rule,
      periodMillis: wait?.period,
      until: Number.isFinite(until) && until > now ? this.toWall(until) : undefined,
    }));
  }
}
