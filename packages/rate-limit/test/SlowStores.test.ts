/** Stores that open late, answer late or hang: who waits for them is told, and nothing is lost. */
import { describe, expect, it, vi } from "vitest";
import { newState } from "../src/core/State.ts";
import { Queue } from "../src/core/Queue.ts";
import { explain, snapshot } from "../src/inspect.ts";
import { queueOptions } from "../src/limiterOptions.ts";
import type { LimiterEvent } from "../src/Model.ts";
import { redisStore } from "../src/redis/index.ts";
import type { Backend, Clock, Store } from "../src/Store.ts";
import { virtualClock } from "./model/queueTrace.ts";
import { modelRedis } from "./model/redis.ts";
import { sliding } from "./model/sliding.ts";
import { startQueue } from "./model/startQueue.ts";

/** A store whose answers come when the test says so. */
const slowStore = (late: Partial<Backend>): Store => ({
  open: () => ({ state: newState(), ...late }),
});

describe("a store that takes its time", () => {
  it("is given back what an abort left behind while it reserved", async () => {
    const settled: Array<boolean> = [];
    let decide: (() => void) | undefined;
    const store = slowStore({
      reserve: () => new Promise((resolve) => (decide = () => resolve(undefined))),
      settle: async (_, isSent, record) => {
        settled.push(isSent);
        record();
      },
    });
    const { call, granted, pass, queue } = startQueue({ store });
    const leave = call();
    await pass(10);
    leave();
    decide!();
    await pass(10);
    expect(granted).toHaveLength(0);
    expect(settled).toEqual([false]);
    expect(queue.store.backend!.state.leases.size).toBe(0);
  });

  it("reserves a kept place for a request of a higher priority, whose wait is short", async () => {
    const store = slowStore({
      reserve: () => new Promise((resolve) => clock.schedule(20, () => resolve(undefined))),
    });
    const options = { store, reserve: { 1: 2 }, bucketSizes: [] };
    const { call, clock, granted, pass, queue } = startQueue(options);
    const headers = (count: number) => ({
      "x-rate-limit-policy": "p",
      "x-rate-limit-rules": "client",
      "x-rate-limit-client": "10:5:60",
      "x-rate-limit-client-state": `${count}:5:0`,
    });
    let hits = 0;
    const send = () =>
      call("GET /a", 60_000, (grant) => {
        const outcome = { status: 200, headers: headers(++hits) };
        clock.schedule(400, () => queue.settle(grant, outcome));
      });
    send();
    await pass(500);
    for (let index = 0; index < 7; index++) send();
    await pass(500);
    send();
    await pass(200);
    expect([granted.length, queue.waiting()]).toEqual([8, 1]);
    const told: Array<string> = [];
    const delivery = {
      granted: () => void told.push("granted"),
      refused: ({ kind }: { readonly kind: string }) => void told.push(kind),
      failed: () => void told.push("failed"),
    };
    queue.submit({ route: "GET /a", priority: 1, maxWait: 1000 }, delivery);
    await pass(1000);
    expect(told).toEqual(["granted"]);
  });

  it("puts requests back, each of which waits once", async () => {
    let isBusy = false;
    const store = slowStore({ reserve: async () => (isBusy ? clock.now() + 300 : undefined) });
    const { call, clock, granted, pass, queue } = startQueue({ store, limits: ["4 per 2s"] });
    call("GET /a", 20_000, (grant) => queue.settle(grant, { status: 200 }));
    await pass(10);
    isBusy = true;
    const leave = Array.from({ length: 14 }, () => call("GET /a", 20_000));
    await pass(1000);
    for (const away of leave.slice(2)) away();
    expect(queue.waiting()).toBe(2);
    expect(explain({ queue })).toMatchObject([{ waiting: 2 }]);
    isBusy = false;
    await pass(10_000);
    expect(granted).toHaveLength(3);
  });

  it("that opened late and then hangs is named to all that waited for it", async () => {
    const opened = Promise.withResolvers<Backend>();
    const store = { open: () => opened.promise };
    const { call, failed, pass, refused } = startQueue({ store });
    for (let index = 0; index < 4; index++) call("GET /a", 500);
    await pass(50);
    opened.resolve({ state: newState(), reserve: () => new Promise<never>(() => undefined) });
    await pass(500);
    expect([failed.length, refused]).toEqual([4, []]);
  });

  it("that never answers fails what waits for it, and keeps no place", async () => {
    const never = new Promise<never>(() => undefined);
    const store = slowStore({ reserve: () => never });
    const { call, failed, granted, pass, queue } = startQueue({ store });
    call("GET /a", 60_000);
    await pass(11_000);
    expect(granted).toHaveLength(0);
    expect(failed).toMatchObject([{ detail: "it did not answer within 10 s" }]);
    expect(queue.store.backend!.state.leases.size).toBe(0);
  });

  it.each([
    [0, 250],
    [500, 500],
  ])(
    "that hangs fails after the maximum wait of %i ms, and then is given back",
    async (wait, after) => {
      const settled: Array<boolean> = [];
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const store = slowStore({
        reserve: () => promise,
        settle: async (_, isSent) => void settled.push(isSent),
      });
      const { call, failed, granted, pass } = startQueue({ store });
      call("GET /a", wait);
      await pass(after - 1);
      expect(failed).toEqual([]);
      await pass(1);
      expect(String(failed[0])).toContain("did not answer in time");
      resolve(undefined);
      await pass(10);
      expect([granted, failed, settled]).toEqual([[], [failed[0]], [false]]);
    },
  );

  it.each([
    ["permits it only later", () => 5000],
    ["fails", () => Promise.reject(new Error("gone"))],
  ])("that %s has nothing to say to a request that has left", async (_, answer) => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const store = slowStore({ reserve: () => promise });
    const { call, failed, granted, pass, queue } = startQueue({ store });
    const leave = call();
    await pass(10);
    leave();
    resolve(answer());
    await pass(20_000);
    expect([failed, granted, queue.waiting()]).toEqual([[], [], 0]);
    expect(queue.store.backend!.state.leases.size).toBe(0);
  });

  it.each([
    ["permits", undefined, [false]],
    ["refuses", 60_000, []],
  ])("that %s a request after that gets back what it gave", async (_, answer, back) => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const settled: Array<boolean> = [];
    const store = slowStore({
      reserve: () => promise,
      settle: async (__, isSent) => void settled.push(isSent),
    });
    const { call, failed, pass } = startQueue({ store });
    call();
    await pass(11_000);
    expect(failed).toHaveLength(1);
    resolve(answer);
    await pass(10);
    expect(settled).toEqual(back);
  });

  it("that never records an outcome keeps the place of the request for two seconds", async () => {
    const never = new Promise<never>(() => undefined);
    const store = slowStore({ settle: () => never });
    const { call, granted, pass, queue } = startQueue({ store, maxInFlight: 1 });
    call();
    await pass(10);
    const recorded = queue.settle(granted[0]!, { status: 200 })!.catch(String);
    call();
    await pass(1000);
    expect(granted).toHaveLength(1);
    await pass(1100);
    expect(granted).toHaveLength(2);
    expect(await recorded).toContain("did not answer within 2 s");
  });

  it("that cannot be asked is named to those who look", async () => {
    const sync = vi.fn<NonNullable<Backend["sync"]>>(() =>
      Promise.reject(new Error("connection refused")),
    );
    const { queue } = startQueue({ store: slowStore({ sync }) });
    await expect(snapshot({ queue }, { route: "GET /a" })).rejects.toMatchObject({
      name: "StoreError",
      detail: "connection refused",
    });
    expect(sync).toHaveBeenCalledExactlyOnceWith({ route: "GET /a", identity: "default" });
  });

  it("that failed to open is tried again", async () => {
    let tries = 0;
    const store: Store = {
      open: async () => {
        if (tries++ === 0) throw new Error("connection refused");
        return { state: newState() };
      },
    };
    const { call, failed, granted, pass } = startQueue({ store });
    call();
    await pass(10);
    expect(failed).toHaveLength(1);
    call();
    await pass(10);
    expect(granted).toHaveLength(1);
  });
});

