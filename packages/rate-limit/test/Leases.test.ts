/** Requests in flight: each is counted once, and each ends. */
import { Effect } from "effect";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { settle } from "../src/core/learn.ts";
import { busyUntil, closeLease, expireLeases, firstDeadline } from "../src/core/leases.ts";
import { cancel, tryAcquire } from "../src/core/plan.ts";
import type { Grant } from "../src/core/State.ts";
import { defaultOptions, newState, policyNamed } from "../src/core/State.ts";
import type { State } from "../src/core/State.ts";
import { Queue } from "../src/core/Queue.ts";
import { snapshot } from "../src/inspect.ts";
import { queueOptions } from "../src/limiterOptions.ts";
import type { LimiterOptions } from "../src/limiterOptions.ts";
import type { LimiterEvent } from "../src/Model.ts";
import type { NotSentDetails } from "../src/RequestNotSentError.ts";
import { PolicyLimiter } from "../src/effect/index.ts";
import { createLimiter, RequestNotSentError } from "../src/index.ts";
import { redisStore } from "../src/redis/index.ts";
import type { Backend, Clock, Store } from "../src/Store.ts";
import { virtualClock } from "./model/queueTrace.ts";
import { modelRedis } from "./model/redis.ts";
import { one } from "./model/regimes.ts";
import { simulate } from "./model/simulate.ts";
import { sliding } from "./model/sliding.ts";

/** A queue in virtual time; `call` settles a request after `millis`, or never. */
const start = (options: LimiterOptions) => {
  const { clock, pass } = virtualClock();
  const queue = new Queue(queueOptions(options), clock);
  const granted: Array<Grant> = [];
  const refused: Array<NotSentDetails> = [];
  const failed: Array<unknown> = [];
  const call = (route = "GET /a", maxWait?: number) =>
    queue.submit(
      { route, maxWait },
      {
        granted: (_, grant) => granted.push(grant),
        refused: (details) => refused.push(details),
        failed: (cause) => failed.push(cause),
      },
    );
  return { call, clock, failed, granted, pass, queue, refused };
};

/** A store whose answers come when the test says so. */
const slowStore = (late: Partial<Backend>): Store => ({
  open: () => ({ state: newState(), ...late }),
});

