import { setImmediate } from "node:timers/promises";
import { Cause, Clock, Context, Duration, Effect, Exit, Fiber, Layer, Metric, Scope } from "effect";
import { constant, constVoid } from "effect/Function";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import {
  checkLimiterOptions,
  LimiterStore,
  LimiterStoreError,
  PolicyLimiter,
} from "@game-data/rate-limit";
import type {
  LimiterOptions,
  LimiterRequest,
  Outcome,
  PolicyLimiterService,
} from "@game-data/rate-limit";
import { createLimiter } from "@game-data/rate-limit/promise";
import { generator } from "./model/simulate.ts";
import { sliding } from "./model/sliding.ts";

/** Sends a request to a route. The response takes `millis`. */
const send = (
  call: LimiterRequest | string,
  response: Outcome | ((now: number) => Outcome) = { status: 200 },
  millis = 0,
) =>
  Effect.flatMap(PolicyLimiter, (limiter) =>
    limiter.run(typeof call === "string" ? { route: call } : call, () =>
      Effect.gen(function* () {
        if (millis > 0) yield* Effect.sleep(millis);
        const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis);
        return typeof response === "function" ? response(now) : response;
      }),
    ),
  );

const start = (...request: Parameters<typeof send>) => Effect.forkChild(send(...request));

/** A response whose policy has one window: `limits("p", "30:60", 2)` is the second of 30 in 60 s. */
const limits = (
  policy: string,
  window: string,
  count: number,
  { restricted = 0, rule = "account", status = 200 } = {},
): Outcome => ({
  status,
  headers: {
    "x-rate-limit-policy": policy,
    "x-rate-limit-rules": rule,
    [`x-rate-limit-${rule}`]: `${window}:60`,
    [`x-rate-limit-${rule}-state`]: `${count}:${window.split(":")[1]}:${restricted}`,
  },
});

/** Runs a test on a clock that stands still until it is moved, and with metrics of its own. */
const inVirtualTime = <A, E>(test: Effect.Effect<A, E>): Promise<A> =>
  test.pipe(
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provide(TestClock.layer()),
    Effect.scoped,
    Effect.runPromise,
  );

/** The same with a limiter in memory. */
const limited = <Eff extends Effect.Effect<any, any, PolicyLimiter | Scope.Scope>, A>(
  test: (limiter: PolicyLimiterService) => Generator<Eff, A, never>,
  options?: LimiterOptions,
): Promise<A> =>
  Effect.flatMap(PolicyLimiter, (limiter) => Effect.gen(() => test(limiter))).pipe(
    Effect.provide(PolicyLimiter.layerMemory(options)),
    (effect) => inVirtualTime(effect as Effect.Effect<A>),
  );

/** Lets `seconds` pass in steps of a second or less, so that everything that wakes up may act. */
const pass = (seconds: number) => {
  const steps = Math.max(4, seconds);
  return Effect.replicateEffect(TestClock.adjust((seconds * 1000) / steps), steps);
};

describe("a server that always answers 429", () => {
  it.each([
    ["less than one request per Retry-After of 1 s", { "retry-after": "1" }, 2, 120],
    ["less than one request per Retry-After of 10 s", { "retry-after": "10" }, 10, 60],
    ["less than one request per Retry-After of 60 s", { "retry-after": "60" }, 10, 10],
    ["less than 20 requests in ten minutes without Retry-After", {}, 10, 19],
  ])("the limiter sends %s if a server always answers 429 [NS-10]", (_, headers, minutes, most) =>
    limited(
      function* () {
        let requests = 0;
        const call = send("GET /stash", () => (requests++, { status: 429, headers }), 10);
        const caller = Effect.forever(Effect.ignore(call));
        yield* Effect.forkChild(Effect.replicateEffect(caller, 4, { concurrency: 4 }));
        yield* pass(minutes * 60);
        expect(requests).toBeGreaterThan(1);
        // Besides the first one.
        expect(requests - 1).toBeLessThan(most);
      },
      { maxClientErrors: 100_000, maxWait: "1 hour" },
    ),
  );
});

