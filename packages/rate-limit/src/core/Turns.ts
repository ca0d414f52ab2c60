/**
 * The order in which waiting requests are asked about: linear in their number, but for logarithms.
 *
 * Waiters of one route and identity form a group. A group that was refused stands before a
 * ward: the policy or the window that refused it. When a ward opens, one of its groups is asked;
 * if it may go, the next one is. If it may not, the ward closes, and the rest is not touched.
 */
import { getOrMake, NEVER } from "./basics.ts";
import { Heap } from "./heap.ts";
import { STORE_GRACE } from "./StoreAccess.ts";
import { AGEING_MILLIS } from "./Waiter.ts";
import type { Group, Hold, Waiter, Ward } from "./Waiter.ts";

/** Classes are computed anew after this time. */
const RENEWAL_MILLIS = 1000;

/** The first waiter of a group. */
export const headOf = ({ first, waiters }: Group): Waiter => waiters[first]!;

const isEarlier = (a: Group, b: Group): boolean => {
  if (a.class !== b.class) return a.class > b.class;
  if (a.servedAt !== b.servedAt) return a.servedAt < b.servedAt;
  return headOf(a).order < headOf(b).order;
};

const classAt = (group: Group, at: number): number => {
  const { priority, since } = headOf(group);
  return priority + Math.floor((at - since) / AGEING_MILLIS);
};

const renew = (groups: Heap<Group>, at: number): number => {
  groups.renew((group) => {
    group.class = classAt(group, at);
  });
  return at;
};

/** The order. Times are milliseconds of the state's clock. */
export class Turns {
  readonly groups = new Map<string, Group>();
  readonly #ready = new Heap<Group>(isEarlier);
  readonly #wards = new Map<string, Ward>();
  readonly #closed = new Heap<Ward>((a, b) => a.hold.until < b.hold.until);
  readonly #byScope = new Map<string, Set<Ward>>();
  readonly #due = new Heap<Waiter>((a, b) => a.dueAt < b.dueAt);
  #renewedAt = -NEVER;

  /** Lines a waiter up; returns its group, and how many wait before it at least. */
  add(
    waiter: Waiter,
    at: number,
    dueAt = waiter.deadline,
  ): { readonly group: Group; readonly before: number } {
    const group = getOrMake(this.groups, waiter.group, () => newGroup(waiter));
    const index = placeOf(group, waiter);
    if (index === group.waiters.length) group.waiters.push(waiter);
    else group.waiters.splice(index, 0, waiter);
    waiter.state = "waiting";
    waiter.dueAt = dueAt;
    if (waiter.slot === -1) this.#due.push(waiter);
    else this.#due.move(waiter);
    // Another first one may be of a higher class, which has more places.
    if (index === group.first) this.#ask(group, at);
    return { group, before: Math.max(0, index - group.gone) };
  }

  /** Takes a waiter out for good. */
  remove(waiter: Waiter, at: number): void {
    const { state } = waiter;
    waiter.state = "gone";
    this.#due.remove(waiter);
    if (state !== "waiting") return;
    const group = this.groups.get(waiter.group)!;
    const wasFirst = headOf(group) === waiter;
    this.#leave(group);
    if (group.first === group.waiters.length) {
      this.groups.delete(group.key);
      this.#detach(group);
      if (group.ward) this.#openNext(group.ward, group.isReady, at);
    } else if (wasFirst) this.#moved(group, at);
  }

