/**
 * The order of waiting requests. Requests of one route and identity form a group: the highest
 * priority first, then the oldest. Groups of one priority take turns, and a group whose window is
 * full delays no other group.
 */
import { isCertain } from "./plan.ts";
import type { Grant, Wait } from "./plan.ts";

/** A waiting request. */
export interface Waiter<Answer> {
  readonly route: string;
  readonly identity: string;
  readonly priority: number;
  readonly since: number;
  readonly deadline: number;
  readonly answer: Answer;
}

interface Group<Answer> {
  readonly route: string;
  readonly identity: string;
  readonly waiters: Array<Waiter<Answer>>;
  /** The wait of the first waiter. `undefined`: to be decided. */
  wait: Wait | undefined;
  servedAt: number;
}

/** The decisions of one pass over the queue. */
export interface Pass<Answer> {
  readonly granted: Array<readonly [Waiter<Answer>, Grant]>;
  readonly held: Array<readonly [Group<Answer>, Wait]>;
}

/** A group in a pass: its next waiter, and the turn in which it was served last. */
interface Candidate<Answer> {
  readonly group: Group<Answer>;
  next: number;
  turn: number;
}

/** A waiting request rises by one priority after this time. */
const RISE_MILLIS = 30_000;

const rank = ({ priority, since }: Waiter<unknown>): number => since - priority * RISE_MILLIS;

const groupKey = ({ identity, route }: Pick<Waiter<unknown>, "identity" | "route">): string =>
  `${route}\n${identity}`;