describe("learning", () => {
  it("the limiter keeps no more requests in flight than a full window permits in two round trips", () =>
    limited(function* () {
      const { handle, sentAt } = sliding("p", [
        { max: 100, period: 10_000 },
        { max: 12, period: 60_000 },
      ]);
      const call = send("GET /a", handle, 1000);
      yield* Effect.forkChild(Effect.replicateEffect(call, 6, { concurrency: 6 }));
      yield* pass(20);
      expect(sentAt).toHaveLength(6);
      expect(new Set(sentAt).size).toBe(6);
    }));

  it("the limiter forgets routes that were not used for a day, and no others", () =>
    limited(function* (limiter) {
      yield* send("GET /a", limits("p", "100:172800", 1));
      yield* TestClock.adjust("2 hours");
      yield* send("GET /b", limits("p", "100:172800", 1));
      yield* TestClock.adjust("23 hours");
      yield* limiter.limits({ route: "GET /b" });
      expect((yield* limiter.limits({ route: "GET /a" })).knowledge).toBe("unknown");
      const { policies } = yield* limiter.limits({ route: "GET /b" });
      expect(policies[0]?.windows[0]?.used).toBe(2);
      yield* TestClock.adjust("24 hours");
      yield* limiter.limits({ route: "GET /c" });
      expect((yield* limiter.limits({ route: "GET /b" })).knowledge).toBe("unknown");
    }));

  it("the limiter sends what hidden buckets permit, and gets no 429, if it shares the service's clock [NS-11]", () =>
    limited(function* (limiter) {
      const { handle, sentAt, server } = sliding("p", [
        { max: 6, period: 10_000, bucket: 5000 },
        { max: 10, period: 20_000, bucket: 10_000 },
      ]);
      const clock = yield* Clock.clockWith(Effect.succeed);
      // Real promises delay responses until the clock stands, so they are recorded later.
      const call = limiter.run({ route: "GET /a" }, () =>
        Effect.promise(() => setImmediate(handle(clock.currentTimeMillisUnsafe()))),
      );
      yield* Effect.forkChild(Effect.replicateEffect(Effect.forever(call), 3, { concurrency: 3 }));
      for (let step = 0; step < 1500; step++) {
        yield* TestClock.adjust("200 millis");
        yield* Effect.promise(() => setImmediate());
      }
      expect(server.violations).toBe(0);
      // Ten requests in 30 seconds, for 300 seconds.
      expect(sentAt.length).toBeGreaterThanOrEqual(90);
    }));
});

describe("a damaged document", () => {
  it("a damaged document fails only the request whose decision reads it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const store = yield* LimiterStore;
        for (const name of ["p", "q"]) yield* send(name, limits(name, "9:60", 1));
        yield* store.transact((documents) => {
          documents.policy("p").windows = 5 as never;
          return constVoid;
        });
        yield* start("q", undefined, 1000);
        yield* TestClock.adjust(1);
        const damaged = yield* start("p");
        const other = yield* start("q");
        yield* pass(2);
        expect(Exit.hasDies(yield* Fiber.await(damaged))).toBe(true);
        expect(yield* Fiber.join(other)).toEqual({ status: 200 });
      }).pipe(
        Effect.provide(PolicyLimiter.layer({ maxInFlight: 1 })),
        Effect.provide(LimiterStore.layerMemory),
      ) as Effect.Effect<void>,
    ));
});