describe("requests that never end", () => {
  it("give their places back after `inFlightTimeout`; the error before tells of them", async () => {
    const events: Array<LimiterEvent> = [];
    const { call, granted, pass, queue, refused } = start({
      maxInFlight: 2,
      inFlightTimeout: 90_000,
      onEvent: (event) => events.push(event),
    });
    call("GET /a");
    await pass(10_000);
    call("GET /b");
    await pass(51_000);
    call("GET /c", 2000);
    await pass(3000);
    expect(granted).toHaveLength(2);
    expect(refused[0]).toMatchObject({
      kind: "wait-too-long",
      retryAfterMillis: 27_000,
      inFlight: { count: 2, oldestMillis: 63_000 },
    });
    expect(new RequestNotSentError(refused[0]!).message).toBe(
      "The request was not sent: 2 requests are in flight, the oldest for 63 s, and none ended within its maximum wait. Try again in 27 s.",
    );
    call("GET /c");
    await pass(27_000);
    expect(granted).toHaveLength(3);
    expect(events).toContainEqual({ type: "lost", route: "GET /a", afterMillis: 90_000 });
    // Its response comes all the same, and gives no place back a second time.
    await queue.settle(granted[0]!, { status: 200 });
    call("GET /d", 1000);
    await pass(2000);
    expect(granted).toHaveLength(3);
  });

  it("are told at that time, also while nothing else is asked", async () => {
    const lost: Array<LimiterEvent> = [];
    const onEvent = (event: LimiterEvent) => event.type === "lost" && lost.push(event);
    const { call, pass, queue } = start({ inFlightTimeout: 90_000, maxInFlight: 2, onEvent });
    call("GET /a");
    await pass(60_000);
    call("GET /b");
    await pass(30_000);
    expect(lost).toEqual([{ type: "lost", route: "GET /a", afterMillis: 90_000 }]);
    await pass(59_999);
    expect(lost).toHaveLength(1);
    await pass(1);
    expect(lost).toHaveLength(2);
    call("GET /c");
    await queue.close();
    await pass(90_000);
    expect(lost).toHaveLength(2);
  });

  it("make way at that time for those who wait for their responses", async () => {
    const { call, granted, pass } = start({ inFlightTimeout: 1000 });
    call();
    call();
    await pass(999);
    expect(granted).toHaveLength(1);
    await pass(1);
    expect(granted).toHaveLength(2);
  });

  it("keep no program from ending", async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    await createLimiter().acquire({ route: "GET /a" });
    const acquire = Effect.flatMap(PolicyLimiter, ({ submit }) =>
      Effect.sync(() =>
        submit({ route: "GET /a" }, { granted: () => undefined, refused: () => undefined }),
      ),
    );
    await Effect.runPromise(Effect.provide(acquire, PolicyLimiter.layerMemory()));
    expect(timers()).toBe(before);
  });

  it.each([1, 2, 3])("cost few of the requests that fit, seed %i [NS-11]", (seed) => {
    const server = one("30:60");
    const never = { late: (random: () => number) => (random() < 0.02 ? Infinity : 0) };
    const run = simulate(
      { name: "2 % never answered", server, fibers: 8, target: 90, ...never },
      seed,
    );
    expect(run.violations).toBe(0);
    expect(run.utilisation).toBeGreaterThanOrEqual(90);
    const late = { late: (random: () => number) => (random() < 0.05 ? 100_000 : 0) };
    const slow = simulate(
      {
        name: "5 % after 100 s",
        server,
        fibers: 8,
        core: { inFlightTimeout: 20_000 },
        target: 84,
        ...late,
      },
      seed,
    );
    expect(slow.violations).toBe(0);
    expect(slow.utilisation).toBeGreaterThanOrEqual(84);
  });
});

describe("the table of leases", () => {
  /** Each policy counts the leases that name it, and each log is in order. */
  const isConsistent = (state: State): boolean =>
    [...state.policies.values()].every(({ inFlight, name, windows }) => {
      const named = [...state.leases.values()].filter(({ policies }) => policies.includes(name));
      const ids = named.map(({ id }) => id).toSorted();
      const logs = windows.flatMap((window) => [...window.logs.values()]);
      return (
        ids.join() === [...inFlight.keys()].toSorted().join() &&
        logs.every(({ hits, ordered }) =>
          hits
            .slice(0, ordered)
            .every((hit, at) => at === 0 || hits[at - 1]!.received <= hit.received),
        )
      );
    });

  it("holds over random outcomes, expiries and late answers", () => {
    const step = fc.record({
      kind: fc.constantFrom("ask", "ask", "answer", "late", "cancel", "refused", "pass"),
      pick: fc.nat(),
      millis: fc.integer({ min: 0, max: 4000 }),
    });
    let steps = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 400, maxLength: 600 }), (list) => {
        const state = newState();
        const options = { ...defaultOptions, inFlightTimeout: 9000 };
        const service = sliding("p", [{ max: 8, period: 10_000 }]);
        const open: Array<Grant> = [];
        const gone: Array<Grant> = [];
        let now = 0;
        for (const { kind, millis, pick } of list) {
          steps++;
          now += millis / 8;
          for (const grant of expireLeases(state, now)) {
            open.splice(open.indexOf(grant), 1);
            gone.push(grant);
          }
          if (firstDeadline(state) <= now) return false;
          const pool = kind === "late" ? gone : open;
          const [grant] =
            kind === "ask" || kind === "pass" ? [] : pool.splice(pick % (pool.length || 1), 1);
          if (kind === "ask") {
            const route = `GET /${pick % 3}`;
            const ask = { id: `${steps}`, route, identity: `${pick % 2}` };
            const answer = tryAcquire(state, ask, now, options);
            if (!("until" in answer)) open.push(answer);
          } else if (kind === "pass") now += millis;
          else if (grant && kind === "cancel") cancel(state, grant, options);
          else if (grant) {
            const { headers } = service.handle(now);
            const policy = { policy: "p", windows: [], retryAfterMillis: 500 };
            const count = Number(headers["x-rate-limit-account-state"]?.split(":")[0]);
            const window = {
              rule: "account",
              max: 8,
              periodMillis: 10_000,
              hits: count,
            };
            const info = { ...policy, windows: [window] };
            settle(
              state,
              grant,
              { status: kind === "refused" ? 429 : 200, info, at: now },
              options,
            );
          }
          if (!isConsistent(state)) return false;
        }
        return true;
      }),
      { numRuns: 205, seed: 7 },
    );
    expect(steps).toBeGreaterThan(100_000);
  });
});

