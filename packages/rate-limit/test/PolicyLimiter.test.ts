import { setImmediate } from "node:timers/promises";
import { Cause, Clock, Duration, Effect, Exit, Fiber, Layer, Metric, type Scope } from "effect";
import { constant, constVoid } from "effect/Function";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { LimiterStore, PolicyLimiter } from "@game-data/rate-limit";
import type { LimiterOptions, LimiterRequest, LimitReader } from "@game-data/rate-limit";
import { createLimiter } from "@game-data/rate-limit/promise";
import { generator } from "./model/simulate.ts";
import { sliding } from "./model/sliding.ts";

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
}

const limiterLayer = (options?: LimiterOptions) =>
  PolicyLimiter.layer(options).pipe(Layer.provide(LimiterStore.layerMemory));

/** Sends a request to `answer`, which takes `millis`. */
const send = (call: LimiterRequest, answer: (now: number) => Answer, millis = 0) =>
  Effect.flatMap(PolicyLimiter, (limiter) =>
    limiter.run(
      call,
      () =>
        Effect.gen(function* () {
          if (millis > 0) yield* Effect.sleep(millis);
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis);
          return answer(now);
        }),
      (exit) => (Exit.isSuccess(exit) ? exit.value : { status: undefined }),
    ),
  );

const limits = (policy: string, rule: string, state: string): Record<string, string> => ({
  "x-rate-limit-policy": policy,
  "x-rate-limit-rules": "account",
  "x-rate-limit-account": rule,
  "x-rate-limit-account-state": state,
});

/** One request in five seconds for all users. */
const clientLimit = (count: number): Record<string, string> => ({
  "x-rate-limit-policy": "p",
  "x-rate-limit-rules": "client",
  "x-rate-limit-client": "1:5:60",
  "x-rate-limit-client-state": `${Math.min(1, count)}:5:0`,
});

const ok = (headers: Record<string, string> = {}): Answer => ({ status: 200, headers });

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
  test: () => Generator<Eff, A, never>,
  options?: LimiterOptions,
): Promise<A> =>
  inVirtualTime(Effect.gen(test).pipe(Effect.provide(limiterLayer(options))) as Effect.Effect<A>);

/** Lets `seconds` pass in small steps, so that everything that wakes up may act. */
const pass = (seconds: number) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(seconds * 4) }),
    () => TestClock.adjust("250 millis"),
    { discard: true },
  );

describe("a server that always answers 429", () => {
  const count = Effect.fnUntraced(function* (headers: Record<string, string>, minutes: number) {
    let requests = 0;
    const caller = Effect.forever(
      Effect.ignore(
        send(
          { route: "GET /stash" },
          () => {
            requests++;
            return { status: 429, headers };
          },
          10,
        ),
      ),
    );
    const fibers = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(caller));
    yield* pass(minutes * 60);
    yield* Effect.forEach(fibers, Fiber.interrupt, { discard: true });
    return requests;
  });

  it.each([1, 10, 60])(
    "sends less than one request per Retry-After of %d s to a server that only answers 429 [NS-10]",
    (seconds) =>
      limited(
        function* () {
          const requests = yield* count({ "retry-after": String(seconds) }, 10);
          expect(requests).toBeGreaterThan(1);
          // Besides the first one.
          expect(requests - 1).toBeLessThan(600 / seconds);
        },
        { maxClientErrors: 100_000, maxWait: "1 hour" },
      ),
  );

  it("sends less than 20 requests in ten minutes to a server that answers 429 without a time [NS-10]", () =>
    limited(
      function* () {
        const requests = yield* count({}, 10);
        expect(requests).toBeGreaterThan(1);
        expect(requests).toBeLessThan(20);
      },
      { maxWait: "1 hour" },
    ));
});