describe("holding back", () => {
  it("the limiter spaces requests once client errors reach half of their limit, and sends none at the limit", () =>
    limited(
      function* (limiter) {
        const times: Array<number> = [];
        const bad = send("GET /a", (now) => (times.push(now), { status: 401 }));
        const caller = yield* Effect.forkChild(Effect.flip(Effect.forever(bad)));
        yield* pass(30 * 60);
        // At once up to half of four; then 300 s apart, so that never more than 3 count.
        expect(times.slice(0, 4).map((time) => Math.round(time / 1000))).toEqual([0, 0, 300, 600]);
        expect(caller.pollUnsafe()).toBeUndefined();
        const { clientErrors } = yield* limiter.limits({ route: "GET /a" });
        expect(clientErrors).toMatchObject({ max: 4, windowMillis: 600_000 });
        expect(yield* limiter.waiting).toBe(1);
      },
      { maxClientErrors: 4, maxWait: "1 day" },
    ));

  it("the limiter sends no request of any route once 401, 403 and 429 responses reach maxClientErrors", () =>
    limited(
      function* (limiter) {
        for (const [index, status] of [401, 403, 429].entries())
          yield* send(`GET /${index}`, { status });
        const error = yield* Effect.flip(send("GET /d"));
        const expected = { reason: "too-many-errors", retryAfter: Duration.minutes(10) };
        expect(error).toMatchObject({ _tag: "RequestNotSent", ...expected });
        expect(yield* limiter.limits({ route: "GET /d" })).toMatchObject({
          clientErrors: { count: 3, blocking: 3, max: 3, windowMillis: 600_000 },
          blockedMillis: 600_000,
        });
        yield* TestClock.adjust("10 minutes");
        yield* send("GET /d");
      },
      { maxClientErrors: 3 },
    ));

  it("the limiter counts all 4xx responses as client errors, but only 401, 403 and 429 can block it", () =>
    limited(
      function* (limiter) {
        for (const status of [400, 404, 422, 499]) yield* send(`GET /${status}`, { status });
        const { blockedMillis, clientErrors } = yield* limiter.limits({ route: "GET /400" });
        expect(clientErrors).toMatchObject({ count: 4, blocking: 0 });
        expect(blockedMillis).toBe(0);
        // Another route goes at once.
        expect(yield* send("GET /e")).toEqual({ status: 200 });
      },
      { maxClientErrors: 3 },
    ));

  it("the limiter sends nothing on any route after a firewall's block, and forecasts the end of the block", () =>
    limited(function* (limiter) {
      const outcome = () => ({ status: 403, isFirewallBlock: true });
      yield* limiter.run({ route: "GET /a" }, () => Effect.void, outcome);
      const error = yield* Effect.flip(send("GET /b"));
      expect(error).toMatchObject({ reason: "firewall", retryAfter: Duration.minutes(15) });
      const { startsInMillis } = yield* limiter.forecast({ route: "GET /b" }, 1);
      expect(startsInMillis).toEqual([900_000]);
      yield* TestClock.adjust("15 minutes");
      yield* send("GET /b");
    }));

  it("the limiter refuses a request at once if it would wait longer than maxWait", () =>
    limited(function* () {
      yield* send("GET /a", limits("p", "1:300", 1));
      const error = yield* Effect.flip(send({ route: "GET /a", maxWait: "30 seconds" }));
      const place = { route: "GET /a", policy: "p", rule: "account" };
      expect(error).toMatchObject({ _tag: "RequestNotSent", reason: "wait-too-long", ...place });
      const { retryAfter = Duration.zero } = "retryAfter" in error ? error : {};
      // The window and its longest bucket.
      expect(Duration.toSeconds(retryAfter)).toBeCloseTo(360, 0);
    }));
});

describe("a program that throws", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  const fine = () => ({ status: 200 });
  it.each([
    ["the caller's `send`", boom, fine, undefined],
    ["the caller's `report`", () => Effect.void, boom, undefined],
    ["a report that returns nothing", () => Effect.void, () => undefined as never, undefined],
    ["a custom reader of headers", () => Effect.void, fine, boom],
  ] as const)("the limiter releases a permit after a fault in %s", (name, attempt, report, read) =>
    limited(
      function* (limiter) {
        const exit = yield* Effect.exit(limiter.run({ route: "GET /a" }, attempt, report));
        expect(Exit.hasDies(exit)).toBe(!name.startsWith("a "));
        const next = yield* start("GET /b");
        yield* pass(1);
        expect(yield* Fiber.join(next)).toEqual({ status: 200 });
      },
      { maxInFlight: 1, read },
    ),
  );
});

