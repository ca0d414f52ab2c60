/**
 * The faults of a running sandbox: the rules in force, and which of them hit a request.
 *
 * `performFaults` carries out what a fault does. Rules live in memory and are part of snapshots.
 */
import type { FaultRule, FaultStatus } from "./Fault.ts";
import { type FaultTarget, FaultRules, type FiredFault } from "./FaultRules.ts";

/** A request whose faults are asked for. */
interface FaultRequest extends FaultTarget {
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

/** The faults of a running sandbox. */
export class Faults {
  readonly #rules = new FaultRules();
  readonly #changeIds = new Map<string, Array<string>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The faults that hit a request, `undefined` when none does. Counts the request. */
  plan(request: FaultRequest): FaultPlan | undefined {
    if (this.#rules.isEmpty) return undefined;
    const earlierChangeIds = remember(this.#changeIds, request);
    const fired = this.#rules.fire(request, this.#now());
    return fired.length === 0
      ? undefined
      : { fired, requestedChangeId: request.changeId, earlierChangeIds };
  }

  /** Whether the state of redirects is to be forged. */
  forgesState(): boolean {
    return this.#rules.has("forgedState", this.#now());
  }

  /** Adds a rule, or replaces the one of the same name. */
  add(rule: FaultRule): FaultStatus {
    return this.#rules.add(rule, this.#now());
  }

  /** Removes a rule; answers whether there was one. */
  remove(id: string): boolean {
    return this.#rules.remove(id);
  }

  /** Removes all rules. */
  clear(): void {
    this.#rules.clear();
    this.#changeIds.clear();
  }

  /** Whether there is no rule, so that no request has to be compared with any. */
  get isEmpty(): boolean {
    return this.#rules.isEmpty;
  }

  /** The rules in force. */
  list(): ReadonlyArray<FaultStatus> {
    return this.#rules.list(this.#now());
  }

  /** Continues with the rules of a snapshot, their counters included. */
  restore(statuses: ReadonlyArray<FaultStatus>): void {
    this.clear();
    this.#rules.restore(statuses);
  }
}

/**
 * So many ids of the past are kept per client and endpoint; a follower that asks back farther does
 * not exist.
 */
const REMEMBERED_IDS = 32;

/**
 * Notes the id that a request asks for, and answers those before it. Only while there are rules:
 * else it would cost for nothing.
 */
const remember = (
  changeIds: Map<string, Array<string>>,
  { changeId, clientId, endpoint, group }: FaultRequest,
): ReadonlyArray<string> => {
  const key = `${clientId} ${group}.${endpoint}`;
  const known = changeIds.get(key) ?? [];
  if (changeId !== undefined && known.at(-1) !== changeId)
    changeIds.set(key, [...known, changeId].slice(-REMEMBERED_IDS));
  return known;
};