describe("Redis that pauses", () => {
  it("keeps no place of a reservation whose reply was lost", async () => {
    const redis = modelRedis();
    const { clock, pass } = virtualClock();
    let held: Array<() => void> | undefined;
    // A client that gives up after 1.5 s; what it has sent is carried out all the same.
    const send = (command: ReadonlyArray<string>): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const run = () => resolve(redis.run(command, clock.wall()));
        if (!held) run();
        else {
          held.push(run);
          clock.schedule(1500, () => reject(new Error("time-out")));
        }
      });
    const store = redisStore(send);
    const queue = new Queue(queueOptions({ store, bucketSizes: [], maxWait: 400 }), clock);
    const service = sliding("p", [{ max: 30, period: 10_000 }]);
    let failed = 0;
    const call = (maxWait = 400) =>
      queue.submit(
        { route: "GET /a", maxWait },
        {
          granted: (_, grant) => void queue.settle(grant, service.handle(clock.now())),
          refused: () => undefined,
          failed: () => failed++,
        },
      );
    call(5000);
    await pass(4000);
    expect(service.server.served).toBe(1);
    held = [];
    for (let index = 0; index < 12; index++) {
      call();
      await pass(400);
    }
    const late = held;
    held = undefined;
    for (const run of late) run();
    await pass(1000);
    expect(failed).toBeGreaterThan(1);
    const { state } = queue.store.backend!;
    const inFlight = [...state.policies.get("p")!.windows[0]!.logs.values()].flatMap(({ hits }) =>
      hits.filter(({ received }) => received === Infinity),
    );
    expect(inFlight).toEqual([]);
    expect(redis.members().filter(([, score]) => score > clock.wall())).toEqual([]);
    // All that fits goes at once.
    for (let index = 0; index < 29; index++) {
      call();
      await pass(20);
    }
    expect(service.server).toMatchObject({ served: 30, violations: 0 });
    await queue.close();
  });
});

