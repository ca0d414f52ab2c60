/** Routes of which nothing is known, services that tell nothing, and counts that cannot be. */
import { describe, expect, it } from "vitest";
import { adaptive } from "../src/adaptive.ts";
import { Queue } from "../src/core/Queue.ts";
import { createLimiter } from "../src/index.ts";
import { queueOptions } from "../src/limiterOptions.ts";
import type { LimiterOptions } from "../src/limiterOptions.ts";
import type { RequestOutcome } from "../src/Model.ts";
import { virtualClock } from "./model/queueTrace.ts";
import { one, stale } from "./model/regimes.ts";
import { simulate } from "./model/simulate.ts";
import { startQueue } from "./model/startQueue.ts";
import type { Regime } from "./model/simulate.ts";

const headersOf = (
  policy: string,
  limits: ReadonlyArray<string>,
  count: number,
): Record<string, string> => ({
  "x-rate-limit-policy": policy,
  "x-rate-limit-rules": "account",
  "x-rate-limit-account": limits.map((limit) => `${limit}:60`).join(),
  "x-rate-limit-account-state": limits.map((limit) => `${count}:${limit.split(":")[1]}:0`).join(),
});

describe("routes of one unknown policy", () => {
  const routes = Array.from({ length: 64 }, (_, index) => `GET /${index}`);

  it.each([8, 64])("are no burst: %i in flight, and none is refused [NS-11]", (fibers) => {
    for (const seed of [1, 2, 3]) {
      const regime = { name: "64 routes", server: one("60:60"), routes, fibers, target: 94 };
      const { utilisation, violations } = simulate(regime, seed);
      expect([seed, violations]).toEqual([seed, 0]);
      expect(utilisation).toBeGreaterThanOrEqual(93);
    }
  });
});

describe("a guest", () => {
  /** Requests of a route, each answered after 20 ms. */
  const start = (answer: (route: string) => RequestOutcome) => {
    const { clock, pass } = virtualClock();
    const queue = new Queue(queueOptions({ maxWait: 600_000 }), clock);
    const sent: Array<readonly [route: string, at: number]> = [];
    const call = (route: string): void => {
      queue.submit(
        { route },
        {
          granted: (_, grant) => {
            sent.push([route, clock.now()]);
            clock.schedule(20, () => void queue.settle(grant, answer(route)));
          },
          refused: () => undefined,
          failed: () => undefined,
        },
      );
    };
    return { call, pass, queue, sent };
  };

  it("of another policy does not wait for the likeliest one's hour", async () => {
    let hour = 0;
    const { call, pass, sent } = start((route) => ({
      status: 200,
      headers:
        route === "GET /free" ? headersOf("q", ["100:10"], 1) : headersOf("p", ["5:3600"], ++hour),
    }));
    for (let index = 0; index < 5; index++) {
      call("GET /hourly");
      await pass(100);
    }
    call("GET /free");
    await pass(70_000);
    expect(sent.filter(([route]) => route === "GET /free")).toHaveLength(1);
    // Its answer has named its own policy: now it waits for nobody.
    for (let index = 0; index < 10; index++) call("GET /free");
    await pass(10_000);
    expect(sent.filter(([route]) => route === "GET /free").length).toBeGreaterThan(5);
  });

  it.each([
    ["q", ["p", "q", "q"]],
    ["q", ["q", "q", "p"]],
    ["p", ["p", "q"]],
  ])("is one of %s, of the policies %o of the routes before it", async (host, policies) => {
    const { call, granted, pass, queue } = startQueue();
    for (const [index, policy] of [...policies, host].entries()) {
      call(`GET /${index}`);
      await pass(100);
      const headers = headersOf(policy, ["50:10"], 1);
      await queue.settle(granted.at(-1)!, { status: 200, headers });
    }
    expect(granted.at(-1)!.policies).toEqual([host, `?GET /${policies.length}`]);
  });

  it("goes at once where its host has granted nothing yet, full as it is", async () => {
    const { call, pass, sent } = start(() => ({
      status: 200,
      headers: headersOf("p", ["5:60"], 5),
    }));
    for (const route of ["GET /a", "GET /b", "GET /c"]) {
      call(route);
      await pass(100);
    }
    expect(sent.map(([route]) => route)).toEqual(["GET /a", "GET /b"]);
  });

  it.each([
    ["5:3600", 61_000],
    ["50:20,5:3600", 21_000],
    ["5:3600,50:5", 11_000],
  ])(
    "waits for a host that is full as long as its shortest window: %s, %i ms",
    async (limits, millis) => {
      const { call, pass, sent } = start(() => ({
        status: 200,
        headers: headersOf("p", limits.split(","), 5),
      }));
      for (const route of ["GET /a", "GET /b", "GET /c"]) {
        call(route);
        await pass(100);
      }
      await pass(70_000);
      expect(sent[2]![1] - sent[1]![1]).toBe(millis);
    },
  );

  it("leaves its host when its answer names another policy, or none", async () => {
    const { call, pass, queue } = start((route) => ({
      status: 200,
      headers: route === "GET /a" ? headersOf("p", ["5:60"], 1) : {},
    }));
    call("GET /a");
    await pass(100);
    call("GET /b");
    await pass(5);
    const { state } = queue.store.backend!;
    const used = () => [...state.policies.get("p")!.windows[0]!.logs.values()][0]!.hits.length;
    expect(used()).toBe(2);
    await pass(100);
    expect(used()).toBe(1);
    expect(state.policies.get("?GET /b")?.limits).toBe("none");
    call("GET /b");
    await pass(5);
    expect([...state.leases.values()].at(-1)!.policies).toEqual(["?GET /b"]);
  });

  it("of a service that has not answered yet goes alone, and one more each second", async () => {
    const { call, pass, sent } = start(() => ({ status: undefined, sent: true }));
    const never = startQueue({ maxWait: 600_000 });
    for (const route of ["GET /a", "GET /b", "GET /c"]) never.call(route);
    for (const [millis, count] of [
      [999, 1],
      [1, 2],
      [999, 2],
      [1, 3],
    ] as const) {
      await never.pass(millis);
      expect(never.granted).toHaveLength(count);
    }
    for (const route of ["GET /a", "GET /b"]) call(route);
    await pass(1100);
    expect(sent.map(([route]) => route)).toEqual(["GET /a", "GET /b"]);
  });
});

