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
import type { Identity } from "../oauth/Verifier.ts";
import {
  type CompiledPolicies,
  type CompiledRule,
  type CompiledWindow,
  compilePolicies,
  RateLimitHeaders,
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

interface RuleReport {
  readonly rule: CompiledRule;
  readonly states: ReadonlyArray<WindowState>;
}

export interface RateDecision {
  readonly policy: string;
  readonly allowed: boolean;
  /** 0 when the request passed. */
  readonly retryAfterSeconds: number;
  readonly rules: ReadonlyArray<RuleReport>;
}

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
    const applied = policy.rules.flatMap((rule) => {
      const who = identity[rule.name];
      return who === undefined ? [] : [{ rule, counters: this.#settled(rule, who, now) }];
    });
    const counters = applied.flatMap((one) => one.counters);
    const allowed = isProbe || passes(counters, now);
    const waits = () => counters.map(([counter, window]) => counter.retryAfterSeconds(window, now));
    return {
      policy: policy.name,
      allowed,
      retryAfterSeconds: allowed ? 0 : Math.max(1, ...waits()),
      rules: applied.map(({ counters: own, rule }) => ({
        rule,
        states: own.map(([counter]) => counter.state(now)),
      })),
    };
  }

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

  /** The counters of a rule for whom it counts, without what is over. */
  #settled(rule: CompiledRule, who: string, now: number): ReadonlyArray<Counted> {
    const known = this.#windowsOf(rule.keyPrefix + who);
    return rule.windows.map((window) => {
      const counter = known.get(window.periodMillis) ?? new WindowCounter();
      known.set(window.periodMillis, counter);
      counter.settle(window, now);
      return [counter, window];
    });
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

type Counted = readonly [WindowCounter, CompiledWindow];

/** Counts a request in each window, also after one that is full, unless one restricts already. */
const passes = (counters: ReadonlyArray<Counted>, now: number): boolean => {
  if (counters.some(([counter]) => counter.isRestricted)) return false;
  return !counters.map(([counter, window]) => counter.hit(window, now)).includes(false);
};

type Holder = Pick<Identity, "clientId" | "kind" | "grantType" | "sub">;

/**
 * The one allowance of all public clients. No client id collides with it, for a client's key has a
 * prefix.
 */
const PUBLIC_POOL = "public";

/**
 * The identities that a request is counted against (§5 "Client types", §8).
 *
 * - `Ip`: the address of the peer.
 * - `Account`: the account of the token, whichever client obtained it.
 * - `Client`: a confidential client has its own allowance, all public clients share one pool, and a
 *   client-credentials token counts against the account that owns the application. Two applications
 *   of one owner share that allowance, then; the specification says both "individual per client"
 *   and "the owning account", and the second is the more precise sentence.
 *
 * A request without a usable token has no account and no client: only `Ip` rules apply to it.
 */
export const rateIdentityOf = (ip: string, holder: Holder | undefined): RateIdentity => ({
  Ip: ip,
  Account: holder?.sub,
  Client: holder === undefined ? undefined : clientKey(holder),
});

const clientKey = ({ clientId, grantType, kind, sub }: Holder): string => {
  if (kind === "public") return PUBLIC_POOL;
  return grantType === "client_credentials" ? `owner:${sub}` : `client:${clientId}`;
};

/**
 * Puts the headers of a decision among those of an answer; none when no rule applied. The
 * specification shows no headers (§8); this is the dialect that clients of the interface read in
 * practice.
 */
export const addRateHeaders = (headers: Record<string, string>, decision: RateDecision): void => {
  const { rules } = decision;
  if (rules.length === 0) return;
  headers[RateLimitHeaders.policy] = decision.policy;
  headers[RateLimitHeaders.rules] = rules.map(({ rule }) => rule.name).join(",");
  for (const { rule, states } of rules) {
    headers[rule.header] = rule.limits;
    headers[rule.stateHeader] = states
      .map(({ hits, restrictedSeconds }, index) => {
        const { periodMillis } = rule.windows[index]!;
        return `${hits}:${periodMillis / 1000}:${restrictedSeconds}`;
      })
      .join(",");
  }
  if (!decision.allowed) headers[RateLimitHeaders.retryAfter] = String(decision.retryAfterSeconds);
};
