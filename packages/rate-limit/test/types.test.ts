import { Effect } from "effect";
import { expectTypeOf, it } from "vitest";
import { createLimiter } from "../src/index.ts";
import type { Limiter, RouteSnapshot } from "../src/index.ts";
import { snapshot } from "../src/inspect.ts";
import { PolicyLimiter } from "../src/effect/index.ts";
import type { LimiterStoreError, RequestNotSent } from "../src/effect/index.ts";

it("has the types that its users rely on", () => {
  const limiter = createLimiter();
  expectTypeOf(limiter).toEqualTypeOf<Limiter>();
  expectTypeOf(snapshot(limiter, { route: "GET /x" })).resolves.toEqualTypeOf<RouteSnapshot>();
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
