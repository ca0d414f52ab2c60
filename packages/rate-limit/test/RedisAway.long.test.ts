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
    const closed = limiter.close().then(() => "closed");
    expect(await Promise.race([closed, sleep(8000, "late")])).toBe("closed");
  }, 60_000);

  it("returns responses while Redis is away for 10 s, records them later, and keeps no place of a lost reply", async () => {
    const own = await ownRedis();
    onTestFinished(own.stop);
    const limiter = createLimiter({
      store: Layer.provide(layerRedis(), NodeRedis.layer({ url: own.url })),
      inFlightTimeout: "1 minute",
    });
    const service = sliding("p", [{ max: 30, period: 60_000 }]);
    await call(limiter, service, 20_000);
    const isAway = Promise.withResolvers<void>();
    const responded = limiter.run({ route, maxWait: 20_000 }, async () => {
      await isAway.promise;
      return service.handle(performance.now());
    });
    await sleep(100);
    // Longer than a transaction may take.
    const paused = own.pause(10_000);
    isAway.resolve();
    const early = await Promise.race([responded, sleep(1000, "late")]);
    expect(early).toMatchObject({ status: 200 });
    const ends = await Promise.allSettled(
      Array.from({ length: 6 }, async (_, index) => {
        await sleep(index * 300);
        return call(limiter, service, 20_000);
      }),
    );
    await paused;
    for (const end of ends)
      if (end.status === "rejected") expect(end.reason).toBeInstanceOf(LimiterStoreError);
    await call(limiter, service, 20_000);
    const { served, violations } = service.server;
    expect(violations).toBe(0);
    expect((await limiter.limits({ route })).policies[0]?.windows[0]?.used).toBe(served);
    await limiter.close();
  }, 60_000);
});