describe("a service that tells no limits", () => {
  const silent: Regime["server"] = (random) => ({
    ...one("30:60")(random),
    headers: (headers) => (headers["retry-after"] ? { "retry-after": headers["retry-after"] } : {}),
  });
  const stated = (max: number, seed: number) =>
    simulate(
      { name: "stated", server: silent, target: 96, core: { stated: [{ max, period: 60_000 }] } },
      seed,
    );

  it.each([1, 2, 3])("is never exceeded where the program states its limits, seed %i", (seed) => {
    const { utilisation, violations } = stated(30, seed);
    expect(violations).toBe(0);
    expect(utilisation).toBeGreaterThanOrEqual(95);
  });

  /** The number of requests that have gone, of those that are answered at once, or not at all. */
  const silence = (options: LimiterOptions) => {
    const { clock, pass } = virtualClock();
    const queue = new Queue(queueOptions({ maxWait: Infinity, ...options }), clock);
    let gone = 0;
    const call = (outcome?: RequestOutcome) =>
      void queue.submit(
        { route: "GET /a" },
        {
          granted: (_, grant) => {
            gone++;
            if (outcome) void queue.settle(grant, outcome);
          },
          refused: ({ kind }) => expect.unreachable(kind),
          failed: (cause) => expect.unreachable(String(cause)),
        },
      );
    return { call, gone: () => gone, pass };
  };

  it("keeps within each of the limits that the program states", async () => {
    const { call, gone, pass } = silence({ limits: ["2 per 10s", "3 per 60s"] });
    for (let index = 0; index < 7; index++) call({ status: 200 });
    const after: Array<number> = [];
    for (const millis of [5000, 10_000, 40_000, 10_000, 15_000, 50_000]) {
      await pass(millis);
      after.push(gone());
    }
    expect(after).toEqual([2, 3, 3, 5, 6, 7]);
  });

  it("has the limits of its responses, once they tell some, and not those of the program", async () => {
    const { call, gone, pass } = silence({ limits: ["1 per 3600s"] });
    for (let index = 0; index < 5; index++)
      call({ status: 200, headers: headersOf("p", ["50:60"], index + 1) });
    await pass(100);
    expect(gone()).toBe(5);
  });

  it("has so many requests in flight as its option says, also after one was not sent", async () => {
    const { call, gone, pass } = silence({ concurrencyWithoutHeaders: 3 });
    call({ status: 200 });
    call({ status: undefined, sent: false });
    for (let index = 0; index < 5; index++) call();
    await pass(100);
    expect(gone()).toBe(2 + 3);
  });

  it("lowers a stated limit that was too high", () => {
    const { utilisation, violations } = stated(40, 1);
    expect(violations).toBeLessThanOrEqual(9);
    expect(utilisation).toBeGreaterThanOrEqual(65);
  });

  it.each([
    ["with", true, ["30:60"], 80, 5],
    ["with", true, ["15:10b5"], 75, 5],
    ["with", true, ["10:5", "100:600"], 55, 9],
    ["without", false, ["30:60"], 74, 10],
    ["without", false, ["15:10b5"], 40, 10],
  ] as const)(
    "is found out by its refusals, %s Retry-After: %#",
    (_, tellsWait, windows, share, refused) => {
      const server: Regime["server"] = (random) => ({
        ...one(...windows)(random),
        headers: ({ "retry-after": wait }): Record<string, string> =>
          tellsWait && wait ? { "retry-after": wait } : {},
      });
      for (const seed of [1, 2, 3]) {
        const run = simulate({ name: "found", server, target: 0, core: { adaptive } }, seed);
        expect(run.violations).toBeLessThanOrEqual(refused);
        expect(run.utilisation).toBeGreaterThanOrEqual(share);
      }
    },
  );

  it("keeps the pace that was found when its process starts anew", () => {
    const server: Regime["server"] = silent;
    const restart = { every: 300_000, keeps: true };
    const regime = { name: "kept", server, target: 0, restart, core: { adaptive } };
    const { utilisation, violations } = simulate(regime, 1);
    expect(violations).toBeLessThanOrEqual(5);
    expect(utilisation).toBeGreaterThanOrEqual(60);
  });

  it.each([["ten per 5s"], ["10 per"], ["0 per 5s"], ["-1 per 5s"], ["10 per 0s"], [7], [null]])(
    "cannot be described as %o",
    (limit) => {
      expect(() => createLimiter({ limits: [limit as string] })).toThrow(
        "limits[0] must be a limit",
      );
    },
  );
});