describe("what is in flight in a policy", () => {
  it.each([
    ["leaves room", [0, 1000], 0, 3, 500, 500],
    ["is waited for", [0], 0, 1, 500, 5000],
    ["is waited for as long as eight round trips", [0], 1000, 1, 500, 8000],
    ["is overdue", [0], 0, 1, 6000, 6000],
    ["is looked at again when the oldest is overdue", [0, 4000], 0, 1, 4500, 5000],
    ["is as many as are not overdue", [0, 4000], 0, 1, 5000, 9000],
  ] as const)("%s", (_, grantedAt, roundTrip, most, now, until) => {
    const inFlight = new Map(grantedAt.map((at) => [`${at}`, at]));
    const policy = { ...policyNamed(newState(), "p"), inFlight, roundTrip };
    expect(busyUntil(policy, most, now)).toBe(until);
  });

  it("closes once, also when its policy is forgotten meanwhile", () => {
    const state = newState();
    const ask = (id: string, now: number): Grant => {
      const answer = tryAcquire(
        state,
        { id, route: "GET /a", identity: "me" },
        now,
        defaultOptions,
      );
      if ("until" in answer) throw new Error(answer.reason);
      return answer;
    };
    const lost = ask("1", 0);
    expect(expireLeases(state, 89_999)).toEqual([]);
    expect(expireLeases(state, 90_000)).toEqual([lost]);
    cancel(state, ask("2", 90_000), defaultOptions);
    expect(state.policies.size).toBe(0);
    expect(closeLease(state, lost)).toBe(false);
    expect(closeLease(state, ask("3", 90_000))).toBe(true);
  });
});

describe("a response after the deadline", () => {
  it("is counted from when it came", () => {
    const state = newState();
    const options = { ...defaultOptions, bucketSizes: [], inFlightTimeout: 1000 };
    const window = { rule: "account", max: 3, periodMillis: 30_000 };
    const info = { policy: "p", windows: [window], retryAfterMillis: undefined };
    const ask = (now: number) =>
      tryAcquire(state, { id: `${now}`, route: "GET /a", identity: "me" }, now, options);
    const grantAt = (now: number): Grant => {
      const answer = ask(now);
      if ("until" in answer) throw new Error(answer.reason);
      return answer;
    };
    const answer = (grant: Grant, at: number) =>
      settle(state, grant, { status: 200, info, at }, options);
    answer(grantAt(0), 10);
    const late = grantAt(40_000);
    expireLeases(state, 41_000);
    answer(grantAt(42_000), 42_010);
    settle(state, late, { status: 200, info: undefined, at: 55_000 }, options);
    answer(grantAt(56_000), 56_010);
    // The service may have counted the late one as late as it came.
    expect(ask(57_000)).toMatchObject({ reason: "window" });
    answer(grantAt(72_500), 72_510);
    const { hits } = state.policies.get("p")!.windows[0]!.logs.get("me")!;
    expect(hits.map(({ id, received }) => [id, received])).toContainEqual(["40000", 55_000]);
    expect(ask(84_000)).toMatchObject({ reason: "window" });
  });
});