describe("the queue", () => {
  it("the limiter sends requests of higher priority first, and of one priority in order of arrival", () =>
    limited(function* () {
      const order: Array<string> = [];
      for (const [name, priority, identity = "me"] of [
        ["first", 0],
        ["low", -1],
        ["not a number", Number.NaN],
        ["normal", 0],
        ["high", 5],
        ["higher, of another user", 6, "other"],
        ["also normal", 0],
      ] as ReadonlyArray<[string, number, string?]>) {
        const request = { route: "GET /a", identity, priority };
        yield* start(request, () => (order.push(name), { status: 500 }), 10);
      }
      yield* pass(2);
      expect(order.join()).toBe(
        "first,higher, of another user,high,not a number,normal,also normal,low",
      );
    }));

  it("a request that arrives when a place becomes free goes after the requests that waited", () =>
    limited(function* () {
      const order: Array<string> = [];
      const call = (name: string) =>
        send("GET /x", () => (order.push(name), limits("p", "1:10", 1)));
      yield* call("first");
      // Its clock strikes just before that of the one who waits: when the window surely opens, a
      // bucket and 10 ms after its period.
      const eager = Effect.andThen(Effect.sleep("15010 millis"), call("eager"));
      const fibers = [yield* Effect.forkChild(eager)];
      yield* TestClock.adjust("1 second");
      fibers.push(yield* Effect.forkChild(call("patient")));
      yield* pass(30);
      yield* Effect.forEach(fibers, Fiber.join);
      expect(order).toEqual(["first", "patient", "eager"]);
    }));

  it.each([1, 3])(
    "the limiter sends no further request of a group of calls that is interrupted while %d run",
    (most) =>
      limited(
        function* (limiter) {
          yield* send("GET /a", limits("p", "30:60", 1));
          let sent = 0;
          const call = limiter.run({ route: "GET /a" }, () => (sent++, Effect.sleep(1000)));
          const group = yield* Effect.forkChild(
            Effect.replicateEffect(call, 20, { concurrency: "unbounded" }),
          );
          yield* pass(0.5);
          const before = sent;
          expect(before).toBeGreaterThan(0);
          yield* Fiber.interrupt(group);
          yield* pass(2);
          expect(sent).toBe(before);
        },
        { maxInFlight: most },
      ),
  );

  it("the limiter fails waiting requests with `closed` when its scope closes", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const scope = yield* Scope.make();
        const layer = PolicyLimiter.layerMemory({ maxInFlight: 1 });
        const { run } = Context.get(yield* Layer.buildWithScope(layer, scope), PolicyLimiter);
        yield* Effect.forkChild(run({ route: "GET /a" }, () => Effect.never));
        const waiting = yield* Effect.forkChild(run({ route: "GET /a" }, () => Effect.void));
        yield* TestClock.adjust(1);
        yield* Scope.close(scope, Exit.void);
        const error = yield* Effect.flip(Fiber.join(waiting));
        expect(error).toMatchObject({ _tag: "RequestNotSent", reason: "closed" });
      }),
    ));

  it("an interrupted call leaves the limiter's queue, or releases its permit for the next request", () =>
    limited(function* (limiter) {
      const running = yield* start("GET /a", undefined, 1000);
      const waiting = yield* start("GET /a");
      const behind = yield* start("GET /a");
      yield* pass(0.5);
      expect(yield* limiter.waiting).toBe(2);
      yield* Fiber.interrupt(waiting);
      expect(yield* limiter.waiting).toBe(1);
      yield* Fiber.interrupt(running);
      yield* pass(0.5);
      expect(yield* Fiber.join(behind)).toEqual({ status: 200 });
    }));
});