/** The waiting requests of one limiter. */
export class WaitQueue<Answer> {
  readonly #groups = new Map<string, Group<Answer>>();
  #turn = 0;
  #size = 0;
  /** No waiter has an earlier deadline. */
  #firstDeadline = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#size;
  }

  get firstDeadline(): number {
    return this.#firstDeadline;
  }

  /** Adds a request. Returns the wait of its group instead, if it certainly exceeds the deadline. */
  add(waiter: Waiter<Answer>): Wait | undefined {
    const { identity, route } = waiter;
    const key = groupKey(waiter);
    let group = this.#groups.get(key);
    if (!group) {
      group = { route, identity, waiters: [], wait: undefined, servedAt: 0 };
      this.#groups.set(key, group);
    }
    const { wait, waiters } = group;
    let place = waiters.length;
    while (place > 0 && rank(waiters[place - 1]!) > rank(waiter)) place--;
    if (wait && isCertain(wait)) {
      const { window } = wait;
      // Those ahead fill the window first.
      const rounds = window ? Math.floor(place / window.max) * window.period : 0;
      if (wait.until + rounds > waiter.deadline) return { ...wait, until: wait.until + rounds };
    }
    waiters.splice(place, 0, waiter);
    this.#size++;
    this.#firstDeadline = Math.min(this.#firstDeadline, waiter.deadline);
    if (place === 0) group.wait = undefined;
    return undefined;
  }

  /** Removes a request. Returns `false` if it no longer waits. */
  remove(waiter: Waiter<Answer>): boolean {
    const key = groupKey(waiter);
    const group = this.#groups.get(key);
    const index = group ? group.waiters.indexOf(waiter) : -1;
    if (!group || index < 0) return false;
    group.waiters.splice(index, 1);
    this.#size--;
    // A timer for the deadline of a request that has left would keep the process alive.
    if (this.#size === 0) this.#firstDeadline = Number.POSITIVE_INFINITY;
    if (group.waiters.length === 0) this.#groups.delete(key);
    return true;
  }

  /** Removes and returns the requests whose deadline is not later than `until`. */
  removeUntil(until: number): ReadonlyArray<Waiter<Answer>> {
    const removed = [...this.#groups.values()].flatMap(({ waiters }) =>
      waiters.filter(({ deadline }) => deadline <= until),
    );
    for (const waiter of removed) this.remove(waiter);
    this.#firstDeadline = this.#deadline();
    return removed;
  }

  /** Decides again on the groups that a change affects. */
  wake(isAffected: (identity: string, wait: Wait) => boolean): void {
    for (const group of this.#groups.values())
      if (group.wait && isAffected(group.identity, group.wait)) group.wait = undefined;
  }

  /**
   * Decides on the groups whose time has come, in turn; `undefined` ends the pass. Changes nothing,
   * because a transaction may run again.
   */
  pass(now: number, decide: (waiter: Waiter<Answer>) => Grant | Wait | undefined): Pass<Answer> {
    const pass: Pass<Answer> = { granted: [], held: [] };
    const candidates = [...this.#groups.values()]
      .filter(({ wait }) => !wait || wait.until <= now)
      .map((group): Candidate<Answer> => ({ group, next: 0, turn: group.servedAt }));
    const compare = order(now);
    if (candidates.length > 1) candidates.sort(compare);
    // All identities of a route wait for a shared reason, so one decision is enough.
    const shared = new Map<string, Wait>();
    let turn = this.#turn;
    while (candidates.length > 0) {
      const candidate = candidates.shift()!;
      const { group, next } = candidate;
      const waiter = group.waiters[next]!;
      const decision = shared.get(group.route) ?? decide(waiter);
      if (!decision) break;
      if ("until" in decision) {
        pass.held.push([group, decision]);
        if (decision.isShared) shared.set(group.route, decision);
        continue;
      }
      pass.granted.push([waiter, decision]);
      candidate.turn = ++turn;
      if (++candidate.next === group.waiters.length) continue;
      const place = candidates.findIndex((other) => compare(candidate, other) < 0);
      candidates.splice(place < 0 ? candidates.length : place, 0, candidate);
    }
    return pass;
  }

  /** Applies the decisions of a pass. */
  commit({ granted, held }: Pass<Answer>): void {
    for (const [waiter] of granted) {
      const group = this.#groups.get(groupKey(waiter));
      if (group) group.servedAt = ++this.#turn;
      this.remove(waiter);
    }
    for (const [group, wait] of held) group.wait = wait;
  }

  /** Returns the next time at which a wait or a deadline ends. */
  next(): number {
    let next = this.#firstDeadline;
    for (const { wait } of this.#groups.values()) if (wait && wait.until < next) next = wait.until;
    return next;
  }

  /** Removes and returns the requests that are late, or certainly will be. */
  removeLate(
    { held }: Pass<Answer>,
    now: number,
  ): ReadonlyArray<readonly [Waiter<Answer>, Wait | undefined]> {
    const late: Array<readonly [Waiter<Answer>, Wait | undefined]> = [];
    for (const [{ waiters }, wait] of held)
      if (isCertain(wait))
        for (const waiter of waiters) if (wait.until > waiter.deadline) late.push([waiter, wait]);
    if (this.#firstDeadline <= now) {
      for (const { wait, waiters } of this.#groups.values())
        for (const waiter of waiters) if (waiter.deadline <= now) late.push([waiter, wait]);
    }
    const removed = late.filter(([waiter]) => this.remove(waiter));
    if (this.#firstDeadline <= now) this.#firstDeadline = this.#deadline();
    return removed;
  }

  #deadline(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { waiters } of this.#groups.values())
      for (const { deadline } of waiters) first = Math.min(first, deadline);
    return first;
  }
}

/** Orders candidates by the priority of their next waiters, then by turn, then by age. */
const order =
  (now: number) =>
  <Answer>(a: Candidate<Answer>, b: Candidate<Answer>): number => {
    const first = a.group.waiters[a.next]!;
    const second = b.group.waiters[b.next]!;
    return level(second, now) - level(first, now) || a.turn - b.turn || first.since - second.since;
  };

const level = ({ priority, since }: Waiter<unknown>, now: number): number =>
  Math.floor(priority + (now - since) / RISE_MILLIS);
