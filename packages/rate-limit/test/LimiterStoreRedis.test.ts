import * as NodeRedis from "@effect/platform-node/NodeRedis";
import { describeWithService } from "@game-data/test-support";
import { Effect, Exit, Fiber, Layer } from "effect";
import { expect, it } from "vitest";
import { LimiterStore, PolicyLimiter } from "../src/effect/index.ts";
import * as LimiterStoreRedis from "../src/effect/LimiterStoreRedis.ts";
import { SlidingServer } from "./SlidingServer.ts";

describeWithService("redis", "the limiter's store in Redis", (url) => {
  const prefix = `test-${process.pid}-${Date.now()}`;
  let tests = 0;
  const storeOf = (name: string) =>
    LimiterStoreRedis.layer({ prefix: `${prefix}:${name}` }).pipe(
      Layer.provide(NodeRedis.layer({ url })),
    );
  const run = <A, E>(effect: Effect.Effect<A, E, LimiterStore>, name = `t${tests++}`) =>
    Effect.runPromise(Effect.provide(effect, storeOf(name)));

  it("changes a value atomically, whoever else does", async () => {
    const add = Effect.flatMap(LimiterStore, (store) =>
      store.modify<{ n: number }, number>("counter", (value) => {
        const n = (value?.n ?? 0) + 1;
        return [n, { n }];
      }),
    );
    const name = "counter";
    await Promise.all(
      Array.from({ length: 4 }, () =>
        run(
          Effect.all(
            Array.from({ length: 25 }, () => add),
            { concurrency: 5 },
          ),
          name,
        ),
      ),
    );
    expect(await run(add, name)).toBe(101);
  });

  it("tells Redis' time, writes nothing that did not change, and removes what is gone", async () => {
    await run(
      Effect.gen(function* () {
        const store = yield* LimiterStore;
        const now = yield* store.modify<string, number>("x", (value, time) => [time, value]);
        expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
        yield* store.modify<string, void>("x", () => [undefined, "here"]);
        expect(yield* store.modify<string, unknown>("x", (value) => [value, undefined])).toBe(
          "here",
        );
        expect(
          yield* store.modify<string, unknown>("x", (value) => [value, value]),
        ).toBeUndefined();
      }),
    );
  });

  it("processes learn from each other: policies, windows, holds", async () => {
    const answer = {
      status: 429,
      headers: {
        "x-rate-limit-policy": "p",
        "x-rate-limit-rules": "account",
        "x-rate-limit-account": "30:60:60",
        "retry-after": "60",
      },
    };
    const name = "learn";
    const first = Effect.flatMap(PolicyLimiter, (limiter) =>
      limiter.run(
        { route: "GET /a" },
        () => Effect.void,
        () => answer,
      ),
    ).pipe(Effect.provide(PolicyLimiter.layer()));
    await run(first, name);
    const second = Effect.gen(function* () {
      const limiter = yield* PolicyLimiter;
      expect((yield* limiter.forecast({ route: "GET /a" }, 1)).startsInMillis[0]).toBeGreaterThan(
        55_000,
      );
      return yield* Effect.flip(
        limiter.run(
          { route: "GET /a", maxWait: "1 second" },
          () => Effect.void,
          () => answer,
        ),
      );
    }).pipe(Effect.provide(PolicyLimiter.layer()));
    expect(await run(second, name)).toMatchObject({
      refusal: { reason: "wait-too-long", policy: "p" },
    });
  });

  it("four clients on one budget, hidden buckets: no 429 and 95 % of the permitted rate", async () => {
    // The windows of the service, ten times as fast.
    const server = new SlidingServer("p", [
      { max: 15, period: 1000, bucket: 500, penalty: 6000 },
      { max: 40, period: 6000, bucket: 500, penalty: 6000 },
    ]);
    const name = "budget";
    const client = Effect.gen(function* () {
      const limiter = yield* PolicyLimiter;
      const call = limiter.run(
        { route: "GET /a" },
        () => Effect.as(Effect.sleep(5), server.handle(Date.now())),
        (exit) => (Exit.isSuccess(exit) ? exit.value : { status: undefined }),
      );
      const fibers = yield* Effect.forEach([1, 2], () => Effect.forkChild(Effect.forever(call)));
      yield* Effect.sleep(19_000);
      yield* Effect.forEach(fibers, Fiber.interrupt);
    }).pipe(Effect.provide(PolicyLimiter.layer({ assumedBucket: () => "500 millis" })));
    await Promise.all([1, 2, 3, 4].map(() => run(client, name)));
    expect(server.violations).toBe(0);
    expect(server.served).toBeGreaterThanOrEqual(0.95 * (40 / 6500) * 19_000);
  }, 40_000);
});
