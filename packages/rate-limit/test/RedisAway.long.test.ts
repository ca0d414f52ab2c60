/** A Redis that cannot be reached for 12 seconds and has lost its data, and one that is away at first. */
import { setTimeout as sleep } from "node:timers/promises";
import * as NodeRedis from "@effect/platform-node/NodeRedis";
import { layerRedis, LimiterStoreError } from "@game-data/rate-limit";
import { createLimiter } from "@game-data/rate-limit/promise";
import { describeWithService } from "@game-data/test-support";
import { Layer } from "effect";
import { expect, it, onTestFinished, vi } from "vitest";
import { ownRedis } from "./model/ownRedis.ts";
import { sliding } from "./model/sliding.ts";

const route = "GET /x";

const setUp = async () => {
  const redis = await ownRedis();
  onTestFinished(redis.stop);
  const store = Layer.provide(layerRedis(), NodeRedis.layer({ url: redis.url }));
  const limiter = createLimiter({ store });
  const service = sliding("p", [{ max: 30, period: 60_000 }]);
  const send = (maxWait: number) =>
    limiter.run({ route, maxWait }, () => service.handle(performance.now()));
  return { limiter, redis, send, service };
};

describeWithService("redis", "a Redis that is away", () => {
  it("while Redis is unavailable, requests fail within 13 s, and outcomes are kept until it is back", async () => {
    const { limiter, redis, send, service } = await setUp();
    await send(20_000);
    const isAway = Promise.withResolvers<void>();
    const responded = limiter.run({ route }, async () => {
      await isAway.promise;
      return { ...service.handle(performance.now()), status: 404 };
    });
    await sleep(500);
    const restarted = redis.restart(12_000);
    isAway.resolve();
    const early = await Promise.race([responded, sleep(2000, "late")]);
    expect(early).toMatchObject({ status: 404 });
    const started = performance.now();
    const failure = async (maxWait: number) => {
      await expect(send(maxWait)).rejects.toThrow(LimiterStoreError);
      return performance.now() - started;
    };
    const [short, long] = await Promise.all([failure(1000), failure(60_000)]);
    expect(short).toBeLessThan(5000);
    expect(long).toBeLessThan(13_000);
    expect(service.server.handled).toBe(2);
    await restarted;
    // The client of Redis takes its time to connect again.
    await vi.waitFor(() => send(20_000), 30_000);
    expect(await limiter.limits({ route })).toMatchObject({
      clientErrors: { count: 1 },
      policies: [{ windows: [{ used: 3, foreign: 0 }] }],
    });
    await limiter.close();
  }, 60_000);

  it("the first request waits for a Redis that is unavailable, and `close` waits at most 5 s for it", async () => {
    const { limiter, redis, send } = await setUp();
    const restarted = redis.restart(2000);
    await expect(send(100)).rejects.toBeInstanceOf(LimiterStoreError);
    await restarted;
    expect((await send(20_000)).status).toBe(200);
    redis.stop();
    const closed = limiter.close().then(() => "closed");
    expect(await Promise.race([closed, sleep(8000, "late")])).toBe("closed");
  }, 60_000);
});
