/**
 * The rate limits of a running sandbox: the policies that hold at present, the counters, and the
 * one question a request asks.
 *
 * Policies may be replaced at any time. What was counted stays counted where a policy of the same
 * name keeps a rule and a period, as with a deployment that changes its limits under running
 * clients; `reset` forgets the counters. Counters live in memory: a restart begins with empty
 * windows, also with a database file.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { SandboxClock } from "../clock/SandboxClock.ts";
import { RateCounters, type RateCountersSnapshot, type RateDecision } from "./RateCounters.ts";
import { rateIdentityOf, type Requester } from "./RateIdentity.ts";
import {
  type CompiledPolicies,
  compilePolicies,
  type RatePolicies,
  RatePolicyInvalid,
} from "./RatePolicy.ts";
import { type RateProfile, rateProfiles } from "./RateProfiles.ts";

/** Policies and counters as plain JSON. */
export interface RateLimitsSnapshot {
  readonly policies: RatePolicies;
  readonly counters: RateCountersSnapshot;
}

/** What a request asks for, in the contract's names. */
export interface RateLimitQuery {
  readonly group: string;
  readonly endpoint: string;
  readonly requester: Requester;
  /** A probe (`HEAD`) reads the limits and is not counted. */
  readonly isProbe: boolean;
}

/** The rate limits of a running sandbox. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /**
     * Decides about a request and counts it; `undefined` when no policy governs the endpoint.
     * Synchronous: nothing interleaves.
     */
    decide(question: RateLimitQuery): RateDecision | undefined;
    /** The policies that hold at present. */
    readonly policies: Effect.Effect<RatePolicies>;
    /** Puts other policies in force. */
    replace(policies: RatePolicies): Effect.Effect<void, RatePolicyInvalid>;
    /** Forgets all counters and puts the policies of the start in force again. */
    readonly reset: Effect.Effect<void>;
    /** Policies and counters as plain JSON. */
    readonly snapshot: Effect.Effect<RateLimitsSnapshot>;
    /** Continues from a snapshot. */
    restore(snapshot: RateLimitsSnapshot): Effect.Effect<void, RatePolicyInvalid>;
  }
>()("@game-data/sandbox/RateLimits") {
  /** Rate limits that begin with a profile or with policies of your own (`generous` by default). */
  static readonly layer = (
    initial: RateProfile | RatePolicies = "generous",
  ): Layer.Layer<RateLimits, RatePolicyInvalid, SandboxClock> =>
    Layer.effect(RateLimits, Effect.flatMap(documentOf(initial), make));
}

/** The document that is meant; a command line may name a profile that there is not. */
const documentOf = (
  initial: RateProfile | RatePolicies,
): Effect.Effect<RatePolicies, RatePolicyInvalid> => {
  if (typeof initial !== "string") return Effect.succeed(initial);
  return Object.hasOwn(rateProfiles, initial)
    ? Effect.succeed(rateProfiles[initial])
    : Effect.fail(
        new RatePolicyInvalid({
          at: "rates",
          reason: `has to be one of ${Object.keys(rateProfiles).join(", ")}`,
        }),
      );
};

const make = Effect.fnUntraced(function* (initial: RatePolicies) {
  const clock = yield* SandboxClock;
  const first = yield* compile(initial);
  const counters = new RateCounters();
  let current: CompiledPolicies = first;

  return RateLimits.of({
    decide: ({ endpoint, group, isProbe, requester }) => {
      const policy = current.policyOf(group, endpoint);
      if (policy === undefined) return undefined;
      const identity = rateIdentityOf(requester);
      return counters.decide(policy, identity, clock.nowUnsafe(), { counts: !isProbe });
    },
    policies: Effect.sync(() => current.document),
    replace: (policies) => Effect.map(compile(policies), (next) => void (current = next)),
    reset: Effect.sync(() => {
      counters.clear();
      current = first;
    }),
    snapshot: Effect.sync(() => ({
      policies: current.document,
      counters: counters.snapshot(),
    })),
    restore: (snapshot) =>
      Effect.map(compile(snapshot.policies), (next) => {
        current = next;
        counters.restore(snapshot.counters);
      }),
  });
});

const compile = (policies: RatePolicies): Effect.Effect<CompiledPolicies, RatePolicyInvalid> =>
  Effect.fromResult(compilePolicies(policies));