describe("learning", () => {
  it("sends one request at a time on a route whose limits are unknown", () =>
    limited(function* () {
      const answeredAt = new Set<number>();
      const answer = (now: number) => (answeredAt.add(now), { status: 500, headers: {} });
      const call = send({ route: "GET /league" }, answer, 100);
      yield* Effect.forEach([1, 2, 3, 4, 5], () => Effect.forkChild(call));
      yield* pass(2);
      expect(answeredAt.size).toBe(5);
    }));

  it("keeps no more requests in flight than a full window permits in two round trips", () =>
    limited(function* () {
      const windows = [
        { max: 100, period: 10_000 },
        { max: 12, period: 60_000 },
      ];
      const server = sliding("p", windows);
      const answeredAt: Array<number> = [];
      const answer = (now: number) => (answeredAt.push(now), server.handle(now));
      const call = send({ route: "GET /a" }, answer, 1000);
      yield* Effect.forkChild(Effect.replicateEffect(call, 6, { concurrency: 6 }));
      yield* pass(20);
      expect(answeredAt).toHaveLength(6);
      expect(new Set(answeredAt).size).toBe(6);
    }));

  it("forgets routes and users that were not used for a day, and no others", () =>
    limited(function* () {
      const limiter = yield* PolicyLimiter;
      const call = (route: string) =>
        send({ route }, () => ok(limits("p", "100:172800:60", "1:172800:0")));
      yield* call("GET /a");
      yield* TestClock.adjust("2 hours");
      yield* call("GET /b");
      yield* TestClock.adjust("23 hours");
      yield* limiter.limits({ route: "GET /b" });
      expect((yield* limiter.limits({ route: "GET /a" })).limits).toBe("unknown");
      const { policies } = yield* limiter.limits({ route: "GET /b" });
      expect(policies[0]?.windows[0]?.used).toBe(2);
      yield* TestClock.adjust("24 hours");
      yield* limiter.limits({ route: "GET /c" });
      const { limits: later } = yield* limiter.limits({ route: "GET /b" });
      expect(later).toBe("unknown");
    }));

  it.each(["constructor", "__proto__"])("limits a route named %s like any other", (route) =>
    limited(
      function* () {
        const limiter = yield* PolicyLimiter;
        yield* send({ route }, () => ok(limits("p", "10:60:60", "1:60:0")));
        yield* send({ route }, () => ({ ...ok(limits("p", "10:60:60", "2:60:0")), status: 404 }));
        const known = yield* limiter.limits({ route });
        expect(known).toMatchObject({ limits: "learned", clientErrors: { count: 1 } });
        expect((yield* limiter.limits({ route: "toString" })).limits).toBe("unknown");
      },
      { maxClientErrors: 2 },
    ),
  );

  it("shares the counters of routes that name the same policy", () =>
    limited(function* () {
      const server = sliding("shared", [{ max: 10, period: 10_000, bucket: 0 }]);
      const one = (route: string) =>
        Effect.forever(send({ route }, (now) => server.handle(now), 10));
      yield* Effect.forkChild(one("GET /a"));
      yield* Effect.forkChild(one("GET /b"));
      yield* pass(120);
      expect(server.server.violations).toBe(0);
      expect(server.server.served).toBeGreaterThan(100);
      const limiter = yield* PolicyLimiter;
      expect((yield* limiter.limits({ route: "GET /b" })).policies[0]?.name).toBe("shared");
    }));

  it("counts the requests of other programs by the server's counts", () =>
    limited(function* () {
      yield* send({ route: "GET /a" }, () => ok(limits("p", "10:60:60", "9:60:0")));
      const limiter = yield* PolicyLimiter;
      const { startsInMillis } = yield* limiter.forecast({ route: "GET /a" }, 2);
      expect(startsInMillis[1]).toBeGreaterThan(55_000);
    }));

  it("sends what hidden buckets permit, and gets no 429, if the service's clock goes on with the limiter's [NS-11]", () =>
    limited(function* () {
      const { handle, sentAt, server } = sliding("p", [
        { max: 6, period: 10_000, bucket: 5000 },
        { max: 10, period: 20_000, bucket: 10_000 },
      ]);
      const clock = yield* Clock.clockWith(Effect.succeed);
      const limiter = yield* PolicyLimiter;
      // Real promises delay responses until the clock stands, so they are recorded later.
      const call = limiter.run({ route: "GET /a" }, () =>
        Effect.promise(() => setImmediate(handle(clock.currentTimeMillisUnsafe()))),
      );
      const callers = Array.from({ length: 3 }, () => Effect.forever(call));
      yield* Effect.forkChild(Effect.all(callers, { concurrency: 3 }));
      for (let step = 0; step < 1500; step++) {
        yield* TestClock.adjust("200 millis");
        yield* Effect.promise(() => setImmediate());
      }
      expect(server.violations).toBe(0);
      // Ten requests in 30 seconds, for 300 seconds.
      expect(sentAt.length).toBeGreaterThanOrEqual(90);
    }));

  it("waits for the end of a restriction that a response without 429 announces", () =>
    limited(function* () {
      yield* send({ route: "GET /a" }, () => ok(limits("p", "30:60:60", "2:60:40")));
      const limiter = yield* PolicyLimiter;
      const { startsInMillis } = yield* limiter.forecast({ route: "GET /a" }, 1);
      expect(startsInMillis).toEqual([41_000]);
    }));
});

