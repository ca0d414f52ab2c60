/**
 * Waiting requests, the planner, and a store. The queue knows neither promises of callers nor
 * effects: an entry brings a clock and turns callbacks into its own kind of value.
 */
import type { NotSentReason, RequestOutcome } from "../Model.ts";
import type { Backend, Clock } from "../Store.ts";
import { Alarm } from "./Alarm.ts";
import { blockOf } from "./ClientErrors.ts";
import { NEVER } from "./basics.ts";
import { expireLeases, firstDeadline } from "./leases.ts";
import { namedIn, Outcomes } from "./Outcomes.ts";
import { cancel } from "./plan.ts";
import { soundPoll } from "./sound.ts";
import type { Grant } from "./State.ts";
import { silence, STORE_GRACE, StoreAccess } from "./StoreAccess.ts";
import { headOf, Turns } from "./Turns.ts";
import { admit, refusalOf, storeHold, tooLate, waiterOf } from "./Waiter.ts";
import type { Delivery, Group, Hold, QueueOptions, Submission, Waiter } from "./Waiter.ts";

/** See the module. */
export class Queue {
  readonly options: QueueOptions;
  readonly #clock: Clock;
  readonly #turns = new Turns();
  readonly store: StoreAccess;
  readonly #outcomes: Outcomes;
  readonly #alarm: Alarm;
  /** Rings when the oldest lease of a moment ago ends. */
  readonly #watch: Alarm;
  #serial = 0;
  #isBusy = false;
  #isSyncing = false;
  #isPaused = false;
  #isClosed = false;
  readonly #idle: Array<() => void> = [];

