/** What 10,000 requests leave behind. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createLimiter } from "@game-data/rate-limit/promise";
import { expect, it } from "vitest";
import { sliding } from "./model/sliding.ts";

it("the memory of a limiter stays constant over 10,000 requests of 20 routes and 50 users", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const limiter = createLimiter();
  const service = sliding("p", [{ max: 100_000, period: 1000 }]);
  const send = async (count: number): Promise<number> => {
    for (let index = 0; index < count; index++) {
      service.sentAt.length = 0;
      const request = { route: `GET /${index % 20}`, identity: `user-${index % 50}` };
      await limiter.run(request, () => service.handle(performance.now()));
    }
    // Requests of the last second count for some time, also at the server.
    await new Promise((resolve) => setTimeout(resolve, 4000));
    await limiter.run({ route: "GET /0" }, () => service.handle(performance.now()));
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await send(2000);
  const after = await send(10_000);
  expect(await limiter.waiting()).toBe(0);
  // Less than half of a kilobyte for each request: what earlier tests leave behind varies by 2 MB.
  expect(after - before).toBeLessThan(5_000_000);
  await limiter.close();
});