describe("a defect", () => {
  it("fails only the request whose decision has a defect", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const store = yield* LimiterStore;
        for (const name of ["p", "q"])
          yield* send({ route: name }, () => ok(limits(name, "9:60:60", "1:60:0")));
        yield* store.transact((documents) => {
          documents.policy("p").windows = 5 as never;
          return constVoid;
        });
        const busy = yield* Effect.forkChild(send({ route: "q" }, () => ok(), 1000));
        yield* TestClock.adjust(1);
        const damaged = yield* Effect.forkChild(send({ route: "p" }, () => ok()));
        const other = yield* Effect.forkChild(send({ route: "q" }, () => ok()));
        yield* pass(2);
        expect(Exit.hasDies(yield* Fiber.await(damaged))).toBe(true);
        expect(yield* Fiber.join(other)).toEqual(ok());
        yield* Fiber.join(busy);
      }).pipe(
        Effect.provide(PolicyLimiter.layer({ maxInFlight: 1 })),
        Effect.provide(LimiterStore.layerMemory),
      ) as Effect.Effect<void>,
    ));
});

/** Reads nothing but what it likes. */
const throwing: LimitReader = (headers) => {
  if (headers["fine"] === undefined) throw new Error("no such header");
  return { windows: [] };
};

describe("holding back", () => {
  it("a 429 stops all routes of its policy, and no others", () =>
    limited(function* () {
      const p = (answer: Answer, route = "GET /a") =>
        send({ route, maxWait: "5 minutes" }, () => answer);
      yield* p(ok(limits("p", "30:60:60", "1:60:0")));
      yield* p(ok(limits("p", "30:60:60", "2:60:0")), "GET /b");
      yield* p(ok(limits("q", "30:60:60", "1:60:0")), "GET /c");
      yield* p({
        status: 429,
        headers: { ...limits("p", "30:60:60", "31:60:60"), "retry-after": "60" },
      });
      const sibling = yield* Effect.forkChild(p(ok(limits("p", "30:60:60", "1:60:0")), "GET /b"));
      yield* p(ok(limits("q", "30:60:60", "2:60:0")), "GET /c");
      yield* pass(59);
      expect(sibling.pollUnsafe()).toBeUndefined();
      // The counted requests of others may lie in a hidden bucket of a minute.
      yield* pass(65);
      expect(sibling.pollUnsafe()).toBeDefined();
    }));

  it("paces rejected requests from half of the limit on, and stops at the limit", () =>
    limited(
      function* () {
        const times: Array<number> = [];
        const bad = send({ route: "GET /a", maxWait: "1 day" }, (now) => {
          times.push(now);
          return { status: 401, headers: {} };
        });
        const caller = yield* Effect.forkChild(Effect.flip(Effect.forever(bad)));
        yield* pass(30 * 60);
        // At once up to half of four; then 300 s apart, so that never more than 3 count.
        expect(times.slice(0, 4).map((time) => Math.round(time / 1000))).toEqual([0, 0, 300, 600]);
        expect(caller.pollUnsafe()).toBeUndefined();
        const limiter = yield* PolicyLimiter;
        const { clientErrors } = yield* limiter.limits({ route: "GET /a" });
        expect(clientErrors).toMatchObject({ max: 4, windowMillis: 600_000 });
        expect(yield* limiter.waiting).toBe(1);
      },
      { maxClientErrors: 4 },
    ));

  it("blocks the client once 401, 403 and 429 reach the limit, whatever the route", () =>
    limited(
      function* () {
        const limiter = yield* PolicyLimiter;
        const bad = (route: string) => send({ route }, () => ({ status: 403, headers: {} }));
        for (const route of ["GET /a", "GET /b", "GET /c"]) yield* bad(route);
        const error = yield* Effect.flip(bad("GET /d"));
        expect(error).toMatchObject({
          _tag: "RequestNotSent",
          reason: "too-many-errors",
          retryAfter: Duration.minutes(10),
        });
        expect(yield* limiter.limits({ route: "GET /d" })).toMatchObject({
          clientErrors: { count: 3, blocking: 3, max: 3, windowMillis: 600_000 },
          blockedMillis: 600_000,
        });
        yield* TestClock.adjust("10 minutes");
        yield* bad("GET /d");
      },
      { maxClientErrors: 3 },
    ));

  it("counts a 404 that reads as null, and never blocks for it", () =>
    limited(
      function* () {
        const limiter = yield* PolicyLimiter;
        for (const route of ["GET /a", "GET /b", "GET /c", "GET /d"])
          yield* send({ route }, () => ({ status: 404, headers: {} }));
        const { blockedMillis, clientErrors } = yield* limiter.limits({ route: "GET /a" });
        expect(clientErrors).toMatchObject({ count: 4, blocking: 0 });
        expect(blockedMillis).toBe(0);
        // Another route goes at once.
        expect(yield* send({ route: "GET /e" }, () => ok())).toEqual(ok());
      },
      { maxClientErrors: 3 },
    ));

  it("sends nothing on any route after a block by a firewall", () =>
    limited(function* () {
      const limiter = yield* PolicyLimiter;
      yield* limiter.run(
        { route: "GET /a" },
        () => Effect.void,
        () => ({ status: 403, isFirewallBlock: true }),
      );
      const error = yield* Effect.flip(send({ route: "GET /b" }, () => ok()));
      expect(error).toMatchObject({ reason: "firewall", retryAfter: Duration.millis(900_000) });
      yield* TestClock.adjust("15 minutes");
      const later = yield* Effect.forkChild(send({ route: "GET /b" }, () => ok()));
      yield* pass(1);
      expect(later.pollUnsafe()).toBeDefined();
    }));

  it("refuses a request at once if it would wait longer than maxWait", () =>
    limited(function* () {
      yield* send({ route: "GET /a" }, () => ok(limits("p", "1:300:60", "1:300:0")));
      const error = yield* Effect.flip(
        send({ route: "GET /a", maxWait: "30 seconds" }, () => ok()),
      );
      expect(error).toMatchObject({ reason: "wait-too-long", policy: "p" });
    }));

  it.each(["GET /stash", "GET /profile"])(
    "a reader that throws costs no response, and its request keeps no place (%s)",
    (next) =>
      limited(
        function* () {
          const exit = yield* Effect.exit(send({ route: "GET /stash" }, () => ok()));
          expect(Exit.isSuccess(exit)).toBe(true);
          let sent = false;
          const second = send({ route: next }, () => {
            sent = true;
            return { status: 200, headers: { fine: "yes" } };
          });
          const fiber = yield* Effect.forkChild(second);
          // On the same route the first one may still be on its way, as far as anybody knows.
          yield* pass(next === "GET /stash" ? 100 : 1);
          expect(sent).toBe(true);
          yield* Fiber.join(fiber);
        },
        { maxInFlight: 1, read: throwing },
      ),
  );
});

