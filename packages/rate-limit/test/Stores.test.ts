/** What the stores have in common, and what each promises. */
import { setTimeout as sleep } from "node:timers/promises";
import * as NodeRedis from "@effect/platform-node/NodeRedis";
import {
  layerKeyValue,
  layerRedis,
  LimiterStore,
  LimiterStoreError,
  PolicyLimiter,
} from "@game-data/rate-limit";
import { createLimiter, type Limiter } from "@game-data/rate-limit/promise";
import { describeWithService } from "@game-data/test-support";
import { Effect, Layer } from "effect";
import * as KeyValueStore from "effect/persistence/KeyValueStore";
import { RedisError } from "effect/persistence/Redis";
import { TestClock } from "effect/testing";
import { describe, expect, it, vi } from "vitest";
import { withRedis } from "./model/ownRedis.ts";
import { sliding } from "./model/sliding.ts";

const route = "GET /x";
type Store = Layer.Layer<LimiterStore, unknown>;

const call = (limiter: Limiter, service: ReturnType<typeof sliding>, maxWait = 10_000) =>
  limiter.run({ route, maxWait }, () => service.handle(performance.now()));

/** Statements about a store that a later program opens again. */
const keeps = (make: () => Store) => {
  it("a limiter knows the requests that a closed limiter with the same store has sent", async () => {
    const store = make();
    const service = sliding("p", [{ max: 16, period: 60_000 }]);
    const first = createLimiter({ store });
    expect(await first.limits({ route })).toMatchObject({ knowledge: "unknown", policies: [] });
    for (let index = 0; index < 5; index++) await call(first, service);
    const notSent = () => ({ isSent: false });
    await first.run({ route }, () => undefined, notSent);
    await first.close();
    const second = createLimiter({ store });
    expect(await second.limits({ route })).toMatchObject({
      knowledge: "learned",
      policies: [{ name: "p", windows: [{ used: 5 }] }],
    });
    await Promise.allSettled(Array.from({ length: 18 }, () => call(second, service, 0)));
    expect(service.server.violations).toBe(0);
    expect(service.server.served).toBeGreaterThanOrEqual(6);
    await second.close();
  });
};

describe("layerKeyValue", () => {
  const storage = () => {
    const entries = new Map<string, string>();
    const store = KeyValueStore.makeStringOnly({
      get: (key) => Effect.sync(() => entries.get(key)),
      set: (key, value) => Effect.sync(() => void entries.set(key, value)),
      remove: (key) => Effect.sync(() => void entries.delete(key)),
      clear: Effect.sync(() => entries.clear()),
      keys: Effect.sync(() => [...entries.keys()]),
      size: Effect.sync(() => entries.size),
    });
    const layer = Layer.provide(
      Layer.fresh(layerKeyValue("limits")),
      Layer.succeed(KeyValueStore.KeyValueStore, store),
    );
    return { entries, layer };
  };

  keeps(() => storage().layer);

  it.each(["{", "[]", '{"format":1,"savedAt":1e15,"documents":[["routes",5]]}'])(
    "the limiter starts without known limits if the stored entry is %s",
    async (text) => {
      const { entries, layer } = storage();
      entries.set("limits", text);
      const limiter = createLimiter({ store: layer });
      expect((await limiter.run({ route }, () => ({ status: 200 }))).status).toBe(200);
      await limiter.close();
      expect(JSON.parse(entries.get("limits")!)).toMatchObject({ format: 1 });
    },
  );

  it("layerKeyValue saves the last requests when the program ends", async () => {
    const { entries, layer } = storage();
    const { handle } = sliding("p", [{ max: 4, period: 60_000 }]);
    const sent = PolicyLimiter.use(({ run }) => run({ route }, () => Effect.sync(() => handle(0))));
    // Time stands still, so the store saves at the end only.
    const layers = Layer.provideMerge(PolicyLimiter.layer(), Layer.merge(layer, TestClock.layer()));
    await Effect.runPromise(Effect.provide(sent, layers));
    expect(entries.get("limits")).toContain('"policy:p"');
  });

  it("layerKeyValue saves the limits of the last response, although no request follows", async () => {
    const { entries, layer } = storage();
    const limiter = createLimiter({ store: layer });
    await limiter.run({ route }, async () => {
      // The request alone has been saved.
      await sleep(20);
      return { status: 429, headers: { "x-rate-limit-policy": "slow", "retry-after": "600" } };
    });
    await vi.waitFor(() => expect(entries.get("limits")).toContain('"policy:slow"'), 10_000);
    await limiter.close();
  });

  it("layerKeyValue counts requests that were in flight when the last program ended as sent", async () => {
    const { layer } = storage();
    const service = sliding("p", [{ max: 4, period: 60_000 }]);
    const first = createLimiter({ store: layer });
    await call(first, service);
    const started = vi.fn<() => Promise<void>>(() => new Promise(() => undefined));
    void first.run({ route }, started).catch(() => undefined);
    await vi.waitFor(() => expect(started).toHaveBeenCalled(), 10_000);
    await first.close();
    const second = createLimiter({ store: layer });
    expect((await second.limits({ route })).policies[0]?.windows[0]?.used).toBe(2);
    await second.close();
  });
});

