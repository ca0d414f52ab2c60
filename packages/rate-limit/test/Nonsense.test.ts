/** Stores, dialects and callbacks that give nonsense: it is told, or left out. */
import { describe, expect, it, vi } from "vitest";
import { settle } from "../src/core/learn.ts";
import { cancel, tryAcquire } from "../src/core/plan.ts";
import { defaultOptions, newState } from "../src/core/State.ts";
import type { Grant } from "../src/core/State.ts";
import { createLimiter, discord, github, memoryStore } from "../src/index.ts";
import type { LimiterOptions, RequestOutcome, Store } from "../src/index.ts";
import type { FaultSource, LimiterEvent } from "../src/Model.ts";
import { startQueue } from "./model/startQueue.ts";

describe("a store", () => {
  const state = newState();
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["no state", {}],
    ["a state that is none", { state: 5 }],
    ["no errors", { state: { ...state, errors: undefined } }],
    ["no leases", { state: { ...state, leases: {} } }],
    ["no policies", { state: { ...state, policies: [] } }],
    ["no routes", { state: { ...state, routes: undefined } }],
    ["a text in place of a function", { state, reserve: "yes" }],
  ])("that opens %s opens nothing", async (_, opened) => {
    const limiter = createLimiter({ store: { open: () => opened } as unknown as Store });
    await expect(limiter.run({ route: "GET /a" }, () => ({}))).rejects.toMatchObject({
      name: "StoreError",
      detail: "it opened nothing",
    });
  });

  it.each([
    [new Error("no file"), "no file"],
    ["no file", "no file"],
    [7, "it gave no reason"],
    ["", "it gave no reason"],
  ])("that throws as it opens is told with what it threw: %o", async (cause, detail) => {
    const open = (): never => {
      throw cause;
    };
    const running = createLimiter({ store: { open } }).run({ route: "GET /a" }, () => ({}));
    await expect(running).rejects.toMatchObject({ name: "StoreError", detail, cause });
  });

  it.each([[Number.NaN], ["5"], [null]])("that reserves until %o has failed", async (until) => {
    const reserve = () => Promise.resolve(until as number);
    const store: Store = { open: () => ({ state: newState(), reserve }) };
    const running = createLimiter({ store }).run({ route: "GET /a" }, () => ({}));
    await expect(running).rejects.toMatchObject({ detail: "its reply is not a time" });
  });

  it.each<[string, () => unknown, number]>([
    ["3", () => 3, 2],
    ["NaN", () => Number.NaN, 5],
    ["-1", () => -1, 5],
    [
      "an error",
      () => {
        throw new Error("x");
      },
      5,
    ],
  ])("that spares %s keeps as many places free", async (_, spare, places) => {
    const store = { ...memoryStore(), spare: spare as () => number };
    const { call, failed, granted, pass } = start({ store, bucketSizes: [], maxWait: 0 });
    const headers = {
      "x-rate-limit-policy": "p",
      "x-rate-limit-rules": "client",
      "x-rate-limit-client": "5:60:60",
    };
    for (let index = 0; index < 8; index++) {
      call({ status: 200, headers });
      await pass(5);
    }
    expect(granted).toHaveLength(places);
    expect(failed).toEqual([]);
  });
});

/** A queue whose requests are answered at once, each as it says. */
/** Each request ends at once, with its outcome. */
const start = (options: LimiterOptions) => {
  const { call, queue, ...seen } = startQueue(options);
  const end = (outcome: RequestOutcome) =>
    call("GET /a", 0, (grant) => void queue.settle(grant, outcome));
  return { ...seen, call: end };
};