describe("a success of before a refusal", () => {
  it("does not end the caution after it", () => {
    const state = newState();
    const window = { rule: "account", max: 9, periodMillis: 10_000, hits: 1 };
    const info = { policy: "p", windows: [window], retryAfterMillis: undefined };
    const ask = (id: string, now: number): Grant => {
      const wanted = { id, route: "GET /a", identity: "me" };
      const answer = tryAcquire(state, wanted, now, defaultOptions);
      if ("until" in answer) throw new Error(answer.reason);
      return answer;
    };
    settle(state, ask("1", 0), { status: 200, info, at: 10 }, defaultOptions);
    const [second, third] = [ask("2", 20_000), ask("3", 20_000)];
    settle(state, second, { status: 429, info, at: 20_010 }, defaultOptions);
    settle(state, third, { status: 200, info, at: 20_020 }, defaultOptions);
    expect(state.policies.get("p")).toMatchObject({ recovering: true, refusals: 1 });
  });
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
    const { call, granted, pass, queue } = start({ store });
    const leave = call();
    await pass(10);
    leave();
    decide!();
    await pass(10);
    expect(granted).toHaveLength(0);
    expect(settled).toEqual([false]);
    expect(queue.store.backend!.state.leases.size).toBe(0);
  });

  it("that never answers fails what waits for it, and keeps no place", async () => {
    const never = new Promise<never>(() => undefined);
    const store = slowStore({ reserve: () => never });
    const { call, failed, granted, pass, queue } = start({ store });
    call("GET /a", 60_000);
    await pass(11_000);
    expect(granted).toHaveLength(0);
    expect(String(failed[0])).toContain("did not answer within 10 s");
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
      const { call, failed, granted, pass } = start({ store });
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
    const { call, failed, granted, pass, queue } = start({ store });
    const leave = call();
    await pass(10);
    leave();
    resolve(answer());
    await pass(20_000);
    expect([failed, granted, queue.waiting()]).toEqual([[], [], 0]);
    expect(queue.store.backend!.state.leases.size).toBe(0);
  });

  it("that permits a request after that gets its place back", async () => {
    let decide: (() => void) | undefined;
    const settled: Array<boolean> = [];
    const store = slowStore({
      reserve: () =>
        new Promise((resolve) => {
          decide = () => resolve(undefined);
        }),
      settle: async (_, isSent) => void settled.push(isSent),
    });
    const { call, failed, pass } = start({ store });
    call();
    await pass(11_000);
    expect(failed).toHaveLength(1);
    decide!();
    await pass(10);
    expect(settled).toEqual([false]);
  });

  it("that never records an outcome keeps the place of the request for two seconds", async () => {
    const never = new Promise<never>(() => undefined);
    const store = slowStore({ settle: () => never });
    const { call, granted, pass, queue } = start({ store, maxInFlight: 1 });
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
    const store = slowStore({ sync: () => Promise.reject(new Error("connection refused")) });
    const { queue } = start({ store });
    await expect(snapshot({ queue }, { route: "GET /a" })).rejects.toMatchObject({
      name: "StoreError",
      detail: "connection refused",
    });
  });

  it("that failed to open is tried again", async () => {
    let tries = 0;
    const store: Store = {
      open: async () => {
        if (tries++ === 0) throw new Error("connection refused");
        return { state: newState() };
      },
    };
    const { call, failed, granted, pass } = start({ store });
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

describe("programs that misbehave", () => {
  it("are told which of their callbacks threw", async () => {
    const events: Array<LimiterEvent> = [];
    const cause = new Error("mine");
    const read = (): never => {
      throw cause;
    };
    const { call, granted, pass, queue } = start({
      onEvent: (event) => events.push(event),
      dialect: { name: "broken", read },
    });
    call();
    await pass(10);
    await queue.settle(granted[0]!, { status: 200, headers: {} });
    expect(events).toContainEqual({ type: "fault", source: "dialect", cause });
  });

  it("learn nothing from readings that are none", async () => {
    const windows = [
      { rule: "a", max: Number.NaN, periodMillis: 1000 },
      { rule: "a", max: 5, periodMillis: -1 },
      { rule: 7, max: 5, periodMillis: 1 },
      null,
      "text",
    ];
    const read = () => ({ policy: 4, windows, retryAfterMillis: Number.NaN }) as never;
    const { call, granted, pass, queue } = start({ dialect: { name: "garbage", read } });
    for (let index = 0; index < 3; index++) {
      call();
      await pass(10);
      await queue.settle(granted[index]!, { status: 200, headers: {} });
    }
    expect(granted).toHaveLength(3);
  });
});

describe("an epoch in place of seconds", () => {
  it.each([200, 429])("holds a policy for a day at most, status %i", async (status) => {
    const { call, granted, pass, queue, refused } = start({});
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

describe("what a program does with its queue", () => {
  it("pauses, goes on, and tells when nothing is left", async () => {
    const { call, granted, pass, queue } = start({});
    queue.pause();
    call();
    await pass(5000);
    expect(granted).toHaveLength(0);
    let isIdle = false;
    void queue.idle().then(() => (isIdle = true));
    queue.resume();
    await pass(10);
    expect(granted).toHaveLength(1);
    expect(isIdle).toBe(false);
    await queue.settle(granted[0]!, { status: 200 });
    await pass(10);
    expect(isIdle).toBe(true);
  });

  it("clears what waits, and closes", async () => {
    const { call, granted, pass, queue, refused } = start({ maxInFlight: 1 });
    call();
    call();
    await pass(10);
    queue.clear();
    expect(refused.map(({ kind }) => kind)).toEqual(["cleared"]);
    call();
    await queue.close();
    call();
    await pass(10);
    expect(refused.map(({ kind }) => kind)).toEqual(["cleared", "closed", "closed"]);
    expect(new RequestNotSentError(refused[2]!)).toMatchObject({
      isRetryable: false,
      message: "The request was not sent: the limiter was closed.",
    });
    expect(granted).toHaveLength(1);
  });

  it.each([
    ["an outcome, closed before", true, true],
    ["an outcome, closed after", false, true],
    ["the end of its lease, closed before", true, false],
    ["the end of its lease", undefined, false],
  ])("is idle once what was in flight has %s", async (_, isClosedFirst, isAnswered) => {
    const { call, granted, pass, queue } = start({ inFlightTimeout: 90_000 });
    call();
    let isIdle = false;
    if (isClosedFirst) await queue.close();
    void queue.idle().then(() => (isIdle = true));
    if (isClosedFirst === false) await queue.close();
    await pass(80_000);
    expect(isIdle).toBe(false);
    if (isAnswered) await queue.settle(granted[0]!, { status: 200 });
    else await pass(10_000);
    await pass(0);
    expect(isIdle).toBe(true);
  });

  it("is idle once the last one that waits has left, and tells who was not sent", async () => {
    const events: Array<LimiterEvent> = [];
    const { call, pass, queue } = start({ onEvent: (event) => events.push(event) });
    queue.pause();
    const leave = call();
    let isIdle = false;
    void queue.idle().then(() => (isIdle = true));
    await pass(1);
    expect(isIdle).toBe(false);
    leave();
    await pass(0);
    expect(isIdle).toBe(true);
    call();
    queue.clear();
    expect(events).toEqual([{ type: "not-sent", kind: "cleared" }]);
  });

  it("tells who waited in vain that it is paused", async () => {
    const { call, pass, queue, refused } = start({});
    call();
    queue.pause();
    call("GET /c", 100);
    await pass(100);
    expect(refused).toMatchObject([{ kind: "paused", inFlight: undefined }]);
    expect(new RequestNotSentError(refused[0]!)).toMatchObject({
      isRetryable: true,
      message: "The request was not sent: the limiter was paused.",
    });
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
    const { call, failed, granted, pass, refused } = start({ store: { open }, maxWait: 0 });
    call();
    call();
    await pass(199);
    expect([granted.length, refused.length, failed.length]).toEqual([0, 0, 0]);
    await pass(1);
    // The second one waits for a response, for which it has no time.
    expect([granted.length, refused.length, failed.length]).toEqual([1, 1, 0]);
  });

  it("that opens too late fails those who wait for it", async () => {
    const open: Store["open"] = () => new Promise(() => undefined);
    const { call, failed, pass } = start({ store: { open }, maxWait: 0 });
    call();
    await pass(249);
    expect(failed).toEqual([]);
    await pass(1);
    expect(String(failed[0])).toContain("did not answer in time");
  });

  it("is named to all who wait behind one of whom it is asked, and told", async () => {
    const events: Array<LimiterEvent> = [];
    const { call, failed, granted, pass, refused } = start({
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
    [1099, "refused"],
    [1100, "failed"],
  ] as const)(
    "asked after another one came is what that one waited for from a second on: %i ms, %s",
    async (maxWait, end) => {
      const { call, failed, pass, queue, refused } = start({
        store: slowStore({ reserve: () => new Promise(() => undefined) }),
      });
      queue.pause();
      call();
      call("GET /a", maxWait);
      await pass(100);
      queue.resume();
      await pass(maxWait - 100);
      expect([refused.length, failed.length]).toEqual(end === "refused" ? [1, 0] : [0, 1]);
    },
  );

  it("is named no more once it has failed or answered", async () => {
    let tries = 0;
    const reserve = () => (tries++ === 0 ? new Promise<never>(() => undefined) : undefined);
    const { call, failed, granted, pass, refused } = start({ store: slowStore({ reserve }) });
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

  it("that does not record an outcome, or close, is told", async () => {
    const events: Array<LimiterEvent> = [];
    const cause = new Error("no space left");
    const broken = (): never => {
      throw cause;
    };
    const { call, granted, pass, queue } = start({
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

describe("a refusal", () => {
  it("names the rejected requests after which requests are spread", async () => {
    const options = { maxClientErrors: 6, clientErrorWindow: 300_000 };
    const { call, granted, pass, queue, refused } = start(options);
    for (let index = 0; index < 3; index++) {
      call();
      await pass(10);
      await queue.settle(granted[index]!, { status: 404 });
    }
    call();
    await pass(1);
    call("GET /a", 100);
    await pass(100);
    const error = new RequestNotSentError(refused.at(-1)!);
    expect(error).toMatchObject({ kind: "wait-too-long", clientErrors: { count: 3, max: 6 } });
    expect(error.message).toBe(
      "The request was not sent: its turn comes later than its maximum wait, since requests are spread after rejected ones (3 of 6 in 5 min). Try again in 100 s.",
    );
  });

  it.each([
    [0, ""],
    [1, " Try again in 1 s."],
    [120_000, " Try again in 120 s."],
    [120_001, " Try again in 3 min."],
    [900_000, " Try again in 15 min."],
    [86_400_000, " Try again in 24 h."],
  ])("after which to wait for %i ms says so, in JSON as well", (retryAfterMillis, advice) => {
    const error = new RequestNotSentError({ kind: "firewall", retryAfterMillis });
    const message = `The request was not sent: a firewall has blocked this client.${advice}`;
    expect(error.message).toBe(message);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "RequestNotSentError",
      kind: "firewall",
      retryAfterMillis,
      message,
      help: error.help,
    });
  });
});

describe("what responses name without end", () => {
  it("is forgotten: a route has a few policies", async () => {
    const state = newState();
    for (let index = 0; index < 800; index++) {
      const at = index * 1000;
      const ask = { id: `${index}`, route: "GET /a", identity: "me" };
      const answer = tryAcquire(state, ask, at, defaultOptions);
      if ("until" in answer) throw new Error(answer.reason);
      const info = { policy: `p${index}`, windows: [], retryAfterMillis: undefined };
      settle(state, answer, { status: 200, info, at: at + 10 }, defaultOptions);
    }
    expect([state.policies.size, state.routes.get("GET /a")!.size]).toEqual([16, 16]);
    expect(state.policies.has("p799")).toBe(true);
  });

  it("is left out: a response has a few windows", async () => {
    const windows = Array.from({ length: 10_000 }, (_, index) => ({
      rule: `r${index}`,
      max: 5,
      periodMillis: 1000,
    }));
    const read = () => ({ policy: "p", windows, retryAfterMillis: undefined });
    const { call, granted, pass, queue } = start({ dialect: { name: "many", read } });
    call();
    await pass(10);
    await queue.settle(granted[0]!, { status: 200, headers: {} });
    expect(queue.store.backend!.state.policies.get("p")!.windows).toHaveLength(64);
  });
});