describe("the forecast", () => {
  it.each([
    ["exactly for a window of one request", 1, 4000, 1, 4, 1],
    ["not too early for a window of two requests", 2, 4000, 1, 6, 30_000],
    ["exactly for a window whose departures are known", 6, 10_000, 60, 20, 1],
  ])("forecast predicts sending times %s", (_, max, period, before, count, tolerance) =>
    limited(
      function* (limiter) {
        const { handle, sentAt } = sliding("p", [{ max, period }]);
        const call = send("GET /a", handle);
        const first = yield* Effect.forkChild(Effect.replicateEffect(call, before));
        yield* pass(before * 4);
        yield* Fiber.join(first);
        const forecast = yield* limiter.forecast({ route: "GET /a" }, count);
        expect(forecast).toMatchObject({ isKnown: true, policy: "p" });
        const begun = yield* Effect.clockWith((clock) => clock.currentTimeMillis);
        yield* Effect.forkChild(Effect.replicateEffect(call, count, { concurrency: count }));
        yield* pass(60);
        const starts = sentAt.slice(before).map((at) => at - begun);
        expect(starts).toHaveLength(count);
        for (const [index, expected] of forecast.startsInMillis.entries()) {
          expect(expected).toBeGreaterThanOrEqual(starts[index]! - 1);
          expect(expected).toBeLessThanOrEqual(starts[index]! + tolerance);
        }
      },
      { maxWait: "5 minutes" },
    ),
  );

  it("forecast reports a new route as unknown, and spreads the requests of a route with client errors", () =>
    limited(
      function* (limiter) {
        expect(yield* limiter.forecast({ route: "GET /a" }, 3)).toMatchObject({ isKnown: false });
        yield* TestClock.adjust("1 hour");
        yield* send("GET /a", limits("p", "9:60", 1, { status: 404 }));
        const { startsInMillis } = yield* limiter.forecast({ route: "GET /a" }, 2);
        expect(startsInMillis).toEqual([0, 600_000]);
      },
      { maxClientErrors: 2 },
    ));
});

describe("metrics", () => {
  it("the limiter counts waits, 429 responses and requests that were not sent in its metrics", () =>
    limited(function* () {
      const server = sliding("p", [{ max: 3, period: 60_000 }]);
      const call = (maxWait: "1 second" | "2 minutes") =>
        Effect.ignore(send({ route: "GET /a", maxWait }, server.handle));
      for (let index = 0; index < 4; index++) yield* call("1 second");
      yield* Effect.forkChild(call("2 minutes"));
      yield* pass(130);
      yield* send("GET /b", { status: 429, headers: { "retry-after": "1" } });
      const metrics = yield* Metric.snapshot;
      const named = (name: string) =>
        metrics.filter(({ id }) => id === `game_data_rate_limit_${name}`);
      expect(named("wait_ms")[0]?.state).toMatchObject({
        count: server.sentAt.length + 1,
        max: expect.closeTo(60_000, -4),
      });
      expect(named("not_sent")).toMatchObject([
        { attributes: { reason: "wait-too-long" }, state: { count: 5 - server.sentAt.length } },
      ]);
      expect(named("violations")).toMatchObject([
        { attributes: { policy: "unknown" }, state: { count: 1 } },
      ]);
    }));
});

