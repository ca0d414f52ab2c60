/**
 * The rate limits of a running sandbox: the policies that hold at present, the counters, and the
 * one question a request asks.
 *
 * Policies may be replaced at any time. What was counted stays counted where a policy of the same
 * name keeps a rule and a period, as with a deployment that changes its limits under running
 * clients; `reset` forgets the counters. Counters live in memory: a restart begins with empty
 * windows, also with a database file.
 */
import {
  RateCounters,
  type RateCountersSnapshot,
  type RateDecision,
  type RateIdentity,
  type WindowReading,
} from "./RateCounters.ts";
import { type CompiledPolicies, compilePolicies, type RatePolicies } from "./RatePolicy.ts";
import { type RateProfile, rateProfiles } from "./RateProfiles.ts";

/** Policies and counters as plain JSON. */
interface RateLimitsSnapshot {
  readonly policies: RatePolicies;
  readonly counters: RateCountersSnapshot;
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

/** The rate limits of a running sandbox. */
export class RateLimits {
  readonly #counters = new RateCounters();
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

  /** Decides about a request and counts it; `undefined` when no policy governs the endpoint. */
  decide({ endpoint, group, identity, isProbe, now }: RateLimitQuery): RateDecision | undefined {
    const policy = this.#current.policyOf(group, endpoint);
    if (policy === undefined) return undefined;
    return this.#counters.decide(policy, identity, now, { counts: !isProbe });
  }

  /** The policies that hold at present. */
  policies(): RatePolicies {
    return this.#current.document;
  }

  /** Returns the present counts in every window of the policies in force. */
  windows(): ReadonlyArray<WindowReading> {
    return this.#counters.readings(this.#current.policies, this.#now());
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
    return { policies: this.#current.document, counters: this.#counters.snapshot() };
  }

  /** Continues from a snapshot. Throws `RatePolicyInvalid`. */
  restore(snapshot: RateLimitsSnapshot): void {
    this.#current = compilePolicies(snapshot.policies);
    this.#counters.restore(snapshot.counters);
  }
}
