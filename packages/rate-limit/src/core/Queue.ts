/**
 * Waiting requests, the planner, and a store. The queue knows neither promises of callers nor
 * effects: an entry brings a clock and turns callbacks into its own kind of value.
 */
import type { ClientErrorsSnapshot, LimitedRoute, NotSentReason } from "../Model.ts";
import type { LimiterEvent, RequestOutcome } from "../Model.ts";
import type { RateLimitDialect, RateLimitInfo } from "../RateLimitDialect.ts";
import { StoreError } from "../RequestNotSentError.ts";
import type { InFlight } from "../RequestNotSentError.ts";
import type { Backend, Clock, Store } from "../Store.ts";
import { blockOf, expire, isRejection, pacedUntil, recordRejection } from "./ClientErrors.ts";
import type { ClientErrorOptions } from "./ClientErrors.ts";
import { NEVER } from "./basics.ts";
import { settle } from "./learn.ts";
import { expireLeases, firstDeadline } from "./leases.ts";
import { cancel, tryAcquire } from "./plan.ts";
import type { Wait } from "./plan.ts";
import type { Grant } from "./State.ts";
import {
  attempt,
  bounded,
  isBackend,
  isRefusal,
  soundInfo,
  soundOutcome,
  soundPoll,
  started,
} from "./sound.ts";
import { logScope, policiesOf, realName, signatureOf } from "./State.ts";
import type { CoreOptions, State } from "./State.ts";
import { headOf, rankOf, Turns } from "./Turns.ts";
import type { Delivery, Group, Hold, Submission, Waiter } from "./Turns.ts";

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

/** A store that does not answer for this time fails. */
const STORE_MILLIS = 10_000;
const LONGEST_TIMER = 2 ** 31 - 1;

/** Makes a queue. */
export const makeQueue = (options: QueueOptions, clock: Clock): Queue => new Queue(options, clock);

/** See the module. */
export class Queue {
  readonly options: QueueOptions;
  readonly #clock: Clock;
  readonly #turns = new Turns();
  readonly #self = Math.random().toString(36).slice(2, 10);
  #backend: Backend | undefined;
  #opening: Promise<Backend> | undefined;
  #stopTimer: (() => void) | undefined;
  #timerAt = NEVER;
  #serial = 0;
  #offset = 0;
  #isBusy = false;
  #isSyncing = false;
  #isPaused = false;
  #isClosed = false;
  #idle: Array<() => void> = [];

  constructor(options: QueueOptions, clock: Clock) {
    this.options = options;
    this.#clock = clock;
  }

  get groups(): ReadonlyMap<string, Group> {
    return this.#turns.groups;
  }

  /** Monotonic milliseconds of the state. */
  now(): number {
    // A time that is none would make every comparison false, and the queue spin.
    const offset = attempt(
      () => this.#backend?.offset?.() ?? 0,
      () => this.#offset,
    );
    if (Number.isFinite(offset)) this.#offset = offset;
    return this.#clock.now() + this.#offset;
  }

  /** An instant as milliseconds since 1970. */
  toWall(at: number): number {
    return Math.round(at - this.now() + this.#clock.wall());
  }

  /** The state and the store behind it, opened and up to date for a route. */
  async opened({ identity = "default", route }: LimitedRoute): Promise<Backend> {
    return this.#within(
      (async () => {
        await this.#open();
        await this.#backend!.sync?.({ route, identity });
        return this.#backend!;
      })(),
    );
  }