describe("permits", () => {
  it("the limiter releases the permit of a request that has not ended after inFlightTimeout", () =>
    limited(
      function* () {
        yield* start("GET /a", undefined, Number.POSITIVE_INFINITY);
        yield* pass(11);
        yield* start("GET /b", undefined, Number.POSITIVE_INFINITY);
        yield* pass(1);
        const third = yield* start("GET /c");
        yield* pass(70);
        expect(third.pollUnsafe()).toBeUndefined();
        yield* pass(10);
        expect(third.pollUnsafe()).toBeDefined();
        const metrics = yield* Metric.snapshot;
        const lost = metrics.find(({ id }) => id === "game_data_rate_limit_lost");
        expect(lost?.state).toMatchObject({ count: 1 });
      },
      { maxInFlight: 2, maxWait: "10 minutes" },
    ));

  it("`run` passes a permit to `send`, with the time of the wait and the policy", () =>
    limited(function* (limiter) {
      yield* send("GET /a", limits("p", "1:10", 1));
      const permit = yield* Effect.forkChild(limiter.run({ route: "GET /a" }, Effect.succeed));
      yield* pass(20);
      const { policy, waitedMillis } = yield* Fiber.join(permit);
      expect(policy).toBe("p");
      expect(waitedMillis).toBeGreaterThan(10_000);
    }));

  /** A shared store whose replies take a time, or are lost. */
  const sharedLimiter = (reply: () => Effect.Effect<void, LimiterStoreError>) => {
    const store = Effect.map(LimiterStore, ({ transact, ...rest }) =>
      LimiterStore.of({
        ...rest,
        isShared: true,
        transact: (transaction) =>
          transact((...args) => constant(transaction(...args))).pipe(
            Effect.tap(reply),
            Effect.map((finish) => finish()),
          ),
      }),
    );
    return PolicyLimiter.layer({ maxInFlight: 1 }).pipe(
      Layer.provide(Layer.effect(LimiterStore, store)),
      Layer.provide(LimiterStore.layerMemory),
    );
  };

  it("the limiter releases the permit of a call that is interrupted while a shared store decides", () => {
    let isSlow = true;
    const test = Effect.gen(function* () {
      yield* TestClock.adjust("1 second");
      const first = yield* start("GET /a", undefined, Number.POSITIVE_INFINITY);
      yield* TestClock.adjust("50 millis");
      yield* Fiber.interrupt(first);
      const second = yield* start("GET /b");
      yield* pass(3);
      expect(yield* Fiber.join(second)).toEqual({ status: 200 });
      isSlow = false;
    });
    const limiter = sharedLimiter(() => (isSlow ? Effect.sleep(100) : Effect.void));
    return inVirtualTime(Effect.provide(test, limiter));
  });

  it.each(["GET /a", "GET /b"])(
    "a request on %s keeps no place, and counts once, if replies of a shared store are lost",
    (route) => {
      let isLost = false;
      const test = Effect.gen(function* () {
        const limiter = yield* PolicyLimiter;
        yield* send("GET /a", limits("p", "9:60", 1));
        isLost = true;
        const error = yield* Effect.flip(send(route));
        expect(error).toBeInstanceOf(LimiterStoreError);
        isLost = false;
        yield* send(route, limits("p", "9:60", 2));
        const { policies } = yield* limiter.limits({ route });
        expect(policies[0]?.windows[0]).toMatchObject({ used: 2, foreign: 0 });
        // The outcome is recorded, and recorded again after a second.
        const rejected = limits("p", "9:60", 3, { status: 404 });
        yield* send(route, () => ((isLost = true), rejected));
        yield* pass(0.5);
        isLost = false;
        yield* pass(2);
        expect(yield* limiter.limits({ route })).toMatchObject({
          clientErrors: { count: 1 },
          policies: [{ windows: [{ used: 3, foreign: 0 }] }],
        });
      });
      const cause = new Error("lost");
      const limiter = sharedLimiter(() =>
        isLost ? Effect.fail(new LimiterStoreError({ cause })) : Effect.void,
      );
      return inVirtualTime(Effect.provide(test, limiter));
    },
  );

  it("the limiter releases the permits of 500 calls that are interrupted at random", () =>
    limited(
      function* (limiter) {
        const random = generator(1);
        const { handle } = sliding("p", [{ max: 1000, period: 10_000 }]);
        for (let index = 0; index < 500; index++) {
          const fiber = yield* start(`GET /${index % 3}`, handle, random() < 0.5 ? 0 : 100);
          if (random() < 0.5) yield* TestClock.adjust(Math.floor(random() * 150));
          yield* Fiber.interrupt(fiber);
        }
        yield* pass(1);
        expect(yield* limiter.waiting).toBe(0);
        // All places are free: as many as may be in flight go at once.
        const calls = Effect.replicateEffect(send("GET /0", handle, 10), 3, { concurrency: 3 });
        const fiber = yield* Effect.forkChild(calls);
        yield* pass(1);
        expect(yield* Fiber.join(fiber)).toHaveLength(3);
      },
      { maxInFlight: 3, maxClientErrors: 100_000 },
    ));
});