  /** The group whose turn it is. */
  next(at: number): Group | undefined {
    if (at - this.#renewedAt > RENEWAL_MILLIS) this.#renewedAt = renew(this.#ready, at);
    return this.#ready.first;
  }

  /** The first waiter of the ready group may go, unless the store says otherwise. */
  take(group: Group, at: number, serial: number): Waiter {
    const waiter = headOf(group);
    this.#detach(group);
    waiter.state = "asking";
    // Who waits for nothing else has the time to hear the store.
    waiter.dueAt = Math.max(waiter.deadline, at + STORE_GRACE);
    this.#due.move(waiter);
    this.#leave(group);
    group.servedAt = serial;
    const { ward } = group;
    if (group.first === group.waiters.length) this.groups.delete(group.key);
    else if (ward) this.#stand(group, ward, at);
    else this.#makeReady(group, at);
    if (ward) this.#openNext(ward, true, at);
    return waiter;
  }

  /** The group has to wait. */
  hold(group: Group, hold: Hold, at: number): void {
    const before = group.ward;
    const ward = getOrMake(this.#wards, hold.key, () => this.#newWard(hold));
    this.#detach(group);
    group.ward = ward;
    this.#stand(group, ward, at);
    this.#closed.remove(ward);
    Object.assign(ward, { hold, isOpen: false });
    this.#closed.push(ward);
    if (before) this.#openNext(before, true, at);
  }

  /** Opens what is due. */
  openDue(at: number): void {
    for (let ward = this.#closed.first; ward && ward.hold.until <= at; ward = this.#closed.first)
      this.#open(ward, at);
  }

  /** Opens the wards of a policy for one scope and for all; without a scope those of every one. */
  openPolicy(policy: string, at: number, scope?: string): void {
    const isOf = ({ hold }: Ward): boolean => hold.policy === policy;
    const wards =
      scope === undefined
        ? [...this.#wards.values()].filter(isOf)
        : ["", scope].flatMap((each) => [
            ...(this.#byScope.get(scopeOf({ policy, scope: each })) ?? []),
          ]);
    for (const ward of wards) this.#open(ward, at);
  }

  openAll(at: number): void {
    const wards = [...this.#wards.values()];
    for (const ward of wards) this.#open(ward, at);
  }

  /** The waiter whose time is over, if there is one. */
  overdue(at: number): Waiter | undefined {
    const { first } = this.#due;
    return first && first.dueAt <= at ? first : undefined;
  }

  /** The store is open: nobody needs the time to hear of it any more. */
  storeOpened(): void {
    for (const waiter of this.all()) {
      waiter.dueAt = waiter.deadline;
      this.#due.move(waiter);
    }
  }

  get size(): number {
    return this.#due.items.length;
  }

  /** All who wait, or of whom the store is asked. */
  all(): ReadonlyArray<Waiter> {
    return [...this.#due.items];
  }

  /** The time at which a ward opens, and the one at which a waiter's time is over. */
  wakeAt(): readonly [opens: number, overdue: number] {
    return [this.#closed.first?.hold.until ?? NEVER, this.#due.first?.dueAt ?? NEVER];
  }

  /** A group of which another one is first has to be asked anew. */
  #ask(group: Group, at: number): void {
    if (group.isReady) this.#moved(group, at);
    else {
      const { ward } = group;
      this.#detach(group);
      group.ward = undefined;
      this.#makeReady(group, at);
      if (ward) this.#openNext(ward, false, at);
    }
  }

  #newWard(hold: Hold): Ward {
    const ward = {
      hold,
      isOpen: false,
      groups: new Heap<Group>(isEarlier),
      renewedAt: -NEVER,
      slot: -1,
    };
    getOrMake(this.#byScope, scopeOf(hold), () => new Set<Ward>()).add(ward);
    return ward;
  }

  #open(ward: Ward, at: number): void {
    this.#closed.remove(ward);
    if (ward.isOpen) return;
    ward.isOpen = true;
    if (at - ward.renewedAt > RENEWAL_MILLIS) ward.renewedAt = renew(ward.groups, at);
    this.#openNext(ward, true, at);
  }

  /** The group of the ward that was asked is through: asks the next one, if the ward is open. */
  #openNext(ward: Ward, wasAsked: boolean, at: number): void {
    const { first } = ward.groups;
    if (first && ward.isOpen && wasAsked) {
      ward.groups.remove(first);
      this.#makeReady(first, at);
    } else if (!first && (wasAsked || !ward.isOpen)) this.#forget(ward);
  }

  #forget(ward: Ward): void {
    const { hold } = ward;
    if (this.#wards.get(hold.key) !== ward) return;
    this.#closed.remove(ward);
    this.#wards.delete(hold.key);
    const scope = this.#byScope.get(scopeOf(hold))!;
    scope.delete(ward);
    if (scope.size === 0) this.#byScope.delete(scopeOf(hold));
  }

  #makeReady(group: Group, at: number): void {
    group.isReady = true;
    group.class = classAt(group, at);
    this.#ready.push(group);
  }

  #stand(group: Group, ward: Ward, at: number): void {
    group.isReady = false;
    group.class = classAt(group, at);
    ward.groups.push(group);
  }

  #detach(group: Group): void {
    if (group.isReady) this.#ready.remove(group);
    else group.ward?.groups.remove(group);
  }

  #moved(group: Group, at: number): void {
    group.class = classAt(group, at);
    if (group.isReady) this.#ready.move(group);
    else group.ward!.groups.move(group);
  }

  #leave(group: Group): void {
    group.gone++;
    const { waiters } = group;
    while (group.first < waiters.length && headOf(group).state !== "waiting") group.first++;
    if (group.gone * 2 <= waiters.length) return;
    // One that was put back stands once more before the first.
    group.waiters = waiters.slice(group.first).filter(({ state }) => state === "waiting");
    group.first = 0;
    group.gone = 0;
  }
}

const scopeOf = ({ policy = "", scope = "" }: Pick<Hold, "policy" | "scope">): string =>
  `${policy}\n${scope}`;

const newGroup = ({ group: key, identity, route }: Waiter): Group => ({
  key,
  route,
  identity,
  waiters: [],
  first: 0,
  gone: 0,
  ward: undefined,
  isReady: false,
  class: 0,
  servedAt: -NEVER,
  slot: -1,
});

/** Index behind all of a higher rank, and of the same rank that came before. */
const placeOf = ({ first, waiters }: Group, { order, rank }: Waiter): number => {
  let low = first;
  let high = waiters.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = waiters[middle]!;
    if (other.rank > rank || (other.rank === rank && other.order < order)) low = middle + 1;
    else high = middle;
  }
  return low;
};
