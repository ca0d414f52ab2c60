/**
 * Counts requests against the policies in force, and decides which of them pass (§5, §8).
 *
 * A request passes when every window of every rule that applies has room, and is counted once in
 * each of them. The request over a limit is counted too and begins a restriction, during which
 * requests are refused and not counted. Counters belong to policy, rule, identity and period: they
 * outlive a change of numbers, as in a deployment that changes its limits under running clients.
 */
import type { Identity } from "../http/Exchange.ts";
import { type RatePolicies, RULE_NAMES, type RuleName } from "./RatePolicies.ts";

interface Window {
  readonly maxHits: number;
  readonly period: number;
  readonly restrict: number;
  readonly bucket: number;
}

/** Hits of a window, as the instants at which they leave it, and the current restriction. */
export interface Counter {
  expiries: Array<number>;
  announcedUntil: number;
  restrictedUntil: number;
  latest: number;
}

interface Rule {
  readonly name: RuleName;
  readonly header: string;
  readonly limits: string;
  readonly windows: ReadonlyArray<Window>;
}

/** A rule that applies to a request, and a counter for each of its windows. */
interface Counted {
  readonly rule: Rule;
  readonly counters: ReadonlyArray<Counter>;
}

export interface Decision {
  readonly policy: string;
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Current count of a window for one address, account or client. */
export type WindowReading = ReturnType<RateLimits["windows"]>[number];

export interface Snapshot {
  readonly policies: RatePolicies;
  readonly counters: ReadonlyArray<readonly [key: string, counter: Counter]>;
}

/** Number of counters at which idle ones are removed for the first time. */
const SWEEP_AT = 10_000;

export class RateLimits {
  readonly #first: RatePolicies;
  readonly #counters = new Map<string, Counter>();
  #sweepAt = SWEEP_AT;
  #policies!: RatePolicies;
  #rules!: ReadonlyMap<string, ReadonlyArray<Rule>>;

  constructor(policies: RatePolicies) {
    this.#first = policies;
    this.replace(policies);
  }

  get policies(): RatePolicies {
    return this.#policies;
  }

  replace(policies: RatePolicies): void {
    this.#policies = policies;
    this.#rules = new Map(
      Object.entries(policies.policies).map(([name, rules]) => [name, rulesOf(rules, policies)]),
    );
  }

  /** Decides whether a request passes. A probe (`HEAD`) always passes and is not counted. */
  decide(
    { endpoint, isProbe }: { readonly endpoint: string; readonly isProbe: boolean },
    who: Readonly<Record<RuleName, string | undefined>>,
    now: number,
  ): Decision | undefined {
    const { enabled, endpoints } = this.#policies;
    const policy = endpoints[endpoint] ?? endpoints[endpoint.split(".", 1)[0]!] ?? endpoints["*"];
    const rules = (policy !== undefined && enabled && this.#rules.get(policy)) || undefined;
    if (policy === undefined || rules === undefined) return undefined;
    const counted: Array<Counted> = [];
    for (const rule of rules) {
      const name = who[rule.name];
      if (name === undefined) continue;
      const key = `${policy} ${rule.name} ${name} `;
      const counterOf = (window: Window) => this.#counter(key + window.period, window, now);
      counted.push({ rule, counters: rule.windows.map(counterOf) });
    }
    const isRestricted = counted.some(({ counters }) =>
      counters.some(({ restrictedUntil }) => restrictedUntil > now),
    );
    const allowed = isProbe || (!isRestricted && hitAll(counted, now));
    const headers = counted.length === 0 ? {} : headersOf(policy, counted, now);
    if (!allowed) headers["retry-after"] = String(waitOf(counted, now));
    return { policy, allowed, headers };
  }

  /** Returns the windows that currently count requests or restrict a caller. */
  windows(now: number) {
    return [...this.#counters].flatMap(([key, counter]) => {
      const [policy = "", rule = "", identity = "", period = ""] = key.split(" ");
      const window = this.#rules
        .get(policy)
        ?.find(({ name }) => name === rule)
        ?.windows.find((one) => one.period === Number(period));
      if (window === undefined) return [];
      settle(counter, window, now);
      const { maxHits } = window;
      const state = { hits: counter.expiries.length, restrictedSeconds: restricted(counter, now) };
      return isIdle(counter)
        ? []
        : // The identity is an address, an account or a client.
          [{ policy, rule, identity, maxHits, periodSeconds: Number(period) / 1000, ...state }];
    });
  }