describe("users", () => {
  it("a full window of one identity delays no other identity", () =>
    limited(function* () {
      const users = ["a", "b", "c"].map((identity) => ({
        identity,
        service: sliding("p", [{ max: 3, period: 10_000 }]),
      }));
      for (const { identity, service } of users) {
        const call = send({ route: "GET /profile", identity }, service.handle, 1);
        yield* Effect.forkChild(Effect.replicateEffect(call, identity === "a" ? 9 : 2));
        yield* pass(2);
      }
      expect(users.slice(1).map(({ service }) => service.sentAt.length)).toEqual([2, 2]);
    }));

  it("users whose requests have the same priority take turns", () =>
    limited(
      function* () {
        const order: Array<string> = [];
        const answer = (identity: string) => () => {
          order.push(identity);
          return limits("p", "1:5", 1, { rule: "client" });
        };
        for (const identity of ["a", "a", "a", "b", "c"])
          yield* start({ route: "GET /a", identity }, answer(identity), 10);
        yield* pass(120);
        expect(order.toSorted()).toEqual(["a", "a", "a", "b", "c"]);
        // The first one teaches the limit.
        expect(order.slice(1, 4).toSorted()).toEqual(["a", "b", "c"]);
      },
      { maxWait: "1 hour" },
    ));

  it("the option `reserve` keeps places free of requests of a lower priority", () =>
    limited(
      function* () {
        let count = 0;
        const call = (priority: number) =>
          send({ route: "GET /a", priority, maxWait: 0 }, () => limits("p", "4:60", ++count));
        for (let index = 0; index < 8; index++) yield* Effect.ignore(call(0));
        const low = count;
        yield* call(1);
        expect(low).toBeLessThanOrEqual(2);
        expect(count).toBe(low + 1);
      },
      { reserve: { 1: 2 } },
    ));
});

describe("options and requests", () => {
  it("checkLimiterOptions returns the defaults that the README names", () => {
    expect(checkLimiterOptions({})).toMatchObject({
      sharedRules: ["ip", "client"],
      limits: [],
      maxWait: 60_000,
      maxInFlight: 8,
      concurrencyWithoutHeaders: 4,
      inFlightTimeout: 90_000,
      maxClientErrors: 60,
      clientErrorWindow: 600_000,
      firewallCooldown: 900_000,
      reserve: [],
    });
  });

  it.each([
    [{ maxInFlight: 0 }, "maxInFlight"],
    [{ maxWait: -1 }, "maxWait"],
    [{ inFlightTimeout: "soon" }, "inFlightTimeout"],
    [{ firewallCooldown: {} }, "firewallCooldown"],
    [{ limits: [{ max: 1.5, period: "5 seconds" }] }, "limits[0].max"],
    [{ limits: [null] }, "limits[0]"],
    [{ reserve: { 1: -1 } }, "reserve.1"],
    [{ reserve: 5 }, "reserve"],
    [{ sharedRules: [5] }, "sharedRules[0]"],
    [{ sharedRules: "ip" }, "sharedRules"],
    [{ read: "headers" }, "read"],
    [{ store: 5 }, "store"],
    [null, "options"],
  ])("the limiter refuses the options %j because of %s", async (options, option) => {
    const expected = { _tag: "LimiterOptionInvalid", option };
    const create = () => createLimiter(options as never);
    expect(create).toThrow(expect.objectContaining(expected));
    if (option === "store") return;
    const layer = PolicyLimiter.layerMemory(options as LimiterOptions);
    const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer))));
    expect(error).toMatchObject(expected);
  });

  const route = "GET /a";
  it.each<[unknown, unknown, string]>([
    [undefined, 1, "route"],
    [{}, 1, "route"],
    [{ route: 5 }, 1, "route"],
    [{ route, identity: 5 }, 1, "identity"],
    [{ route }, 0, "count"],
    [{ route }, 1.5, "count"],
    [{ route }, 10_001, "count"],
    [{ route }, "x", "count"],
  ])("forecast refuses the request %j, %s times, because of %s", (request, count, option) =>
    limited(function* (limiter) {
      const exit = yield* Effect.exit(limiter.forecast(request as never, count as never));
      const error = Exit.isFailure(exit) && Cause.squash(exit.cause);
      expect(error).toMatchObject({ _tag: "LimiterOptionInvalid", option });
      if (option === "count") return;
      const run = yield* Effect.exit(limiter.run(request as never, () => Effect.void));
      expect(Exit.isFailure(run) && Cause.squash(run.cause)).toEqual(error);
    }),
  );
});