describe("a store that opens, or hangs", () => {
  it("has the time to open for those who wait for nothing else", async () => {
    const sleep = (clock: { schedule: Clock["schedule"] }, millis: number) =>
      new Promise<void>((resolve) => void clock.schedule(millis, resolve));
    const open: Store["open"] = async ({ clock }) => {
      await sleep(clock, 200);
      return { state: newState() };
    };
    const { call, failed, granted, pass, refused } = startQueue({ store: { open }, maxWait: 0 });
    call();
    call();
    await pass(199);
    expect([granted.length, refused.length, failed.length]).toEqual([0, 0, 0]);
    await pass(1);
    // The second one waits for a response, for which it has no time.
    expect([granted.length, refused.length, failed.length]).toEqual([1, 1, 0]);
  });

  it("fails a request that waited in line before it was asked, and no other for longer", async () => {
    const { call, failed, pass, queue } = startQueue({
      store: slowStore({ reserve: () => new Promise(() => undefined) }),
    });
    queue.pause();
    call("GET /a", 200);
    call("GET /b", 250);
    await pass(150);
    queue.resume();
    await pass(100);
    const [before] = [failed.length];
    await pass(149);
    expect([before, failed.length]).toEqual([0, 0]);
    await pass(1);
    expect(String(failed[0])).toContain("did not answer in time");
  });

  it.each<[string, Store]>([
    ["opens", { open: () => new Promise(() => undefined) }],
    ["is asked", slowStore({ reserve: () => new Promise(() => undefined) })],
  ])("that %s leaves those who wait for it to `clear`", async (_, store) => {
    const { call, pass, queue, refused } = startQueue({ store });
    call();
    await pass(10);
    queue.clear();
    expect(refused.map(({ kind }) => kind)).toEqual(["cleared"]);
  });

  it("that lets others go first keeps the order of those who came at one time", async () => {
    let asked = 0;
    const { call, clock, granted, pass } = startQueue({
      store: slowStore({
        reserve: () => (asked++ === 0 ? Promise.resolve(clock.now() + 50) : undefined),
      }),
      maxInFlight: 1,
    });
    const order: Array<string> = [];
    for (const name of ["first", "second"]) call("GET /a", 60_000, () => order.push(name));
    await pass(100);
    expect([order, granted.length]).toEqual([["first"], 1]);
  });

  it("that opens too late fails those who wait for it", async () => {
    const open: Store["open"] = () => new Promise(() => undefined);
    const { call, failed, pass } = startQueue({ store: { open }, maxWait: 0 });
    call();
    await pass(249);
    expect(failed).toEqual([]);
    await pass(1);
    expect(String(failed[0])).toContain("did not answer in time");
  });

  it("is named to all who wait behind one of whom it is asked, and told", async () => {
    const events: Array<LimiterEvent> = [];
    const { call, failed, granted, pass, refused } = startQueue({
      store: slowStore({ reserve: () => new Promise(() => undefined) }),
      onEvent: (event) => events.push(event),
    });
    for (let index = 0; index < 4; index++) call("GET /a", 500);
    await pass(500);
    expect([granted, refused]).toEqual([[], []]);
    expect(failed.map(String)).toEqual(
      Array.from({ length: 4 }, () => expect.stringContaining("did not answer in time")),
    );
    expect(events).toEqual(failed.map(() => ({ type: "not-sent", kind: "store" })));
  });

  it.each([
    ["before", 149, "refused"],
    ["before", 150, "failed"],
    ["after", 1099, "refused"],
    ["after", 1100, "failed"],
  ] as const)(
    "asked at 0 s, %s another one came, is what that one waited for, if it came for long enough: %i ms, %s",
    async (order, maxWait, end) => {
      const { call, failed, pass, queue, refused } = startQueue({
        store: slowStore({ reserve: () => new Promise(() => undefined) }),
      });
      if (order === "before") call();
      else queue.pause();
      await pass(100);
      if (order === "after") call();
      call("GET /a", maxWait);
      await pass(order === "after" ? 100 : 0);
      queue.resume();
      await pass(order === "after" ? maxWait - 100 : maxWait);
      expect([refused.length, failed.length]).toEqual(end === "refused" ? [1, 0] : [0, 1]);
    },
  );

  it("is named no more once it has failed or answered", async () => {
    let tries = 0;
    const reserve = () =>
      tries++ === 0 ? new Promise<never>(() => undefined) : Promise.resolve(undefined);
    const { call, failed, granted, pass, refused } = startQueue({ store: slowStore({ reserve }) });
    call();
    await pass(10_000);
    expect(failed).toHaveLength(1);
    call();
    call("GET /a", 500);
    await pass(500);
    expect([granted.length, refused]).toEqual([
      1,
      [expect.objectContaining({ inFlight: expect.anything() })],
    ]);
  });

  it.each<[string, NonNullable<Backend["settle"]>]>([
    ["never", () => undefined],
    ["never, later", async () => undefined],
    ["twice", async (_, __, record) => [record(), record()] as never],
  ])("that records an outcome %s keeps no place, and tells once", async (_, settle) => {
    const events: Array<LimiterEvent> = [];
    const { call, granted, pass, queue } = startQueue({
      store: slowStore({ settle }),
      maxInFlight: 1,
      onEvent: (event) => events.push(event),
    });
    call();
    call("GET /b");
    await pass(10);
    await queue.settle(granted[0]!, { status: 429 });
    await pass(1000);
    expect(granted).toHaveLength(2);
    expect(events.filter(({ type }) => type === "violation")).toHaveLength(1);
  });

  it.each(["before", "after"])("that is open %s it is closed closes once", async (order) => {
    const { promise, resolve } = Promise.withResolvers<Backend>();
    const close = vi.fn<NonNullable<Backend["close"]>>(async () => undefined);
    const { call, pass, queue } = startQueue({ store: { open: () => promise } });
    call();
    const opens = () => resolve({ state: newState(), close });
    if (order === "before") opens();
    await pass(10);
    await queue.close();
    opens();
    await pass(10);
    expect(close).toHaveBeenCalledOnce();
  });

  it("that does not record an outcome, or close, is told", async () => {
    const events: Array<LimiterEvent> = [];
    const cause = new Error("no space left");
    const broken = (): never => {
      throw cause;
    };
    const { call, granted, pass, queue } = startQueue({
      store: slowStore({ settle: broken, close: broken }),
      onEvent: (event) => events.push(event),
    });
    call();
    await pass(10);
    await expect(queue.settle(granted[0]!, { status: 200 })).rejects.toMatchObject({ cause });
    expect(events).toContainEqual({
      type: "fault",
      source: "store",
      cause: expect.objectContaining({ cause }),
    });
    await expect(queue.close()).rejects.toMatchObject({ name: "StoreError", cause });
    call();
    expect(events.at(-1)).toEqual({ type: "not-sent", kind: "closed" });
  });
});