describe("a response", () => {
  const empty = { "x-ratelimit-limit": "5", "x-ratelimit-remaining": "0", date: "x" };
  it.each<[string, LimiterOptions, RequestOutcome, number | undefined]>([
    ["403 without headers", { dialect: github }, { status: 403 }, undefined],
    ["403 without a wait", { dialect: github }, { status: 403, headers: {} }, undefined],
    ["403 with one", { dialect: github }, { status: 403, headers: { "retry-after": "5" } }, 6000],
    [
      "404 with one",
      { dialect: github },
      { status: 404, headers: { "retry-after": "5" } },
      undefined,
    ],
    [
      "200 with nothing left",
      { dialect: github },
      { status: 200, headers: { ...empty, "x-ratelimit-reset": "1700000011" } },
      11_000,
    ],
    ["429 without headers", {}, { status: 429 }, 15_000],
    ["no response", {}, { status: undefined }, undefined],
    [
      "429 of Discord",
      { dialect: discord },
      { status: 429, headers: { "retry-after": "1" } },
      1005,
    ],
  ])("such as %s holds the route as long as it says", async (_, options, outcome, millis) => {
    const events: Array<LimiterEvent> = [];
    const onEvent = (event: LimiterEvent) => events.push(event);
    const { call, failed, granted, pass, refused } = start({ ...options, onEvent });
    call(outcome);
    call({ status: 200 });
    await pass(0);
    expect(failed).toEqual([]);
    const waits = refused.map(({ retryAfterMillis }) => retryAfterMillis);
    expect(waits).toEqual(millis === undefined ? [] : [millis]);
    expect(granted).toHaveLength(millis === undefined ? 2 : 1);
    expect(events.filter(({ type }) => type === "fault")).toEqual([]);
  });
});

it("a listener that rejects harms nobody", async () => {
  const onEvent = () => Promise.reject(new Error("metrics are down"));
  const limiter = createLimiter({ onEvent });
  expect(await limiter.run({ route: "GET /a" }, () => 7)).toBe(7);
  await new Promise(setImmediate);
});

describe("a callback that fails", () => {
  const broken = (): never => {
    throw new Error("mine");
  };
  it.each<[FaultSource, string, LimiterOptions, unknown]>([
    ["dialect", "a dialect that throws", { dialect: { name: "x", read: broken } }, undefined],
    ["countsAsError", "a `countsAsError` that throws", { countsAsError: broken }, undefined],
    [
      "dialect",
      "a dialect whose answer throws",
      {
        dialect: {
          name: "x",
          read: () =>
            ({
              get windows() {
                return broken();
              },
            }) as never,
        },
      },
      undefined,
    ],
    [
      "dialect",
      "a dialect whose window throws",
      {
        dialect: {
          name: "x",
          read: () =>
            ({
              windows: [
                {
                  get rule() {
                    return broken();
                  },
                },
              ],
            }) as never,
        },
      },
      undefined,
    ],
    [
      "dialect",
      "a dialect whose refusals throw",
      {
        dialect: {
          name: "x",
          read: () => ({}) as never,
          get refusals(): never {
            return broken();
          },
        },
      },
      undefined,
    ],
    ["report", "a `report` that rejects", {}, async () => broken()],
    [
      "report",
      "a `report` whose outcome throws",
      {},
      () => ({
        get status() {
          return broken();
        },
      }),
    ],
    ["adaptive", "an `adaptive` that throws", { adaptive: broken }, undefined],
  ])("(%s) such as %s is told, and keeps no place", async (source, _, options, report) => {
    const faults: Array<string> = [];
    const limiter = createLimiter({
      maxInFlight: 1,
      ...options,
      onEvent: (event) =>
        event.type === "fault" && faults.push(`${event.source}: ${String(event.cause)}`),
    });
    for (let index = 0; index < 2; index++) {
      const request = { route: "GET /a", maxWait: 0, report: report as never };
      expect(await limiter.run(request, () => ({ status: 200, headers: {} }))).toMatchObject({
        status: 200,
      });
      await new Promise(setImmediate);
    }
    expect(faults).toEqual([`${source}: Error: mine`, `${source}: Error: mine`]);
  });

  it("such as a `report` that throws is told, and thrown", async () => {
    const faults: Array<unknown> = [];
    const limiter = createLimiter({
      onEvent: (event) => event.type === "fault" && faults.push(event.source),
    });
    const running = limiter.run({ route: "GET /a", report: broken }, () => 7);
    await expect(running).rejects.toThrow("mine");
    expect(faults).toEqual(["report"]);
  });
});

