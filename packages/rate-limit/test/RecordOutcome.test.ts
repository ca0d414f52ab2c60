import { Deferred, Effect, Fiber, Layer } from "effect";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { LimiterStore, makeMemoryStore, PolicyLimiter } from "../src/effect/index.ts";
import type { LimiterStoreService } from "../src/effect/index.ts";

const limits = {
  "x-rate-limit-policy": "policy",
  "x-rate-limit-rules": "account",
  "x-rate-limit-account": "10:10:60",
  "x-rate-limit-account-state": "1:10:0",
};

describe("the limiter's books", () => {
  it("get back a permit whose taker was interrupted while the store still wrote", async () => {
    const memory = makeMemoryStore();
    const store: LimiterStoreService = {
      shared: true,
      // Written at once, told late: what a store on the network looks like.
      modify: (key, change) =>
        Effect.flatMap(memory.modify(key, change), (result) =>
          Effect.as(Effect.sleep("1 second"), result),
        ),
    };
    const inFlight = Effect.gen(function* () {
      const limiter = yield* PolicyLimiter;
      let sent = 0;
      const call = limiter.run(
        { route: "GET /profile" },
        () => Effect.sync(() => sent++),
        () => ({ status: 200, headers: limits }),
      );
      const caller = yield* Effect.forkChild(call);
      // The route's policy, the house, and then the permit.
      yield* TestClock.adjust("2500 millis");
      const taken = yield* Effect.forkChild(limiter.snapshot({ route: "GET /profile" }));
      yield* TestClock.adjust("10 millis");
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(caller));
      yield* TestClock.adjust("30 seconds");
      yield* Fiber.join(interrupting);
      yield* Fiber.join(taken);
      const after = yield* Effect.forkChild(limiter.snapshot({ route: "GET /profile" }));
      yield* TestClock.adjust("10 seconds");
      return { sent, left: (yield* Fiber.join(after)).policies[0]?.inFlight };
    });
    const counts = await inFlight.pipe(
      Effect.provide(PolicyLimiter.layer().pipe(Layer.provide(Layer.succeed(LimiterStore, store)))),
      Effect.provide(TestClock.layer()),
      Effect.scoped,
      Effect.runPromise,
    );
    expect(counts).toEqual({ sent: 0, left: 0 });
  });

  it("once a route's policy is known, let all go that waited to learn it", async () => {
    const flying = Effect.gen(function* () {
      const limiter = yield* PolicyLimiter;
      const answered = yield* Deferred.make<void>();
      let running = 0;
      const call = (until: Effect.Effect<void>) =>
        limiter.run(
          { route: "GET /profile" },
          () =>
            Effect.andThen(
              Effect.sync(() => running++),
              until,
            ),
          () => ({ status: 200, headers: limits }),
        );
      yield* Effect.forkChild(call(Deferred.await(answered)));
      yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(call(Effect.never)));
      yield* TestClock.adjust("1 second");
      const before = running;
      yield* Deferred.succeed(answered, undefined);
      yield* TestClock.adjust("1 millis");
      return { before, after: running };
    });
    const counts = await flying.pipe(
      Effect.provide(PolicyLimiter.layer().pipe(Layer.provide(LimiterStore.layerMemory))),
      Effect.provide(TestClock.layer()),
      Effect.scoped,
      Effect.runPromise,
    );
    expect(counts).toEqual({ before: 1, after: 5 });
  });

  it("of a route whose policy was not known are closed once it is", async () => {
    const store = makeMemoryStore();
    const kept = Effect.gen(function* () {
      const limiter = yield* PolicyLimiter;
      yield* limiter.run(
        { route: "GET /profile" },
        () => Effect.void,
        () => ({ status: 200, headers: limits }),
      );
      const isKept = (policy: string) =>
        store.modify<unknown, boolean>(`default/policy/${policy}`, (value) => [!!value, value]);
      return [yield* isKept("?GET /profile"), yield* isKept("policy")];
    });
    const layer = PolicyLimiter.layer().pipe(Layer.provide(Layer.succeed(LimiterStore, store)));
    expect(await Effect.runPromise(Effect.provide(kept, layer))).toEqual([false, true]);
  });

  it("in memory, forget what a change makes nothing of", async () => {
    const store = makeMemoryStore();
    const seen = await Effect.runPromise(
      Effect.gen(function* () {
        yield* store.modify<number, void>("key", () => [undefined, 1]);
        yield* store.modify<number, void>("key", () => [undefined, undefined]);
        return yield* store.modify<number, number | undefined>("key", (value) => [value, value]);
      }),
    );
    expect(seen).toBeUndefined();
  });
});
