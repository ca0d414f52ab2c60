import { Effect } from "effect";
import { expectTypeOf, it } from "vitest";
import { PolicyLimiter } from "@game-data/rate-limit";
import type { LimiterStoreError, RequestNotSent, RouteLimits } from "@game-data/rate-limit";
import { createLimiter, type Limiter } from "@game-data/rate-limit/promise";

it("createLimiter and PolicyLimiter have the types that users rely on", () => {
  const limiter = createLimiter();
  expectTypeOf(limiter).toEqualTypeOf<Limiter>();
  expectTypeOf(limiter.limits({ route: "GET /x" })).resolves.toEqualTypeOf<RouteLimits>();
  expectTypeOf(limiter.run({ route: "GET /x" }, () => 1)).resolves.toEqualTypeOf<number>();
  const run = Effect.flatMap(PolicyLimiter, (service) =>
    service.run(
      { route: "GET /x", identity: "a", priority: 1, maxWait: "1 minute" },
      () => Effect.fail("no" as const),
      () => ({ status: 200 }),
    ),
  );
  expectTypeOf(run).toEqualTypeOf<
    Effect.Effect<never, "no" | RequestNotSent | LimiterStoreError, PolicyLimiter>
  >();
  // @ts-expect-error a route is needed
  void (() => limiter.run({}, () => 1));
});
