/**
 * The faults of a running sandbox: the rules in force, and which of them hit a request.
 * `perform.ts` carries out what a fault does. Rules live in memory and are part of snapshots.
 *
 * Every rule counts the requests that match it, whether or not it fires, so `nth`, `after` and
 * `every` mean the same however many rules there are. Chance depends on the seed and on that count
 * alone: the same run meets the same faults.
 */
import { isoInstant } from "../internal/instants.ts";
import type { Fault, FaultMatch, FaultRule, FaultStatus } from "./Fault.ts";

/** Properties of a request that a rule can match. */
export interface FaultTarget {
  readonly method: string;
  readonly path: string;
  /** `group.endpoint` in the contract's names, if the path is one of the contract's. */
  readonly endpoint?: string | undefined;
  readonly route?: string | undefined;
  readonly clientId?: string | undefined;
  readonly grantType?: string | undefined;
  /** Names and uuid of the account. */
  readonly accounts?: ReadonlyArray<string | undefined>;
  /** The change id that the request asks for, on endpoints that have one. */
  readonly changeId?: string | undefined;
}

/** The faults that hit a request, and the change ids that they need. */
export interface FaultPlan {
  readonly fired: ReadonlyArray<FiredFault>;
  readonly requestedChangeId: string | undefined;
  /** Change ids that the same client asked the same endpoint for before, oldest first. */
  readonly earlierChangeIds: ReadonlyArray<string>;
}

export interface FiredFault {
  readonly id: string;
  readonly fault: Fault;
}

type Entry = { -readonly [Member in keyof FaultStatus]: FaultStatus[Member] };

/** The rules in force, in the order in which they were added. */
export class FaultRules {
  readonly #entries = new Map<string, Entry>();
  readonly #changeIds = new Map<string, ReadonlyArray<string>>();
  readonly #now: () => number;
  #nextId = 1;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The faults that hit a request, `undefined` when none does. Counts the request. */
  plan(request: FaultTarget): FaultPlan | undefined {
    const earlierChangeIds = this.#remember(request);
    const fired = this.fire(request);
    return fired.length === 0
      ? undefined
      : { fired, requestedChangeId: request.changeId, earlierChangeIds };
  }

  /** Whether the state of redirects is to be forged, whatever the rule matches. */
  forgesState(): boolean {
    this.#expire();
    return [...this.#entries.values()].some(({ rule }) => rule.fault.kind === "forgedState");
  }

  add(rule: FaultRule): FaultStatus {
    const id = rule.id ?? `fault-${this.#nextId++}`;
    const entry: Entry = { id, rule, addedAt: isoInstant(this.#now()), seen: 0, fired: 0 };
    this.#entries.set(id, entry);
    return { ...entry };
  }

  remove(id: string): boolean {
    return this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
    this.#changeIds.clear();
    this.#nextId = 1;
  }

  list(): ReadonlyArray<FaultStatus> {
    this.#expire();
    return [...this.#entries.values()].map((entry) => ({ ...entry }));
  }

  /** Whether there is no rule at all: the ordinary case, which is to cost nothing. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** The faults that hit a request. Counts it. */
  fire(target: FaultTarget): ReadonlyArray<FiredFault> {
    this.#expire();
    const now = this.#now();
    const fired: Array<FiredFault> = [];
    for (const entry of this.#entries.values()) {
      // Redirects are forged by the OAuth server, not on the way of a request.
      if (entry.rule.fault.kind === "forgedState") continue;
      if (!matches(entry.rule.match ?? {}, target)) continue;
      entry.seen += 1;
      if (!isDue(entry, now)) continue;
      entry.fired += 1;
      fired.push({ id: entry.id, fault: entry.rule.fault });
    }
    return fired;
  }

  restore(statuses: ReadonlyArray<FaultStatus>): void {
    this.clear();
    for (const status of statuses) {
      this.#entries.set(status.id, { ...status });
      const number = /^fault-(\d+)$/u.exec(status.id)?.[1];
      if (number !== undefined) this.#nextId = Math.max(this.#nextId, Number(number) + 1);
    }
  }

  /**
   * Notes the id that a request asks for, and answers those before it. Only while there are rules:
   * else it would cost for nothing.
   */
  #remember({ changeId, clientId, endpoint }: FaultTarget): ReadonlyArray<string> {
    const key = `${clientId} ${endpoint}`;
    const known = this.#changeIds.get(key) ?? [];
    if (changeId !== undefined && known.at(-1) !== changeId)
      this.#changeIds.set(key, [...known, changeId].slice(-REMEMBERED_IDS));
    return known;
  }

  #expire(): void {
    const now = this.#now();
    for (const { addedAt, id, rule } of this.#entries.values()) {
      const ttl = rule.when?.ttlSeconds;
      if (ttl !== undefined && now >= Date.parse(addedAt) + ttl * 1000) this.#entries.delete(id);
    }
  }
}

/**
 * So many ids of the past are kept per client and endpoint; a follower that asks back farther does
 * not exist.
 */
const REMEMBERED_IDS = 32;

export const matches = (match: FaultMatch, target: FaultTarget): boolean =>
  (match.endpoint === undefined ||
    match.endpoint === target.endpoint ||
    match.endpoint === target.endpoint?.split(".", 1)[0]) &&
  (match.route ?? target.route) === target.route &&
  target.path.startsWith(match.path ?? "") &&
  (match.method ?? target.method) === target.method &&
  (match.clientId ?? target.clientId) === target.clientId &&
  (match.grantType ?? target.grantType) === target.grantType &&
  (match.account === undefined || target.accounts?.includes(match.account) === true);

const isDue = ({ fired, rule: { when = {} }, seen }: Entry, now: number): boolean =>
  fired < (when.count ?? Infinity) &&
  (when.nth === undefined || [when.nth].flat().includes(seen)) &&
  seen > (when.after ?? 0) &&
  seen % (when.every ?? 1) === 0 &&
  (when.from === undefined || now >= Date.parse(when.from)) &&
  (when.until === undefined || now < Date.parse(when.until)) &&
  (when.probability === undefined || chance(when.seed ?? 1, seen) < when.probability);

/**
 * A number in [0, 1) that depends on both arguments alone (the finaliser of MurmurHash3, over a
 * Weyl sequence).
 */
export const chance = (seed: number, index: number): number => {
  let hash = (Math.imul(seed, 0x85ebca6b) + Math.imul(index, 0x9e3779b9)) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
};