  constructor(options: QueueOptions, clock: Clock) {
    this.options = options;
    this.#clock = clock;
    this.store = new StoreAccess(options, clock);
    this.#outcomes = new Outcomes(options);
    this.#alarm = new Alarm(clock.schedule, () => this.#sync());
    this.#watch = new Alarm(clock.watch ?? clock.schedule, () => {
      this.#dispatch();
      this.#watchLeases(this.now());
    });
  }

  get groups(): ReadonlyMap<string, Group> {
    return this.#turns.groups;
  }

  get #backend(): Backend | undefined {
    return this.store.backend;
  }

  /** Monotonic milliseconds of the state. */
  now(): number {
    return this.store.now();
  }

  /** The reason why nothing goes on any route, if there is one. */
  get halt(): "paused" | "concurrency" | undefined {
    if (this.#isPaused) return "paused";
    return this.#inFlight >= this.options.maxInFlight ? "concurrency" : undefined;
  }

  get #inFlight(): number {
    return this.#backend?.state.leases.size ?? 0;
  }

  waiting(): number {
    return this.#turns.size;
  }

  /** Lines a request up; returns what takes it out again. */
  submit(submission: Submission, delivery: Delivery): () => void {
    if (this.#isClosed) {
      this.#outcomes.tell({ type: "not-sent", kind: "closed" });
      delivery.refused({ kind: "closed", retryAfterMillis: 0 });
      return () => undefined;
    }
    this.open()?.catch(() => undefined);
    const since = this.now();
    const { maxWait = this.options.maxWait } = submission;
    const waiter = waiterOf(submission, delivery, { since, deadline: since + maxWait });
    waiter.order = this.#serial++;
    if (this.#grantNow(waiter, since)) return () => undefined;
    const dueAt = Math.max(waiter.deadline, this.#backend ? since : since + STORE_GRACE);
    const { before, group } = this.#turns.add(waiter, since, dueAt);
    this.#dispatch();
    // Known at once, where the group waits already; one that asks the store has its turn.
    if (waiter.state === "waiting") this.#refuseIfLate(group, waiter, before, since);
    return () => {
      this.#turns.remove(waiter, this.now());
      this.#checkIdle();
    };
  }

  /** Grants a request without lining it up, where nobody waits and no store has a say. */
  #grantNow(waiter: Waiter, at: number): boolean {
    const backend = this.#backend;
    if (!backend || backend.reserve || this.#isBusy || this.waiting() > 0) return false;
    this.#expire(backend, at);
    if (this.halt ?? blockOf(backend.state.errors, at, this.options.errors)) return false;
    const answer = this.#plan(backend, waiter, at);
    if ("until" in answer) return false;
    this.#deliver(waiter, answer, at);
    return true;
  }

  /** The answer of the program's `report`: see `Outcomes`. */
  reported<A>(report: () => A): A {
    return this.#outcomes.reported(report);
  }

  /** Records the outcome of a granted request. Resolves when it is recorded everywhere. */
  settle(grant: Grant, told: RequestOutcome): Promise<void> | undefined {
    const came = this.now();
    const outcome = this.#outcomes.outcomeOf(told);
    const { state } = this.#backend!;
    const info = this.#outcomes.read(state, outcome, this.#clock.wall());
    let isRecorded = false;
    const record = (at = came): void => {
      if (isRecorded) return;
      isRecorded = true;
      this.#outcomes.record(state, this.#turns, grant, { outcome, info, at });
      this.#dispatch(this.#backend!.settle ? undefined : came);
    };
    const settling = this.store.settle(grant, outcome.sent !== false, record, info);
    settling?.catch((cause) => this.#outcomes.tell({ type: "fault", source: "store", cause }));
    return settling;
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
  clear(kind: NotSentReason = "cleared", at = this.now(), until = at): void {
    for (const waiter of this.#turns.all()) this.#refuse(waiter, { kind, until }, at);
  }

  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#dispatch();
    });
  }

  /** Refuses what waits, and writes what is not written yet. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.clear("closed");
    this.#watch.stop();
    this.#dispatch();
    return this.store.close();
  }

  /** Opens the store, unless it is open. */
  open(): Promise<Backend> | undefined {
    return this.store.open(
      () => {
        this.#turns.storeOpened();
        this.#dispatch();
      },
      (cause) => {
        for (const waiter of this.#turns.all()) this.#fail(waiter, cause);
      },
    );
  }

  /** Grants what may go now, refuses what would wait too long, and sets the timer for the rest. */
  #dispatch(at = this.now()): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      if (this.#backend) {
        this.#expire(this.#backend, at);
        this.#turns.openDue(at);
        const block = blockOf(this.#backend.state.errors, at, this.options.errors);
        if (block) this.clear(block.kind, at, block.until);
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
      this.#outcomes.tell({ type: "lost", route: grant.route, afterMillis: at - grant.grantedAt });
      for (const name of grant.policies) this.#turns.openPolicy(name, at);
    }
  }

  #grant(backend: Backend, at: number): void {
    const turns = this.#turns;
    for (let group = turns.next(at); group && !this.halt; group = turns.next(at)) {
      const answer = this.#plan(backend, headOf(group), at);
      if ("until" in answer) this.#hold(group, answer, at);
      else this.#reserve(turns.take(group, at, this.#serial), answer);
    }
  }

  #plan({ state }: Backend, waiter: Waiter, at: number): Grant | Hold {
    return admit(state, waiter, { id: `${this.store.self}${this.#serial++}`, at }, this.options);
  }

  /** Asks the store, if it has a say, and delivers. */
  #reserve(waiter: Waiter, grant: Grant): void {
    const reserving = this.store.reserve(grant, () => this.#giveBack(grant));
    if (!reserving) {
      this.#deliver(waiter, grant);
      return;
    }
    const decide = (until: number | undefined): void => {
      if (until !== undefined) this.#askAgain(waiter, grant, until);
      // Who left in the meantime gives the place back.
      else if (waiter.state === "gone") this.#giveBack(grant);
      else this.#deliver(waiter, grant);
    };
    reserving.then(decide, (cause) => {
      cancel(this.#backend!.state, grant, this.options.core);
      this.#fail(waiter, cause);
      this.#dispatch();
    });
  }

  /** Returns the place of a request that is not sent. */
  #giveBack(grant: Grant): void {
    this.settle(grant, { status: undefined, sent: false })?.catch(() => undefined);
  }

  /** Another process was faster. */
  #askAgain(waiter: Waiter, grant: Grant, until: number): void {
    cancel(this.#backend!.state, grant, this.options.core);
    const at = this.now();
    if (waiter.state !== "gone") {
      const { group } = this.#turns.add(waiter, at);
      // A time in the past, again and again, would leave no turn to anything else.
      this.#hold(group, storeHold(group, grant, Math.max(until, at + 1)), at);
    }
    this.#dispatch();
  }

  #fail(waiter: Waiter, cause: unknown): void {
    if (waiter.state === "gone") return;
    this.#turns.remove(waiter, this.now());
    this.#outcomes.tell({ type: "not-sent", kind: "store" });
    waiter.delivery.failed(cause);
  }

  #deliver(waiter: Waiter, grant: Grant, at = this.now()): void {
    this.#turns.remove(waiter, at);
    const policy = namedIn(grant);
    const waitedMillis = Math.max(0, at - waiter.since);
    this.#outcomes.tell({ type: "granted", policy, waitedMillis });
    this.#watchLeases(at);
    waiter.delivery.granted({ id: grant.id, policy, waitedMillis }, grant);
  }

  /** A lease that ends while nobody asks is told all the same. */
  #watchLeases(at: number): void {
    if (!this.#watch.isSet && !this.#isClosed)
      this.#watch.set(firstDeadline(this.#backend!.state), at);
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
    const until = ward && tooLate(ward.hold, waiter.deadline, before, at);
    if (until !== undefined) this.#refuse(waiter, { kind: "wait-too-long", until }, at);
    return until !== undefined;
  }

  #refuseOverdue(at: number): void {
    for (let late = this.#turns.overdue(at); late; late = this.#turns.overdue(at)) {
      const hold = this.#turns.groups.get(late.group)?.ward?.hold;
      if (!this.#backend || late.state === "asking") this.#fail(late, silence());
      else {
        const { halt } = this;
        const opens =
          halt === "concurrency" ? firstDeadline(this.#backend.state) : (hold?.until ?? at);
        const kind = halt === "paused" ? halt : "wait-too-long";
        const until = opens < NEVER ? Math.max(opens, at) : at;
        this.#refuse(late, { kind, until }, at);
      }
    }
  }

  #refuse(waiter: Waiter, why: { kind: NotSentReason; until: number }, at: number): void {
    if (waiter.state === "gone") return;
    if (why.kind === "wait-too-long" && this.store.isSilent(waiter, at)) {
      this.#fail(waiter, silence());
      return;
    }
    const hold = this.#turns.groups.get(waiter.group)?.ward?.hold;
    this.#turns.remove(waiter, at);
    this.#outcomes.tell({ type: "not-sent", kind: why.kind });
    const held = { hold, isFull: this.halt !== undefined, route: waiter.route };
    const state = this.#backend?.state;
    waiter.delivery.refused(refusalOf({ ...why, at }, held, state, this.options.errors));
  }

  #setTimer(at: number): void {
    const [opens, overdue] = this.#turns.wakeAt();
    const { pollMillis, state } = this.#backend ?? {};
    const isWaiting = this.waiting() > 0 || this.#idle.length > 0;
    const looks = isWaiting ? at + soundPoll(pollMillis) : NEVER;
    const wakeAt = Math.min(
      overdue,
      isWaiting && state ? firstDeadline(state) : NEVER,
      this.#isSyncing ? NEVER : Math.min(opens, looks),
    );
    this.#alarm.set(wakeAt, at);
  }

  /** Responses to other processes are not announced to this one: asks the store for them. */
  #sync(): void {
    const [group] = this.#turns.groups.values();
    const syncing = group && !this.#isSyncing ? this.store.sync(group) : undefined;
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
    syncing.then(wake, wake);
    this.#setTimer(this.now());
  }

  #checkIdle(): void {
    if (this.waiting() > 0 || this.#inFlight > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