describe("counts that cannot be", () => {
  const lying =
    (state: (random: () => number) => string | undefined): Regime["server"] =>
    (random) => ({
      ...one("30:60")(random),
      headers: (headers, _, next) => {
        const told = state(next);
        return told === undefined ? headers : { ...headers, "x-rate-limit-account-state": told };
      },
    });

  it.each([1, 2, 3])("such as 1 always are not believed, seed %i", (seed) => {
    const server = lying(() => "1:60:0");
    const { utilisation, violations } = simulate({ name: "1", server, target: 92 }, seed);
    expect(violations).toBeLessThanOrEqual(1);
    expect(utilisation).toBeGreaterThanOrEqual(92);
  });

  it.each([1, 2, 3])("among true ones cost nothing, seed %i", (seed) => {
    const server = lying((random) =>
      random() < 0.1 ? `${1 + Math.floor(random() * 10)}:60:0` : undefined,
    );
    const { utilisation, violations } = simulate({ name: "10 %", server, target: 95 }, seed);
    expect(violations).toBe(0);
    expect(utilisation).toBeGreaterThanOrEqual(95);
  });

  // With the first seed one hides the window until its requests have left: strangers do the same.
  it.each([2, 3])("because they are old are taken back by the next true one, seed %i", (seed) => {
    const { utilisation, violations } = simulate(
      { name: "old", server: stale(5), target: 98 },
      seed,
    );
    expect(violations).toBeLessThanOrEqual(1);
    expect(utilisation).toBeGreaterThanOrEqual(98);
  });
});
