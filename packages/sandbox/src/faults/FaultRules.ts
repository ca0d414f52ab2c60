/**
 * The faults of a running sandbox: the rules in force, and which of them hit a request.
 * `perform.ts` carries out what a fault does. Rules live in memory and are part of snapshots.
 *
 * Every rule counts the requests that match it, whether or not it fires, so other rules do not change
 * `nth`, `after` and `every`. Chance depends on the seed and on that count alone, so a repeated run
 * meets the same faults.
 */
import { isoInstant } from "../internal/instants.ts";
import type { Fault, FaultMatch, FaultRule, FaultStatus } from "./Fault.ts";

/** Properties of a request that a rule can match. */
export interface FaultTarget {
  readonly method: string;
  readonly path: string;
  /** `group.endpoint` in the contract's names, if the path is one of the contract's. */
  readonly endpoint?: string | null | undefined;
  readonly route?: string | null | undefined;
  readonly clientId?: string | null | undefined;
  readonly grantType?: string | null | undefined;
  readonly account?: string | null | undefined;
  readonly accountId?: string | undefined;
  /** The change id of the request, on endpoints that have one. */
  readonly changeId?: string | undefined;
}

/** The faults that hit a request, and the change ids that they need. */
export interface Fired {
  readonly faults: ReadonlyArray<{ readonly id: string; readonly fault: Fault }>;
  /** Whether a fault ends the body early. */
  readonly isCut: boolean;
  /** Whether a fault needs a body in gzip. */
  readonly needsGzip: boolean;
  readonly requestedId: string | undefined;
  /** Change ids that the same client requested from the same endpoint before, oldest first. */
  readonly earlierIds: ReadonlyArray<string>;
}

export const NONE_FIRED: Fired = {
  faults: [],
  isCut: false,
  needsGzip: false,
  requestedId: undefined,
  earlierIds: [],
};

type Entry = { -readonly [Member in keyof FaultStatus]: FaultStatus[Member] };

/** Maximum number of earlier change ids that are kept per client and endpoint. */
const MAX_EARLIER_IDS = 32;

/** The rules in force, in the order in which they were added. */
export class FaultRules {
  readonly #entries = new Map<string, Entry>();
  readonly #changeIds = new Map<string, ReadonlyArray<string>>();
  readonly #now: () => number;
  #nextId = 1;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether there are no rules, so that requests can skip the faults. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Returns the faults that hit a request, and counts the request. */
  fire(target: FaultTarget): Fired {
    const now = this.#now();
    const faults = this.#current().flatMap((entry) => {
      const { fault, match = {} } = entry.rule;
      // The OAuth server forges redirects itself (see `forgesState`).
      if (fault.kind === "forgedState" || !matches(match, target)) return [];
      entry.seen += 1;
      if (!isDue(entry, now)) return [];
      entry.fired += 1;
      return [{ id: entry.id, fault }];
    });
    const needsGzip = faults.some(({ fault }) => fault.kind === "gzipCut");
    return {
      faults,
      isCut: needsGzip || faults.some(({ fault }) => fault.kind === "truncate"),
      needsGzip,
      requestedId: target.changeId,
      earlierIds: this.#remember(target),
    };
  }

  /** Whether a rule forges the state of redirects. Its `match` is ignored. */
  forgesState(): boolean {
    return this.#current().some(({ rule }) => rule.fault.kind === "forgedState");
  }

  add(rule: FaultRule): FaultStatus {
    const id = rule.id ?? `fault-${this.#nextId++}`;
    const entry = { id, rule, addedAt: isoInstant(this.#now()), seen: 0, fired: 0 };
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
    return this.#current().map((entry) => ({ ...entry }));
  }

  restore(statuses: ReadonlyArray<FaultStatus>): void {
    this.clear();
    for (const status of statuses) {
      this.#entries.set(status.id, { ...status });
      const number = Number(/^fault-(\d+)$/u.exec(status.id)?.[1] ?? 0);
      this.#nextId = Math.max(this.#nextId, number + 1);
    }
  }

  /** Removes the rules whose time to live is over, and returns the others. */
  #current(): ReadonlyArray<Entry> {
    const now = this.#now();
    for (const { addedAt, id, rule } of this.#entries.values()) {
      const { ttlSeconds = Infinity } = rule.when ?? {};
      if (now >= Date.parse(addedAt) + ttlSeconds * 1000) this.#entries.delete(id);
    }
    return [...this.#entries.values()];
  }

  /** Keeps the change id of a request, and returns the earlier ones. */
  #remember({ changeId, clientId, endpoint }: FaultTarget): ReadonlyArray<string> {
    const key = `${clientId} ${endpoint}`;
    const earlier = this.#changeIds.get(key) ?? [];
    if (changeId !== undefined && earlier.at(-1) !== changeId)
      this.#changeIds.set(key, [...earlier, changeId].slice(-MAX_EARLIER_IDS));
    return earlier;
  }
}

export const matches = (match: FaultMatch, target: FaultTarget): boolean =>
  (match.endpoint === undefined ||
    match.endpoint === target.endpoint ||
    match.endpoint === target.endpoint?.split(".", 1)[0]) &&
  (match.route ?? target.route) === target.route &&
  target.path.startsWith(match.path ?? "") &&
  (match.method ?? target.method) === target.method &&
  (match.clientId ?? target.clientId) === target.clientId &&
  (match.grantType ?? target.grantType) === target.grantType &&
  (match.account === undefined || [target.account, target.accountId].includes(match.account));

const isDue = ({ fired, rule: { when = {} }, seen }: Entry, now: number): boolean =>
  fired < (when.count ?? Infinity) &&
  (when.nth === undefined || [when.nth].flat().includes(seen)) &&
  seen > (when.after ?? 0) &&
  seen % (when.every ?? 1) === 0 &&
  (when.from === undefined || now >= Date.parse(when.from)) &&
  (when.until === undefined || now < Date.parse(when.until)) &&
  (when.probability === undefined || chance(when.seed ?? 1, seen) < when.probability);

/**
 * Returns a number in [0, 1) that depends only on the arguments (the finaliser of MurmurHash3, over
 * a Weyl sequence).
 */
export const chance = (seed: number, index: number): number => {
  let hash = (Math.imul(seed, 0x85ebca6b) + Math.imul(index, 0x9e3779b9)) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
};