describe("programs that misbehave", () => {
  it("are asked about nothing but statuses", async () => {
    const countsAsError = vi.fn<(status: number) => boolean>(() => true);
    const { call, queue } = startQueue({ countsAsError });
    for (const status of [undefined, 200])
      call("GET /a", 0, (grant) => void queue.settle(grant, { status }));
    expect(countsAsError.mock.calls).toEqual([[200]]);
  });

  it("learn nothing from readings that are none", async () => {
    const windows = [
      { rule: "a", max: Number.NaN, periodMillis: 1000 },
      { rule: "a", max: 5, periodMillis: -1 },
      { rule: 7, max: 5, periodMillis: 1 },
      null,
      "text",
    ];
    const readings = [windows, "windows", undefined];
    const read = () => ({ policy: 4, windows: readings.pop(), retryAfterMillis: NaN }) as never;
    const { call, granted, pass, queue } = startQueue({ dialect: { name: "garbage", read } });
    for (let index = 0; index < 3; index++) {
      call();
      await pass(10);
      await queue.settle(granted[index]!, { status: 200, headers: {} });
    }
    const learned = [...queue.store.backend!.state.policies.values()];
    expect(learned.map(({ windows: each }) => each)).toEqual([[]]);
  });
});

describe("an epoch in place of seconds", () => {
  it.each([200, 429])("holds a policy for a day at most, status %i", async (status) => {
    const { call, granted, pass, queue, refused } = startQueue({});
    call();
    const headers = {
      "x-rate-limit-policy": "p",
      "x-rate-limit-rules": "ip",
      "x-rate-limit-ip": "5:10:60",
      "x-rate-limit-ip-state": "1:10:1795675380",
    };
    await queue.settle(granted[0]!, { status, headers });
    call();
    await pass(10);
    expect(refused).toMatchObject([{ retryAfterMillis: 86_400_000 }]);
  });
});

describe("what responses name without end", () => {
  it("is forgotten: a route has a few policies", async () => {
    const state = newState();
    const grantOf = (route: string, at: number): Grant => {
      const answer = tryAcquire(state, { id: `${at}`, route, identity: "me" }, at, defaultOptions);
      if ("until" in answer) throw new Error(answer.reason);
      return answer;
    };
    const ask = (route: string, policy: string, at: number): void => {
      const answer = grantOf(route, at);
      const info = { policy, windows: [], retryAfterMillis: undefined };
      settle(state, answer, { status: 200, info, at: at + 10 }, defaultOptions);
    };
    ask("GET /b", "p7", 0);
    ask("GET /a", "p", 500);
    const lease = grantOf("GET /a", 999);
    for (let index = 0; index < 800; index++) ask("GET /a", `p${index}`, 1000 + index * 1000);
    cancel(state, lease, defaultOptions);
    // Another route has one of them still.
    const named = ["p7", ...Array.from({ length: 16 }, (_, index) => `p${784 + index}`)];
    expect([...state.policies.keys()].filter((name) => name.startsWith("p"))).toEqual(named);
    expect([...state.routes.get("GET /a")!.keys()]).toEqual(named.slice(1));
  });

  it("is left out: a response has a few windows", async () => {
    const windows = Array.from({ length: 10_000 }, (_, index) => ({
      rule: `r${index}`,
      max: 5,
      periodMillis: 1000,
    }));
    const read = () => ({ policy: "p", windows, retryAfterMillis: undefined });
    const { call, granted, pass, queue } = startQueue({ dialect: { name: "many", read } });
    call();
    await pass(10);
    await queue.settle(granted[0]!, { status: 200, headers: {} });
    expect(queue.store.backend!.state.policies.get("p")!.windows).toHaveLength(64);
  });
});
