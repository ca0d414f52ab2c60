/**
 * Delays each request until the service's rate limits permit it.
 *
 * Limits are learned from response headers (`RateLimitDialect`) and never configured. Routes that
 * name the same policy share its counters. A route without a known policy sends one request at a
 * time. What the limiter knows lives in a `LimiterStore`.
 *
 * After a 429 the policy waits. After a firewall block or too many 4xx responses nothing is sent:
 * services revoke clients that keep sending rejected requests.
 *
 * ```ts
 * import { PolicyLimiter } from "@game-data/rate-limit/effect";
 * import { Effect } from "effect";
 *
 * const program = Effect.gen(function* () {
 *   const limiter = yield* PolicyLimiter;
 *   return yield* limiter.run(
 *     { route: "GET /users/{id}", identity: "user-1" },
 *     () => Effect.succeed({ status: 200, headers: {} }),
 *     (exit) => (exit._tag === "Success" ? exit.value : { status: undefined }),
 *   );
 * });
 * const { status } = await Effect.runPromise(Effect.provide(program, PolicyLimiter.layerMemory()));
 * if (status !== 200) throw new Error("not reached");
 * ```
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { LimiterStore } from "./LimiterStore.ts";
import { makePolicyLimiter } from "./makePolicyLimiter.ts";
import { effectReports } from "./Metrics.ts";
import type { PolicyLimiterOptions, PolicyLimiterService } from "./Model.ts";

/** The limiter. */
export class PolicyLimiter extends Context.Service<PolicyLimiter, PolicyLimiterService>()(
  "@game-data/rate-limit/PolicyLimiter",
) {
  /** A limiter over the `LimiterStore` of the context. */
  static layer(options?: PolicyLimiterOptions): Layer.Layer<PolicyLimiter, never, LimiterStore> {
    return Layer.effect(
      PolicyLimiter,
      Effect.gen(function* () {
        const store = yield* LimiterStore;
        const { close, service } = yield* makePolicyLimiter(store, options, effectReports);
        yield* Effect.addFinalizer(() => close);
        return service;
      }),
    );
  }

  /** A limiter with a store of its own in the memory of this process. */
  static layerMemory(options?: PolicyLimiterOptions): Layer.Layer<PolicyLimiter> {
    return Layer.provide(PolicyLimiter.layer(options), Layer.fresh(LimiterStore.layerMemory));
  }
}
