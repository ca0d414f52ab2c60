/** A Redis that does not answer, for ever and for five seconds. */
import { setTimeout as sleep } from "node:timers/promises";
import * as NodeRedis from "@effect/platform-node/NodeRedis";
import { layerRedis, LimiterStoreError } from "@game-data/rate-limit";
import { createLimiter, type Limiter } from "@game-data/rate-limit/promise";
import { describeWithService } from "@game-data/test-support";
import { Layer } from "effect";
import { expect, it, onTestFinished } from "vitest";
import { ownRedis } from "./model/ownRedis.ts";
import { sliding } from "./model/sliding.ts";

const route = "GET /x";

const call = (limiter: Limiter, service: ReturnType<typeof sliding>, maxWait: number) =>
  limiter.run({ route, maxWait }, () => service.handle(performance.now()));

describeWithService("redis", "a Redis that is away", () => {
  it("fails requests within 10 s while Redis is away, and earlier if they may not wait", async () => {
    const own = await ownRedis();
    onTestFinished(own.stop);
    const limiter = createLimiter({
      store: Layer.provide(layerRedis(), NodeRedis.layer({ url: own.url })),
      maxWait: "1 minute",
    });
    await limiter.run({ route }, () => ({ status: 200 }));
    const paused = own.pause(15_000);
    const started = performance.now();
    let sent = 0;
    const failure = async (maxWait: number) => {
      await expect(limiter.run({ route, maxWait }, () => ++sent)).rejects.toThrow(
        LimiterStoreError,
      );
      return performance.now() - started;
    };
    const [short, long] = await Promise.all([failure(1000), failure(60_000)]);
    expect(short).toBeLessThan(5000);
    expect(long).toBeLessThan(13_000);
    expect(sent).toBe(0);
    await paused;
    // Back again, the limiter goes on.
    expect((await limiter.run({ route }, () => ({ status: 200 }))).status).toBe(200);
    await limiter.close();
  }, 60_000);

  it("waits for a Redis that is away at the first request, and at the end no longer than 5 s", async () => {
    const own = await ownRedis();
    onTestFinished(own.stop);
    const restarted = own.restart(2000);
    const limiter = createLimiter({
      store: Layer.provide(layerRedis(), NodeRedis.layer({ url: own.url })),
    });
    const send = (maxWait: number) => limiter.run({ route, maxWait }, () => ({ status: 200 }));
    await expect(send(100)).rejects.toBeInstanceOf(LimiterStoreError);
    await restarted;
    expect((await send(20_000)).status).toBe(200);
    own.stop();
    const started = performance.now();
    await limiter.close();
    expect(performance.now() - started).toBeLessThan(10_000);
  }, 60_000);

  it("loses no response while Redis is away for 5 s, and keeps no place of a lost reply", async () => {
    const own = await ownRedis();
    onTestFinished(own.stop);
    const limiter = createLimiter({
      store: Layer.provide(layerRedis(), NodeRedis.layer({ url: own.url })),
      inFlightTimeout: "1 minute",
    });
    const service = sliding("p", [{ max: 30, period: 60_000 }]);
    await call(limiter, service, 20_000);
    const paused = own.pause(5000);
    const calls = Array.from({ length: 6 }, async (_, index) => {
      await sleep(index * 300);
      return call(limiter, service, 20_000);
    });
    const ends = await Promise.allSettled(calls);
    await paused;
    for (const end of ends)
      if (end.status === "rejected") expect(end.reason).toBeInstanceOf(LimiterStoreError);
    await call(limiter, service, 20_000);
    expect(service.server.violations).toBe(0);
    expect((await limiter.limits({ route })).policies[0]?.windows[0]?.used).toBe(
      service.server.served,
    );
    await limiter.close();
  }, 60_000);
});