  /** The reason why nothing goes on any route, if there is one. */
  get halt(): "paused" | "concurrency" | undefined {
    if (this.#isPaused) return "paused";
    const { size = 0 } = this.#backend?.state.leases ?? {};
    return size >= this.options.maxInFlight ? "concurrency" : undefined;
  }

  waiting(): number {
    return this.#turns.size;
  }

  clientErrors({ state }: Backend, at: number): ClientErrorsSnapshot {
    const { errors } = this.options;
    expire(state.errors, at, errors);
    return {
      count: state.errors.times.length,
      blocking: state.errors.blocking.length,
      max: errors.max,
      windowMillis: errors.window,
    };
  }

  /** Lines a request up; returns what takes it out again. */
  submit(submission: Submission, delivery: Delivery): () => void {
    if (this.#isClosed) {
      delivery.refused({ kind: "closed", retryAfterMillis: 0 });
      return () => undefined;
    }
    this.#open()?.catch(() => undefined);
    const since = this.now();
    const waiter = this.#waiterOf(submission, delivery, since);
    const { before, group } = this.#turns.add(waiter, since);
    this.#dispatch();
    // Known at once, where the group waits already.
    if (waiter.state === "waiting" && this.#backend)
      this.#refuseIfLate(group, waiter, before, since);
    return () => {
      this.#turns.remove(waiter, this.now());
      this.#checkIdle();
    };
  }

  #waiterOf(submission: Submission, delivery: Delivery, since: number): Waiter {
    const { counted = true, identity = "default", priority = 0, route } = submission;
    const deadline = since + (submission.maxWaitMillis ?? this.options.maxWait);
    return {
      group: `${counted ? "+" : "-"}${identity}\n${route}`,
      route,
      identity,
      counted,
      priority,
      rank: rankOf(priority, since),
      order: this.#serial++,
      since,
      deadline,
      delivery,
      dueAt: deadline,
      state: "waiting",
      slot: -1,
    };
  }

  /** Records the outcome of a granted request. Resolves when it is recorded everywhere. */
  settle(grant: Grant, told: RequestOutcome): Promise<void> | undefined {
    const at = this.now();
    const outcome = soundOutcome(told);
    const isSent = outcome.sent !== false;
    const info = isSent && outcome.headers ? this.#read(outcome.headers) : undefined;
    let isRecorded = false;
    const record = (time = at): void => {
      if (!isRecorded) this.#record(grant, outcome, info, time);
      isRecorded = true;
    };
    const backend = this.#backend!;
    if (!backend.settle) {
      record();
      return undefined;
    }
    const settling = started(() => backend.settle!(grant, isSent, record, info));
    // A store that fails or hangs keeps nobody's place.
    return settling && this.#within(settling).finally(() => record());
  }

  /** Nothing is granted until `resume`. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#dispatch();
  }

  /** Refuses all that wait. */
  clear(kind: NotSentReason = "cleared"): void {
    const at = this.now();
    for (const waiter of this.#turns.all()) this.#refuse(waiter, { kind, until: at }, at);
  }

  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#checkIdle();
    });
  }

  /** Refuses what waits, writes what is not written yet, and ends all timers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.clear("closed");
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#backend?.close) await this.#within(this.#backend.close());
  }

  #open(): Promise<Backend> | undefined {
    if (this.#backend || this.#opening) return this.#opening;
    const { core, key, store } = this.options;
    const context = { key, core, clock: this.#clock, self: this.#self };
    const opened = started<Backend | Promise<Backend>>(() => store.open(context));
    if (isBackend(opened)) {
      this.#backend = opened;
      return undefined;
    }
    this.#opening = this.#within(Promise.resolve(opened)).then((ready) => {
      if (!isBackend(ready)) throw new StoreError("it opened nothing", undefined);
      this.#backend = ready;
      this.#dispatch();
      return ready;
    });
    this.#opening.catch((cause) => {
      // The next request tries again.
      this.#opening = undefined;
      for (const waiter of this.#turns.all()) this.#fail(waiter, cause);
    });
    return this.#opening;
  }

  /** Grants what may go now, refuses what would wait too long, and sets the timer for the rest. */
  #dispatch(): void {
    if (this.#isBusy || this.#isClosed) return;
    this.#isBusy = true;
    try {
      const at = this.now();
      if (this.#backend) {
        this.#expire(this.#backend, at);
        this.#turns.openDue(at);
        this.#refuseBlocked(this.#backend, at);
        this.#grant(this.#backend, at);
      }
      this.#refuseOverdue(at);
      this.#setTimer(at);
    } finally {
      this.#isBusy = false;
    }
    this.#checkIdle();
  }

  #expire({ state }: Backend, at: number): void {
    for (const grant of expireLeases(state, at)) {
      this.#tell({ type: "lost", route: grant.route, afterMillis: at - grant.grantedAt });
      for (const name of grant.policies) this.#turns.openPolicy(name, grant.identity, true, at);
    }
  }

  #refuseBlocked({ state }: Backend, at: number): void {
    const block = this.waiting() > 0 ? blockOf(state.errors, at, this.options.errors) : undefined;
    if (block) for (const waiter of this.#turns.all()) this.#refuse(waiter, block, at);
  }

  #grant(backend: Backend, at: number): void {
    const group = (): Group | undefined => (this.halt ? undefined : this.#turns.next(at));
    for (let next = group(); next; next = group()) this.#serve(backend, next, at);
  }

  #serve(backend: Backend, group: Group, at: number): void {
    const { core, errors } = this.options;
    const { counted, identity, route } = group;
    const { state } = backend;
    const paced = pacedUntil(state.errors, route, at, errors);
    if (paced > at) {
      const until = { until: paced, soonest: paced };
      this.#hold(group, { key: `errors\n${route}`, ...until, reason: "client-errors" }, at);
      return;
    }
    const reserve = this.#placesKept(headOf(group).priority);
    const ask = { id: `${this.#self}${this.#serial++}`, route, identity, counted, reserve };
    const answer = tryAcquire(state, ask, at, core);
    if ("until" in answer) {
      this.#hold(group, this.#holdOf(answer, ask), at);
      return;
    }
    if (state.errors.routes.has(route)) state.errors.pacedAt = at;
    const waiter = this.#turns.take(group, at, at + STORE_MILLIS, this.#serial);
    this.#reserve(backend, waiter, answer);
  }

  #placesKept(priority: number): number {
    const { reserve } = this.options;
    return reserve.reduce((sum, [above, places]) => sum + (priority < above ? places : 0), 0);
  }

  #holdOf(
    { policy, reason, soonest, until, window }: Wait,
    ask: { identity: string; reserve: number },
  ): Hold {
    const scope = window ? logScope(window, ask.identity, this.options.core) : "";
    const key = `${reason} ${ask.reserve}\n${policy}\n${window?.key}\n${scope}`;
    return { key, policy, scope, until, soonest, reason, window };
  }

  /** Asks the store, if it has a say, and delivers. */
  #reserve(backend: Backend, waiter: Waiter, grant: Grant): void {
    const reserving = started(() => backend.reserve?.(grant));
    if (reserving) void this.#decide(waiter, grant, reserving);
    else this.#deliver(waiter, grant);
  }

  async #decide(
    waiter: Waiter,
    grant: Grant,
    reserving: Promise<number | undefined>,
  ): Promise<void> {
    let until: number | undefined;
    try {
      until = await reserving;
      if (until !== undefined && !(until >= -NEVER))
        throw new StoreError("its reply is not a time", undefined);
    } catch (cause) {
      cancel(this.#backend!.state, grant, this.options.core);
      this.#fail(waiter, cause);
      this.#dispatch();
      return;
    }
    if (until !== undefined) this.#askAgain(waiter, grant, until);
    // Who left in the meantime gives the place back.
    else if (waiter.state === "gone")
      await this.settle(grant, { status: undefined, sent: false })?.catch(() => undefined);
    else this.#deliver(waiter, grant);
  }

  /** Another process was faster. */
  #askAgain(waiter: Waiter, grant: Grant, until: number): void {
    cancel(this.#backend!.state, grant, this.options.core);
    const at = this.now();
    if (waiter.state !== "gone") {
      const { group } = this.#turns.add(waiter, at);
      const hold = {
        key: `store\n${group.key}`,
        policy: grant.policies.at(-1),
        scope: group.identity,
      };
      // A time in the past, again and again, would leave no turn to anything else.
      const opens = Math.max(until, at + 1);
      this.#hold(group, { ...hold, until: opens, soonest: opens, reason: "window" }, at);
    }
    this.#dispatch();
  }

  #fail(waiter: Waiter, cause: unknown): void {
    if (waiter.state === "gone") return;
    this.#turns.remove(waiter, this.now());
    waiter.delivery.failed(cause);
  }

  #deliver(waiter: Waiter, grant: Grant): void {
    const at = this.now();
    this.#turns.remove(waiter, at);
    const policy = namedIn(grant);
    const waitedMillis = Math.max(0, at - waiter.since);
    this.#tell({ type: "granted", policy, waitedMillis });
    const { id } = grant;
    waiter.delivery.granted({ id, grantedAt: this.toWall(at), policy, waitedMillis }, grant);
  }

  /** Makes a group wait, and refuses at once what is known to come too late. */
  #hold(group: Group, hold: Hold, at: number): void {
    this.#turns.hold(group, hold, at);
    const { first, waiters } = group;
    let before = waiters.length - group.gone;
    for (let index = waiters.length - 1; index >= first; index--) {
      const waiter = waiters[index]!;
      // Those before it wait less.
      if (waiter.state === "waiting" && !this.#refuseIfLate(group, waiter, --before, at)) return;
    }
  }

  #refuseIfLate({ ward }: Group, waiter: Waiter, before: number, at: number): boolean {
    if (!ward) return false;
    const { soonest, until, window } = ward.hold;
    if (!(soonest > at && until > at && soonest < NEVER)) return false;
    // At best `max` requests go per period.
    const opens = soonest + (window ? Math.floor(before / window.max) * window.period : 0);
    if (opens <= waiter.deadline) return false;
    this.#refuse(waiter, { kind: "wait-too-long", until: opens }, at);
    return true;
  }

  #refuseOverdue(at: number): void {
    for (let late = this.#turns.overdue(at); late; late = this.#turns.overdue(at)) {
      const hold = this.#turns.groups.get(late.group)?.ward?.hold;
      if (!this.#backend || late.state === "asking")
        this.#fail(late, new StoreError("it did not answer in time", undefined));
      else {
        const isFull = this.halt === "concurrency";
        const opens = isFull ? firstDeadline(this.#backend.state) : (hold?.until ?? at);
        const until = opens < NEVER ? Math.max(opens, at) : at;
        this.#refuse(late, { kind: "wait-too-long", until }, at);
      }
    }
  }

  #refuse(waiter: Waiter, why: { kind: NotSentReason; until: number }, at: number): void {
    if (waiter.state === "gone") return;
    const { kind, until } = why;
    const hold = this.#turns.groups.get(waiter.group)?.ward?.hold;
    this.#turns.remove(waiter, at);
    this.#tell({ type: "not-sent", kind });
    const backend = this.#backend;
    const named = backend && policiesOf(backend.state, waiter.route, at).at(-1);
    const isBusy = this.halt || (hold && WAITS_FOR_RESPONSES.has(hold.reason));
    waiter.delivery.refused({
      kind,
      retryAfterMillis: Math.max(0, until - at),
      policy: realName(hold?.policy ?? named),
      rule: hold?.window?.rule,
      inFlight:
        backend && isBusy && kind === "wait-too-long" ? inFlightOf(backend.state, at) : undefined,
      clientErrors:
        backend && kind === "too-many-errors" ? this.clientErrors(backend, at) : undefined,
    });
  }

  #setTimer(at: number): void {
    const { opens, overdue } = this.#turns.wakeAt();
    const isWaiting = this.waiting() > 0;
    const state = this.#backend?.state;
    const poll = soundPoll(this.#backend?.pollMillis);
    const wakeAt = Math.min(
      overdue,
      isWaiting && state ? firstDeadline(state) : NEVER,
      this.#isSyncing ? NEVER : opens > at ? opens : NEVER,
      isWaiting && !this.#isSyncing ? at + poll : NEVER,
    );
    if (wakeAt === this.#timerAt) return;
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#timerAt = wakeAt;
    if (wakeAt === NEVER) return;
    const after = Math.min(Math.max(0, wakeAt - at), LONGEST_TIMER);
    this.#stopTimer = this.#clock.schedule(after, () => {
      this.#timerAt = NEVER;
      this.#stopTimer = undefined;
      this.#sync();
    });
  }

  /** Responses to other processes are not announced to this one: asks the store for them. */
  #sync(): void {
    const [group] = this.#turns.groups.values();
    const backend = this.#backend;
    const syncing = group && !this.#isSyncing ? started(() => backend?.sync?.(group)) : undefined;
    if (!syncing) {
      this.#dispatch();
      return;
    }
    this.#isSyncing = true;
    const wake = (): void => {
      this.#isSyncing = false;
      this.#turns.openAll(this.now());
      this.#dispatch();
    };
    this.#within(syncing).then(wake, wake);
    this.#setTimer(this.now());
  }

  #record(
    grant: Grant,
    outcome: RequestOutcome,
    info: RateLimitInfo | undefined,
    at: number,
  ): void {
    const { core, errors } = this.options;
    const { state } = this.#backend!;
    const { isFirewallBlock } = outcome;
    const { refusals } = this.options.dialect;
    const status = isRefusal(outcome.status, info, refusals) ? 429 : outcome.status;
    const { identity, route } = grant;
    const names = [...new Set([...grant.policies, ...(info?.policy ? [info.policy] : [])])];
    const before = names.map((name) => signatureOf(state, name));
    const known = state.routes.get(route)?.size;
    const wasHeard = state.isHeard;
    if (outcome.sent === false) cancel(state, grant, core);
    else {
      settle(state, grant, { status, info }, at, core);
      if (this.#ask("countsAsError", () => isRejection(status, isFirewallBlock, errors)))
        recordRejection(state.errors, route, status, isFirewallBlock, at, errors);
      if (status === 429) this.#tell({ type: "violation", policy: info?.policy ?? namedIn(grant) });
    }
    if (state.routes.get(route)?.size !== known || state.isHeard !== wasHeard)
      this.#turns.openAll(at);
    for (const [index, name] of names.entries())
      this.#turns.openPolicy(name, identity, signatureOf(state, name) !== before[index], at);
    this.#dispatch();
  }

  /** What a dialect cannot read, or throws on, leaves everything as it was. */
  #read(headers: NonNullable<RequestOutcome["headers"]>): RateLimitInfo | undefined {
    const { dialect } = this.options;
    return soundInfo(this.#ask("dialect", () => dialect.read(headers, this.#clock.wall())));
  }

  /** Asks a callback of the program. */
  #ask<A>(source: "dialect" | "countsAsError", question: () => A): A | undefined {
    return attempt<A | undefined>(question, (cause) => {
      this.#tell({ type: "fault", source, cause });
      return undefined;
    });
  }

  /** Listeners are for metrics: one that throws harms no request. */
  #tell(event: LimiterEvent): void {
    attempt(
      () => this.options.onEvent?.(event),
      () => undefined,
    );
  }

  #within<A>(promise: PromiseLike<A>): Promise<A> {
    return bounded(promise, STORE_MILLIS, this.#clock);
  }

  #checkIdle(): void {
    if (this.#idle.length === 0 || this.waiting() > 0) return;
    if ((this.#backend?.state.leases.size ?? 0) > 0) return;
    const resolved = this.#idle;
    this.#idle = [];
    for (const resolve of resolved) resolve();
  }
}

/** The policy that responses of the route have named; a guess is none. */
const namedIn = ({ guestOf, policies }: Grant): string | undefined =>
  realName(policies.findLast((name) => name !== guestOf && realName(name) !== undefined));

const WAITS_FOR_RESPONSES: ReadonlySet<string> = new Set(["in-flight", "learning"]);

const inFlightOf = ({ leases }: State, at: number): InFlight | undefined => {
  for (const { grantedAt } of leases.values())
    return { count: leases.size, oldestMillis: Math.max(0, at - grantedAt) };
  return undefined;
};
