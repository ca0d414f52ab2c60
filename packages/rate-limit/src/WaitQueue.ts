/**
 * Orders waiting requests. Requests of one route and identity form a group: the highest priority
 * first, then the oldest. Groups of one priority take turns, and a group whose window is full
 * delays no other group.
 */
import { type Grant, isCertain, type Wait } from "./plan.ts";

export interface Waiter<Decision> {
  readonly route: string;
  readonly identity: string;
  readonly priority: number;
  readonly since: number;
  readonly deadline: number;
  readonly decision: Decision;
}

interface Group<Decision> {
  /** The waiting requests in the order in which they are granted. Never empty. */
  readonly waiters: Array<Waiter<Decision>>;
  /** The wait of the first request, or `undefined` if the next pass has to decide on it. */
  wait: Wait | undefined;
  servedAt: number;
}

/** An exception during the decision on a request. Other requests are not affected. */
export interface Defect {
  readonly defect: unknown;
}

export interface Pass<Decision> {
  readonly granted: Array<readonly [Waiter<Decision>, Grant | Defect]>;
  readonly held: Array<readonly [Group<Decision>, Wait]>;
}

/** A group in a pass: the index of its next request, and the turn of its last grant. */
interface Candidate<Decision> {
  readonly group: Group<Decision>;
  next: number;
  turn: number;
}

/** After each such time, the priority of a waiting request rises by one. */
const RISE_MILLIS = 30_000;

const rank = ({ priority, since }: Waiter<unknown>): number => since - priority * RISE_MILLIS;

const groupKey = ({ identity, route }: Pick<Waiter<unknown>, "identity" | "route">): string =>
  `${route}\n${identity}`;

export class WaitQueue<Decision> {
  readonly #groups = new Map<string, Group<Decision>>();
  #turn = 0;
  size = 0;

  /** Adds a request, or returns its group's wait if the wait certainly exceeds the deadline. */
  add(waiter: Waiter<Decision>): Wait | undefined {
    const key = groupKey(waiter);
    const group = this.#groups.get(key) ?? { waiters: [], wait: undefined, servedAt: 0 };
    const { wait, waiters } = group;
    let place = waiters.length;
    while (place > 0 && rank(waiters[place - 1]!) > rank(waiter)) place--;
    if (wait && isCertain(wait)) {
      const { window } = wait;
      // The requests ahead in the group fill the window first.
      const rounds = window ? Math.floor(place / window.max) * window.period : 0;
      if (wait.until + rounds > waiter.deadline) return { ...wait, until: wait.until + rounds };
    }
    waiters.splice(place, 0, waiter);
    this.#groups.set(key, group);
    this.size++;
    if (place === 0) group.wait = undefined;
    return undefined;
  }

  /** Removes a request. Returns `false` if the request is not in the queue. */
  remove(waiter: Waiter<Decision>): boolean {
    const key = groupKey(waiter);
    const group = this.#groups.get(key);
    const index = group ? group.waiters.indexOf(waiter) : -1;
    if (!group || index < 0) return false;
    group.waiters.splice(index, 1);
    this.size--;
    if (group.waiters.length === 0) this.#groups.delete(key);
    return true;
  }

  removeAll(): ReadonlyArray<Waiter<Decision>> {
    const all = [...this.#groups.values()].flatMap(({ waiters }) => waiters);
    this.#groups.clear();
    this.size = 0;
    return all;
  }

  /** Returns the wait of the request's group, or `undefined` if it is not decided. */
  waitFor(waiter: Waiter<Decision>): Wait | undefined {
    return this.#groups.get(groupKey(waiter))?.wait;
  }

  /**
   * Drops the waits that a response for an identity may have changed, so that the next pass decides
   * again. Without an identity: drops all waits.
   */
  wake(identity?: string): void {
    for (const group of this.#groups.values()) {
      const { wait, waiters } = group;
      const isAffected = identity === undefined || identity === waiters[0]!.identity;
      if (wait && (isAffected || wait.isShared || !isCertain(wait))) group.wait = undefined;
    }
  }

  /**
   * Decides on the groups whose wait has ended, in turn, until `decide` returns `undefined`.
   * Changes nothing in the queue, because a transaction may run again.
   */
  pass(
    now: number,
    decide: (waiter: Waiter<Decision>) => Grant | Wait | Defect | undefined,
  ): Pass<Decision> {
    const pass: Pass<Decision> = { granted: [], held: [] };
    const compare = order(now);
    const candidates = [...this.#groups.values()]
      .filter(({ wait }) => !wait || wait.until <= now)
      .map((group): Candidate<Decision> => ({ group, next: 0, turn: group.servedAt }))
      .toSorted(compare);
    // A wait with `isShared` applies to all identities of a route, so one decision is enough.
    const shared = new Map<string, Wait>();
    let turn = this.#turn;
    while (candidates.length > 0) {
      const candidate = candidates.shift()!;
      const { group, next } = candidate;
      const waiter = group.waiters[next]!;
      const decision = shared.get(waiter.route) ?? decide(waiter);
      if (!decision) break;
      if ("until" in decision) {
        pass.held.push([group, decision]);
        if (decision.isShared) shared.set(waiter.route, decision);
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

  /** Removes a request that a pass has granted. Returns `false` if it has left the queue before. */
  grant(waiter: Waiter<Decision>): boolean {
    const group = this.#groups.get(groupKey(waiter));
    if (group) group.servedAt = ++this.#turn;
    return this.remove(waiter);
  }

  /** Records the waits of a pass. Removes and returns the requests that miss their deadline. */
  recordWaits(
    { held }: Pass<Decision>,
    now: number,
  ): ReadonlyArray<readonly [waiter: Waiter<Decision>, wait: Wait]> {
    const late = held.flatMap(([group, wait]) => {
      group.wait = wait;
      const until = isCertain(wait) ? wait.until : now;
      return group.waiters
        .filter(({ deadline }) => deadline < until || deadline <= now)
        .map((waiter) => [waiter, wait] as const);
    });
    for (const [waiter] of late) this.remove(waiter);
    return late;
  }

  /** Returns the time at which the next wait ends, or `Infinity` without waits. */
  next(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { wait } of this.#groups.values()) if (wait && wait.until < next) next = wait.until;
    return next;
  }
}

/** Orders candidates by the priority of their next waiters, then by turn, then by age. */
const order =
  (now: number) =>
  <Decision>(a: Candidate<Decision>, b: Candidate<Decision>): number => {
    const first = a.group.waiters[a.next]!;
    const second = b.group.waiters[b.next]!;
    return level(second, now) - level(first, now) || a.turn - b.turn || first.since - second.since;
  };

const level = ({ priority, since }: Waiter<unknown>, now: number): number =>
  Math.floor(priority + (now - since) / RISE_MILLIS);