it("LimiterStoreError describes a failure of Redis by the message of its cause", () => {
  const cause = new RedisError({ cause: new Error("read ECONNRESET") });
  const { message } = new LimiterStoreError({ cause });
  expect(message).toBe("The store of the rate limiter failed: read ECONNRESET");
});

describe("a store that cannot be opened at first", () => {
  /** Fails until it is `open`. */
  const failing = () => {
    const state = { isOpen: false, attempts: 0 };
    const opened = Effect.suspend(() => {
      state.attempts++;
      return state.isOpen ? LimiterStore : Effect.fail(new Error("away"));
    });
    const store = Layer.provide(Layer.effect(LimiterStore, opened), LimiterStore.layerMemory);
    return { state, store };
  };

  it("requests fail if their maxWait ends before the store opens, and others are sent once it opens", async () => {
    const { state, store } = failing();
    const limiter = createLimiter({ store });
    const send = (maxWait: number) => limiter.run({ route, maxWait }, () => ({ status: 200 }));
    const patient = send(20_000);
    await expect(send(100)).rejects.toBeInstanceOf(LimiterStoreError);
    await vi.waitFor(() => expect(state.attempts).toBeGreaterThan(1), 10_000);
    state.isOpen = true;
    expect((await patient).status).toBe(200);
    await limiter.close();
  });
});

describeWithService("redis", "layerRedis", (url) => {
  let serial = 0;
  const redis = (address = url) => NodeRedis.layer({ url: address });
  const store = (prefix = `test-${process.pid}-${Date.now()}-${serial++}`): Store =>
    Layer.provide(Layer.fresh(layerRedis({ prefix })), redis());

  keeps(() => {
    const prefix = `test-${process.pid}-${Date.now()}-${serial++}`;
    return store(prefix);
  });

  it("layerRedis shares one budget between limiters of one prefix, and nothing between prefixes", async () => {
    const prefix = `shared-${process.pid}-${Date.now()}`;
    const limiters = Array.from({ length: 3 }, () => createLimiter({ store: store(prefix) }));
    const other = createLimiter({ store: store() });
    const service = sliding("p", [{ max: 9, period: 60_000 }]);
    const calls = Array.from({ length: 12 }, (_, index) =>
      call(limiters[index % 3]!, service, 20_000),
    );
    await Promise.allSettled(calls);
    expect(service.server.violations).toBe(0);
    expect(service.server.served).toBeGreaterThanOrEqual(8);
    expect((await other.limits({ route })).knowledge).toBe("unknown");
    await Promise.all([...limiters, other].map((limiter) => limiter.close()));
  });

  it("the transactions of two processes on one Redis store run one after another", async () => {
    const prefix = `order-${process.pid}-${Date.now()}`;
    const add = (processId: string) =>
      Effect.gen(function* () {
        const { transact } = yield* LimiterStore;
        return yield* Effect.forEach(Array.from({ length: 20 }), (_, index) =>
          transact((documents) => {
            const entries = (documents.routes()[` ${route}`] ??= []);
            entries.push([`${processId}${index}`, entries.length]);
            const position = entries.length;
            return () => position;
          }),
        );
      }).pipe(Effect.provide(store(prefix)));
    const program = Effect.all([add("a"), add("b")], { concurrency: 2 });
    const positions = (await Effect.runPromise(program)).flat();
    expect(positions.toSorted((a, b) => a - b)).toEqual(positions.map((_, index) => index + 1));
  });

  it("layerRedis restores the documents of a Redis that has lost its data, before any request is sent", async () => {
    const prefix = `lost-${process.pid}-${Date.now()}`;
    const limiter = createLimiter({ store: store(prefix) });
    const service = sliding("p", [{ max: 4, period: 60_000 }]);
    for (let index = 0; index < 3; index++) await call(limiter, service);
    await withRedis(url, async (send) => {
      const keys = (await send(["KEYS", `{${prefix}}*`])) as ReadonlyArray<string>;
      expect(keys.length).toBeGreaterThan(1);
      await send(["DEL", ...keys]);
    });
    const started = performance.now();
    const { policies } = await limiter.limits({ route });
    // In this time other processes restore theirs.
    expect(performance.now() - started).toBeGreaterThan(2400);
    expect(policies).toMatchObject([{ name: "p", windows: [{ used: 3 }] }]);
    await Promise.allSettled([1, 2, 3].map(() => call(limiter, service, 0)));
    expect(service.server.violations).toBe(0);
    await limiter.close();
  });
});