describe("a program that throws", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  it.each([
    ["send throws", boom, () => ({ status: 200 })],
    ["report throws", () => Effect.void, boom],
    ["report returns nothing", () => Effect.void, () => undefined as never],
  ] as const)("releases a permit if %s", (reason, attempt, report) =>
    limited(
      function* () {
        const limiter = yield* PolicyLimiter;
        const exit = yield* Effect.exit(limiter.run({ route: "GET /a" }, attempt, report));
        expect(Exit.hasDies(exit)).toBe(reason.endsWith("throws"));
        const next = yield* Effect.forkChild(send({ route: "GET /b" }, () => ok()));
        yield* pass(1);
        expect(yield* Fiber.join(next)).toEqual(ok());
      },
      { maxInFlight: 1 },
    ),
  );
});

describe("the queue", () => {
  it("lets higher priorities go first, and requests of one priority in the order of arrival", () =>
    limited(function* () {
      const order: Array<string> = [];
      const call = (name: string, priority: number, identity = "me") =>
        Effect.forkChild(
          send(
            { route: "GET /a", identity, priority },
            () => {
              order.push(name);
              return { status: 500, headers: {} };
            },
            10,
          ),
        );
      yield* call("first", 0);
      yield* call("low", -1);
      yield* call("not a number", Number.NaN);
      yield* call("normal", 0);
      yield* call("high", 5);
      yield* call("higher, of another user", 6, "other");
      yield* call("also normal", 0);
      yield* pass(2);
      expect(order).toEqual([
        "first",
        "higher, of another user",
        "high",
        "not a number",
        "normal",
        "also normal",
        "low",
      ]);
    }));

  it("a request that arrives when a place becomes free goes after those that waited for it", () =>
    limited(function* () {
      const order: Array<string> = [];
      const call = (name: string) =>
        send({ route: "GET /x" }, () => (order.push(name), ok(limits("p", "1:10:60", "1:10:0"))));
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

  it.each([1, 3])("sends no request of a group that is interrupted while %d of it run", (most) =>
    limited(
      function* () {
        let sent = 0;
        const headers = limits("p", "30:60:60", "1:60:0");
        yield* send({ route: "GET /a" }, () => ok(headers));
        const limiter = yield* PolicyLimiter;
        const call = limiter.run({ route: "GET /a" }, () => {
          sent++;
          return Effect.as(Effect.sleep(1000), ok());
        });
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

  it("an interrupted call leaves the queue, or passes its permit on", () =>
    limited(function* () {
      const limiter = yield* PolicyLimiter;
      const running = yield* Effect.forkChild(send({ route: "GET /a" }, () => ok(), 1000));
      const waiting = yield* Effect.forkChild(send({ route: "GET /a" }, () => ok(), 10));
      const behind = yield* Effect.forkChild(send({ route: "GET /a" }, () => ok(), 10));
      yield* pass(0.5);
      expect(yield* limiter.waiting).toBe(2);
      yield* Fiber.interrupt(waiting);
      expect(yield* limiter.waiting).toBe(1);
      yield* Fiber.interrupt(running);
      yield* pass(0.5);
      expect(behind.pollUnsafe()).toBeDefined();
    }));
});

describe("the forecast", () => {
  it.each([
    ["exactly for a window of one request", 1, 4000, 1, 4, 1],
    ["not too early for a window of two requests", 2, 4000, 1, 6, 30_000],
    ["exactly for a window whose departures are known", 6, 10_000, 60, 20, 1],
  ])("forecasts requests %s", (_, max, period, before, count, tolerance) =>
    limited(function* () {
      const { handle, sentAt } = sliding("p", [{ max, period }]);
      const limiter = yield* PolicyLimiter;
      const call = send({ route: "GET /a", maxWait: "5 minutes" }, handle);
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
      for (const [index, start] of forecast.startsInMillis.entries()) {
        expect(start).toBeGreaterThanOrEqual(starts[index]! - 1);
        expect(start).toBeLessThanOrEqual(starts[index]! + tolerance);
      }
    }),
  );

  it("forecasts requests of an unknown route as unknown", () =>
    limited(function* () {
      const limiter = yield* PolicyLimiter;
      expect((yield* limiter.forecast({ route: "GET /a" }, 3)).isKnown).toBe(false);
    }));

  it("begins a forecast after a block of the whole client", () =>
    limited(function* () {
      const limiter = yield* PolicyLimiter;
      const outcome = () => ({ status: 403, isFirewallBlock: true });
      yield* limiter.run({ route: "GET /a" }, () => Effect.void, outcome);
      const { startsInMillis } = yield* limiter.forecast({ route: "GET /b" }, 1);
      expect(startsInMillis).toEqual([900_000]);
    }));

  it("spreads the forecast of a route whose requests were rejected", () =>
    limited(
      function* () {
        const limiter = yield* PolicyLimiter;
        yield* TestClock.adjust("1 hour");
        yield* send({ route: "GET /a" }, () => ({
          ...ok(limits("p", "9:60:60", "1:60:0")),
          status: 404,
        }));
        const { startsInMillis } = yield* limiter.forecast({ route: "GET /a" }, 2);
        expect(startsInMillis).toEqual([0, 600_000]);
      },
      { maxClientErrors: 2 },
    ));

  it.each([0, -1, 1.5, 10_001, Number.NaN, "x" as never])(
    "refuses a forecast of %s requests",
    (count) =>
      limited(function* () {
        const limiter = yield* PolicyLimiter;
        const exit = yield* Effect.exit(limiter.forecast({ route: "GET /a" }, count));
        expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({
          _tag: "LimiterOptionInvalid",
          option: "count",
        });
      }),
  );
});

describe("metrics", () => {
  it("counts waits, 429 responses and requests that were not sent in its metrics", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const server = sliding("p", [{ max: 3, period: 60_000 }]);
        const call = (maxWait: "1 second" | "2 minutes") =>
          Effect.ignore(send({ route: "GET /a", maxWait }, (now) => server.handle(now)));
        for (let index = 0; index < 3; index++) yield* call("1 second");
        yield* call("1 second");
        const last = yield* Effect.forkChild(call("2 minutes"));
        yield* pass(130);
        yield* Fiber.join(last);
        yield* send({ route: "GET /b" }, () => ({ status: 429, headers: { "retry-after": "1" } }));
        const metrics = yield* Metric.snapshot;
        const named = (id: string) => metrics.filter((metric) => metric.id === id);
        const [waits] = named("game_data_rate_limit_wait_ms");
        expect(waits?.state).toMatchObject({ count: server.sentAt.length + 1 });
        expect(waits?.state).toHaveProperty("max", expect.closeTo(60_000, -4));
        const [refused] = named("game_data_rate_limit_not_sent");
        expect(refused).toMatchObject({
          attributes: { reason: "wait-too-long" },
          state: { count: 5 - server.sentAt.length },
        });
        expect(named("game_data_rate_limit_violations")).toMatchObject([
          { attributes: { policy: "unknown" }, state: { count: 1 } },
        ]);
      }).pipe(Effect.provide(limiterLayer())),
    ));
});

describe("permits", () => {
  /** A request that never ends. */
  const hanging = (route: string, maxWait: Duration.Input = "10 minutes") =>
    Effect.flatMap(PolicyLimiter, (limiter) => limiter.run({ route, maxWait }, () => Effect.never));

  it("releases the permits of requests that never end after inFlightTimeout", () =>
    limited(
      function* () {
        yield* Effect.forkChild(hanging("GET /a"));
        yield* pass(11);
        yield* Effect.forkChild(hanging("GET /b"));
        yield* pass(1);
        const third = yield* Effect.forkChild(
          send({ route: "GET /c", maxWait: "5 minutes" }, () => ok()),
        );
        yield* pass(70);
        expect(third.pollUnsafe()).toBeUndefined();
        yield* pass(10);
        expect(third.pollUnsafe()).toBeDefined();
        const metrics = yield* Metric.snapshot;
        const lost = metrics.find(({ id }) => id === "game_data_rate_limit_lost");
        expect(lost?.state).toMatchObject({ count: 1 });
      },
      { maxInFlight: 2 },
    ));

  it("passes a permit with the time of the wait and the policy to send", () =>
    limited(function* () {
      const limiter = yield* PolicyLimiter;
      yield* send({ route: "GET /a" }, () => ok(limits("p", "1:10:60", "1:10:0")));
      const permit = yield* Effect.forkChild(
        limiter.run(
          { route: "GET /a" },
          (each) => Effect.succeed(each),
          () => ({ status: 200 }),
        ),
      );
      yield* pass(20);
      const { policy, waitedMillis } = yield* Fiber.join(permit);
      expect(policy).toBe("p");
      expect(waitedMillis).toBeGreaterThan(10_000);
    }));

  it("releases the permit of a call that is interrupted while a shared store decides", () => {
    let isSlow = true;
    const slowStore = Effect.map(LimiterStore, ({ transact, ...store }) =>
      LimiterStore.of({
        ...store,
        isShared: true,
        transact: (transaction) =>
          transact((...args) => constant(transaction(...args))).pipe(
            Effect.tap(() => (isSlow ? Effect.sleep(100) : Effect.void)),
            Effect.map((finish) => finish()),
          ),
      }),
    );
    const limiter = PolicyLimiter.layer({ maxInFlight: 1 }).pipe(
      Layer.provide(Layer.effect(LimiterStore, slowStore)),
      Layer.provide(LimiterStore.layerMemory),
    );
    const test = Effect.gen(function* () {
      yield* TestClock.adjust("1 second");
      const first = yield* Effect.forkChild(hanging("GET /a"));
      yield* TestClock.adjust("50 millis");
      yield* Fiber.interrupt(first);
      const second = yield* Effect.forkChild(send({ route: "GET /b" }, () => ok()));
      yield* pass(3);
      expect(second.pollUnsafe()).toBeDefined();
      isSlow = false;
    });
    return inVirtualTime(Effect.provide(test, limiter));
  });

  it("releases the permits of 500 calls that are interrupted at random", () =>
    limited(
      function* () {
        const random = generator(1);
        const limiter = yield* PolicyLimiter;
        const server = sliding("p", [{ max: 1000, period: 10_000 }]);
        for (let index = 0; index < 500; index++) {
          const fiber = yield* Effect.forkChild(
            send(
              { route: `GET /${index % 3}` },
              (now) => server.handle(now),
              random() < 0.5 ? 0 : 100,
            ),
          );
          if (random() < 0.5) yield* TestClock.adjust(Math.floor(random() * 150));
          yield* Fiber.interrupt(fiber);
        }
        yield* pass(1);
        expect(yield* limiter.waiting).toBe(0);
        // All places are free: as many as may be in flight go at once.
        const fibers = yield* Effect.forEach([1, 2, 3], () =>
          Effect.forkChild(send({ route: "GET /0" }, (now) => server.handle(now), 10)),
        );
        yield* pass(1);
        for (const fiber of fibers) expect(fiber.pollUnsafe()).toBeDefined();
      },
      { maxInFlight: 3, maxClientErrors: 100_000 },
    ));
});

describe("users", () => {
  it("a full window of one identity delays no other identity", () =>
    limited(function* () {
      const servers = new Map(
        ["a", "b", "c"].map((name) => [name, sliding("p", [{ max: 3, period: 10_000 }])]),
      );
      const one = (identity: string) =>
        send({ route: "GET /profile", identity }, (now) => servers.get(identity)!.handle(now), 1);
      yield* Effect.forkChild(Effect.forEach(Array.from({ length: 9 }), () => one("a")));
      yield* pass(3);
      for (const identity of ["b", "c"])
        yield* Effect.forkChild(Effect.forEach([1, 2], () => one(identity)));
      yield* pass(2);
      expect(servers.get("b")!.sentAt).toHaveLength(2);
      expect(servers.get("c")!.sentAt).toHaveLength(2);
    }));

  it("lets users of one priority take turns", () =>
    limited(function* () {
      const order: Array<string> = [];
      const call = (identity: string) =>
        Effect.forkChild(
          send(
            { route: "GET /a", identity, maxWait: "1 hour" },
            () => {
              order.push(identity);
              return { status: 200, headers: clientLimit(order.length) };
            },
            10,
          ),
        );
      for (const identity of ["a", "a", "a", "b", "c"]) yield* call(identity);
      yield* pass(120);
      expect(order.toSorted()).toEqual(["a", "a", "a", "b", "c"]);
      // The first one teaches the limit.
      expect(order.slice(1, 4).toSorted()).toEqual(["a", "b", "c"]);
    }));

  it("keeps reserved places free of requests of a lower priority", () =>
    limited(
      function* () {
        let count = 0;
        const call = (priority: number) =>
          send({ route: "GET /a", priority, maxWait: 0 }, () =>
            ok(limits("p", "4:60:60", `${++count}:60:0`)),
          );
        for (let index = 0; index < 8; index++) yield* Effect.ignore(call(0));
        const low = count;
        yield* call(1);
        expect(low).toBeLessThanOrEqual(2);
        expect(count).toBe(low + 1);
      },
      { reserve: { 1: 2 } },
    ));
});

it.each([
  [{ maxInFlight: 0 }, "maxInFlight"],
  [{ maxWait: -1 }, "maxWait"],
  [{ inFlightTimeout: "soon" }, "inFlightTimeout"],
  [{ maxWait: null }, "maxWait"],
  [{ firewallCooldown: {} }, "firewallCooldown"],
  [{ clientErrorWindow: Number.NaN }, "clientErrorWindow"],
  [{ limits: [{ max: 1.5, period: "5 seconds" }] }, "limits[0].max"],
  [{ limits: [null] }, "limits[0]"],
  [{ limits: 5 }, "limits"],
  [{ reserve: { 1: -1 } }, "reserve.1"],
  [{ reserve: 5 }, "reserve"],
  [{ sharedRules: [5] }, "sharedRules[0]"],
  [{ sharedRules: "ip" }, "sharedRules"],
  [{ read: "headers" }, "read"],
  [null, "options"],
  [5, "options"],
])("fails with the name of the invalid option: %j", async (options, option) => {
  const layer = PolicyLimiter.layerMemory(options as LimiterOptions);
  const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer))));
  const expected = { _tag: "LimiterOptionInvalid", option };
  expect(error).toMatchObject(expected);
  const create = () => createLimiter(options as LimiterOptions);
  expect(create).toThrow(expect.objectContaining(expected));
});

it.each([5, null])("refuses a store that is %j", (store) => {
  const create = () => createLimiter({ store: store as never });
  expect(create).toThrow("store must be a layer.");
});

it.each([undefined, null, {}, 5, { route: 5 }, { route: "a", identity: 5 }])(
  "refuses the request %j",
  (request) =>
    limited(function* () {
      const limiter = yield* PolicyLimiter;
      const exit = yield* Effect.exit(limiter.run(request as never, () => Effect.void));
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({
        _tag: "LimiterOptionInvalid",
        option:
          request && typeof request === "object" && "identity" in request ? "identity" : "route",
      });
    }),
);
