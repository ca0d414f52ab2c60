/**
 * The rate limits of a running sandbox: the policies that hold at present, the counters, and the
 * decision about one request.
 *
 * A request passes when every window of every rule that applies to it has room; it is counted once
 * in each of them (§5, §8). The request over the limit is counted too and begins the restriction.
 * While a restriction lasts, requests are refused and not counted: a client that hammers does
 * itself no further harm, and neither does it harm those that share its pool. Counters belong to
 * the policy's name, not to the endpoint, so endpoints that share a policy share its counters.
 *
 * Policies may be replaced at any time. What was counted stays counted where a policy of the same
 * name keeps a rule and a period, as with a deployment that changes its limits under running
 * clients; `reset` forgets the counters. Counters live in memory: a restart begins with empty
 * windows, also with a database file.
 */
import {
  type CompiledPolicies,
  type CompiledRule,
  type CompiledWindow,
  compilePolicies,
  type RatePolicies,
  type RuleName,
} from "./RatePolicy.ts";
import { type RateProfile, rateProfiles } from "./RateProfiles.ts";
import { WindowCounter, type WindowCounterSnapshot, type WindowState } from "./WindowCounter.ts";

/**
 * The identities that the hits of a request are counted against, by rule. A rule without an
 * identity does not apply to the request.
 */
export type RateIdentity = { readonly [Rule in RuleName]?: string | undefined };

/** One rule as it stands after the request. */
interface RuleReport {
  readonly rule: CompiledRule;
  readonly states: Array<WindowState>;
}

/** The answer to one request. */
export interface RateDecision {
  readonly policy: string;
  readonly allowed: boolean;
  /** 0 when the request passed. */
  readonly retryAfterSeconds: number;
  readonly rules: ReadonlyArray<RuleReport>;
}

/** The state of one window of one identity. */
export interface WindowReading extends WindowState {
  readonly policy: string;
  readonly rule: RuleName;
  /** The identity it is counted against: an address, an account or a client. */
  readonly identity: string;
  readonly maxHits: number;
  readonly periodSeconds: number;
}

/** Policies and counters as plain JSON; the counters by policy, rule and identity, and by period. */
interface RateLimitsSnapshot {
  readonly policies: RatePolicies;
  readonly counters: ReadonlyArray<
    readonly [key: string, periodMillis: number, counter: WindowCounterSnapshot]
  >;
}

/** A request as the rate limits see it, in the contract's names. */
interface RateLimitQuery {
  readonly group: string;
  readonly endpoint: string;
  readonly identity: RateIdentity;
  readonly now: number;
  /** A probe (`HEAD`) reads the limits and is not counted. */
  readonly isProbe: boolean;
}

/** Above so many identities, those that hold nothing any more are forgotten. */
const SWEEP_AT = 10_000;

/** The rate limits of a running sandbox. */
export class RateLimits {
  readonly #counters = new Map<string, Map<number, WindowCounter>>();
  readonly #first: CompiledPolicies;
  readonly #now: () => number;
  #current: CompiledPolicies;

  /**
   * Rate limits that begin with a profile or with policies of your own. Throws `RatePolicyInvalid`.
   */
  constructor(initial: RateProfile | RatePolicies, now: () => number) {
    this.#first = compilePolicies(typeof initial === "string" ? rateProfiles[initial] : initial);
    this.#current = this.#first;
    this.#now = now;
  }

  /**
   * Decides about a request and counts it; a probe is answered from what is counted already.
   * `undefined` when no policy governs the endpoint.
   */
  decide({ endpoint, group, identity, isProbe, now }: RateLimitQuery): RateDecision | undefined {
    const policy = this.#current.policyOf(group, endpoint);
    if (policy === undefined) return undefined;
    const rules: Array<RuleReport> = [];
    const windows: Array<CompiledWindow> = [];
    const counters: Array<WindowCounter> = [];
    for (const rule of policy.rules) {
      const who = identity[rule.name];
      if (who === undefined) continue;
      const known = this.#windowsOf(rule.keyPrefix + who);
      for (const window of rule.windows) {
        let counter = known.get(window.periodMillis);
        if (counter === undefined) known.set(window.periodMillis, (counter = new WindowCounter()));
        counter.settle(window, now);
        windows.push(window);
        counters.push(counter);
      }
      rules.push({ rule, states: [] });
    }
    const allowed = isProbe || passes(windows, counters, now);
    let at = 0;
    for (const { rule, states } of rules)
      for (let count = 0; count < rule.windows.length; count++)
        states.push(counters[at++]!.state(now));
    const waits = counters.map((one, place) => one.retryAfterSeconds(windows[place]!, now));
    const retryAfterSeconds = allowed ? 0 : Math.max(1, ...waits);
    return { policy: policy.name, allowed, retryAfterSeconds, rules };
  }

  /** The policies that hold at present. */
  policies(): RatePolicies {
    return this.#current.document;
  }

  /** The windows that hold anything, of the policies in force. */
  windows(): ReadonlyArray<WindowReading> {
    const now = this.#now();
    return [...this.#counters].flatMap(([key, windows]) => {
      const [policy = "", rule = "", ...identity] = key.split(" ");
      const compiled = this.#current.policies.get(policy)?.rules.find(({ name }) => name === rule);
      return (compiled?.windows ?? []).flatMap((window) => {
        const counter = windows.get(window.periodMillis);
        counter?.settle(window, now);
        if (counter === undefined || counter.isIdle) return [];
        const { maxHits, periodMillis } = window;
        const of = { policy, rule: compiled!.name, identity: identity.join(" ") };
        return [{ ...of, maxHits, periodSeconds: periodMillis / 1000, ...counter.state(now) }];
      });
    });
  }

  /** Puts other policies in force. Throws `RatePolicyInvalid`. */
  replace(policies: RatePolicies): void {
    this.#current = compilePolicies(policies);
  }

  /** Forgets all counters and puts the policies of the start in force again. */
  reset(): void {
    this.#counters.clear();
    this.#current = this.#first;
  }

  /** Policies and counters as plain JSON. */
  snapshot(): RateLimitsSnapshot {
    const counters = [...this.#counters].flatMap(([key, windows]) =>
      [...windows].map(([period, counter]) => [key, period, counter.snapshot()] as const),
    );
    return { policies: this.#current.document, counters };
  }

  /** Continues from a snapshot. Throws `RatePolicyInvalid`. */
  restore({ counters, policies }: RateLimitsSnapshot): void {
    this.#current = compilePolicies(policies);
    this.#counters.clear();
    for (const [key, period, counter] of counters)
      this.#windowsOf(key).set(period, WindowCounter.restore(counter));
  }

  #windowsOf(key: string): Map<number, WindowCounter> {
    let windows = this.#counters.get(key);
    if (windows === undefined) {
      if (this.#counters.size >= SWEEP_AT) this.#sweep();
      this.#counters.set(key, (windows = new Map()));
    }
    return windows;
  }

  #sweep(): void {
    for (const [key, windows] of this.#counters)
      if ([...windows.values()].every((counter) => counter.isIdle)) this.#counters.delete(key);
  }
}

/** Counts a request in each window. `windows` and `counters` stand side by side. */
const passes = (
  windows: ReadonlyArray<CompiledWindow>,
  counters: ReadonlyArray<WindowCounter>,
  now: number,
): boolean => {
  for (const counter of counters) if (counter.isRestricted) return false;
  let isWithin = true;
  // Every window is hit, also after one that is full: a request counts once in each.
  for (let place = 0; place < counters.length; place++)
    if (!counters[place]!.hit(windows[place]!, now)) isWithin = false;
  return isWithin;
};