  reset(): void {
    this.#counters.clear();
    this.replace(this.#first);
  }

  snapshot(): Snapshot {
    return { policies: this.#policies, counters: structuredClone([...this.#counters]) };
  }

  restore({ counters, policies }: Snapshot): void {
    this.replace(policies);
    this.#counters.clear();
    for (const [key, counter] of counters) this.#counters.set(key, { ...counter });
  }

  #counter(key: string, window: Window, now: number): Counter {
    let counter = this.#counters.get(key);
    if (counter === undefined) {
      if (this.#counters.size >= this.#sweepAt) this.#sweep();
      counter = { expiries: [], announcedUntil: 0, restrictedUntil: 0, latest: 0 };
      this.#counters.set(key, counter);
    }
    settle(counter, window, now);
    return counter;
  }

  /** Removes idle counters. The next sweep waits for twice the remaining number, so sweeps stay rare. */
  #sweep(): void {
    for (const [key, counter] of this.#counters) if (isIdle(counter)) this.#counters.delete(key);
    this.#sweepAt = Math.max(SWEEP_AT, 2 * this.#counters.size);
  }
}

const rulesOf = (
  rules: Partial<Record<RuleName, string>>,
  { hiddenBuckets }: RatePolicies,
): ReadonlyArray<Rule> =>
  RULE_NAMES.flatMap((name) => {
    const limits = rules[name];
    if (limits === undefined) return [];
    const windows = limits.split(",").map((text): Window => {
      const [maxHits = 0, period = 0, restrict = 0] = text.split(":").map(Number);
      const bucket =
        hiddenBuckets === null
          ? 0
          : period >= hiddenBuckets.longFromSeconds
            ? hiddenBuckets.longSeconds
            : hiddenBuckets.shortSeconds;
      return { maxHits, period: period * 1000, restrict: restrict * 1000, bucket: bucket * 1000 };
    });
    return [{ name, limits, windows, header: `x-rate-limit-${name.toLowerCase()}` }];
  });

/** Removes expired hits, and all but the newest `maxHits + 1`, which alone change decisions. */
const settle = (counter: Counter, { maxHits }: Window, now: number): void => {
  // The clock was set back, so forget hits and restrictions of the later time.
  if (now < counter.latest)
    Object.assign(counter, { expiries: [], announcedUntil: 0, restrictedUntil: 0 });
  counter.latest = now;
  const { expiries } = counter;
  let over = Math.max(0, expiries.length - maxHits - 1);
  while (over < expiries.length && expiries[over]! <= now) over++;
  if (over > 0) expiries.splice(0, over);
};

/** Counts a request in every window. Returns whether it was within all limits. */
const hitAll = (counted: ReadonlyArray<Counted>, now: number): boolean => {
  let isWithin = true;
  for (const { counters, rule } of counted)
    for (const [index, counter] of counters.entries())
      if (!hit(counter, rule.windows[index]!, now)) isWithin = false;
  return isWithin;
};

/** Counts a hit. Returns whether it was within the limit. */
const hit = (
  counter: Counter,
  { bucket, maxHits, period, restrict }: Window,
  now: number,
): boolean => {
  if (counter.expiries.length > maxHits) counter.expiries.shift();
  counter.expiries.push(bucketEnd(now, bucket) + period);
  if (counter.expiries.length <= maxHits) return true;
  if (restrict > 0) {
    counter.announcedUntil = now + restrict;
    counter.restrictedUntil = bucketEnd(counter.announcedUntil, bucket);
  }
  return false;
};

const isIdle = ({ expiries, latest, restrictedUntil }: Counter): boolean =>
  expiries.length === 0 && restrictedUntil <= latest;

const bucketEnd = (now: number, bucket: number): number =>
  bucket === 0 ? now : (Math.floor(now / bucket) + 1) * bucket;

const secondsUntil = (then: number, now: number): number =>
  Math.max(0, Math.ceil((then - now) / 1000));

/**
 * Returns the seconds of the announced restriction or, after its end, of the rest that a hidden
 * bucket adds.
 */
const restricted = ({ announcedUntil, restrictedUntil }: Counter, now: number): number =>
  secondsUntil(announcedUntil > now ? announcedUntil : restrictedUntil, now);

const headersOf = (
  policy: string,
  counted: ReadonlyArray<Counted>,
  now: number,
): Record<string, string> => {
  const headers: Record<string, string> = {
    "x-rate-limit-policy": policy,
    "x-rate-limit-rules": counted.map(({ rule }) => rule.name).join(","),
  };
  for (const { counters, rule } of counted) {
    headers[rule.header] = rule.limits;
    headers[`${rule.header}-state`] = counters
      .map((counter, index) => {
        const seconds = rule.windows[index]!.period / 1000;
        return `${counter.expiries.length}:${seconds}:${restricted(counter, now)}`;
      })
      .join(",");
  }
  return headers;
};

/** Returns the seconds until every window has room again; at least 1. */
const waitOf = (counted: ReadonlyArray<Counted>, now: number): number =>
  Math.max(
    1,
    ...counted.flatMap(({ counters, rule }) =>
      counters.map((counter, index) => {
        const { maxHits } = rule.windows[index]!;
        // The window has room again when this hit leaves it.
        const freeing = counter.expiries[counter.expiries.length - maxHits];
        const isFull = counter.expiries.length > maxHits;
        return restricted(counter, now) || (isFull ? secondsUntil(freeing!, now) : 0);
      }),
    ),
  );

/**
 * Returns the identities that a request counts for (§5, §8): address, account, and as `Client` the
 * pool of all public clients, the owner behind client credentials, or the confidential client.
 */
export const identities = (
  ip: string,
  holder: Identity | undefined,
): Record<RuleName, string | undefined> => ({
  Ip: ip,
  Account: holder?.sub,
  Client:
    holder === undefined
      ? undefined
      : holder.kind === "public"
        ? "public"
        : holder.grantType === "client_credentials"
          ? `owner:${holder.sub}`
          : `client:${holder.clientId}`,
});
