import { Duration, Effect, Exit, Fiber, Layer } from "effect";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { LimiterStore, PolicyLimiter } from "../src/effect/index.ts";
import type {
  LimitedRequest,
  PolicyLimiterOptions,
  RateLimitDialect,
} from "../src/effect/index.ts";
import { SlidingServer } from "./SlidingServer.ts";

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
}

const limiterLayer = (options?: PolicyLimiterOptions) =>
  PolicyLimiter.layer(options).pipe(Layer.provide(LimiterStore.layerMemory));

/** Sends a request to `answer`, which takes `millis`. */
const send = (call: LimitedRequest, answer: (now: number) => Answer, millis = 0) =>
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

const ok = (headers: Record<string, string> = {}): Answer => ({ status: 200, headers });

/** Runs a test on a clock that stands still until it is moved. */
const inVirtualTime = <A, E>(test: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.provide(test, TestClock.layer())));

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

  it.each([1, 10, 60])("sees less than one request per Retry-After of %d s [NS-10]", (seconds) =>
    inVirtualTime(
      Effect.gen(function* () {
        const requests = yield* count({ "retry-after": String(seconds) }, 10);
        expect(requests).toBeGreaterThan(0);
        expect(requests).toBeLessThan(600 / seconds);
      }).pipe(Effect.provide(limiterLayer({ maxClientErrors: 100_000 }))),
    ),
  );

  it("sees less than 20 requests in ten minutes without one [NS-10]", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const requests = yield* count({}, 10);
        expect(requests).toBeGreaterThan(1);
        expect(requests).toBeLessThan(20);
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("sees as few when the headers speak of several windows", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const requests = yield* count(limits("p", "5:10:60,30:300:300", "6:10:0,31:300:0"), 10);
        expect(requests).toBeLessThan(20);
      }).pipe(Effect.provide(limiterLayer())),
    ));
});

describe("learning", () => {
  it("sends one request at a time on a route of which nothing is known", () =>
    inVirtualTime(
      Effect.gen(function* () {
        let flying = 0;
        let most = 0;
        const call = Effect.gen(function* () {
          const limiter = yield* PolicyLimiter;
          yield* limiter.run(
            { route: "GET /league" },
            () =>
              Effect.gen(function* () {
                flying++;
                most = Math.max(most, flying);
                yield* Effect.sleep(100);
                flying--;
              }),
            () => ({ status: 500, headers: {} }),
          );
        });
        yield* Effect.forEach([1, 2, 3, 4, 5], () => Effect.forkChild(call));
        yield* pass(2);
        expect(most).toBe(1);
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("shares the counters of routes that name the same policy", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const server = new SlidingServer("shared", [
          { max: 10, period: 10_000, bucket: 0, penalty: 60_000 },
        ]);
        const one = (route: string) =>
          Effect.forever(send({ route }, (now) => server.handle(now), 10));
        yield* Effect.forkChild(one("GET /a"));
        yield* Effect.forkChild(one("GET /b"));
        yield* pass(120);
        expect(server.violations).toBe(0);
        expect(server.served).toBeGreaterThan(100);
        const limiter = yield* PolicyLimiter;
        expect((yield* limiter.snapshot({ route: "GET /b" })).policies[0]?.name).toBe("shared");
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("sees what other programs on the account use up, by the server's counts", () =>
    inVirtualTime(
      Effect.gen(function* () {
        yield* send({ route: "GET /a" }, () => ok(limits("p", "10:60:60", "9:60:0")));
        const limiter = yield* PolicyLimiter;
        const { startsInMillis } = yield* limiter.forecast({ route: "GET /a" }, 2);
        expect(startsInMillis[1]).toBeGreaterThan(55_000);
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("notices when they begin only later", () =>
    inVirtualTime(
      Effect.gen(function* () {
        for (const count of [1, 2, 9]) {
          yield* TestClock.adjust("1 second");
          yield* send({ route: "GET /a" }, () => ok(limits("p", "10:60:60", `${count}:60:0`)));
        }
        yield* TestClock.adjust("1 second");
        const error = yield* Effect.flip(
          send({ route: "GET /a", maxWait: "20 seconds" }, () => ok()),
        );
        expect(error).toMatchObject({ kind: "wait-too-long" });
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("keeps the last known windows when the headers go missing", () =>
    inVirtualTime(
      Effect.gen(function* () {
        yield* send({ route: "GET /a" }, () => ok(limits("p", "4:60:60", "1:60:0")));
        yield* TestClock.adjust("5 millis");
        yield* send({ route: "GET /a" }, () => ok());
        yield* TestClock.adjust("5 millis");
        yield* send({ route: "GET /a" }, () => ok({ "x-rate-limit-policy": "p" }));
        const limiter = yield* PolicyLimiter;
        const snapshot = yield* limiter.snapshot({ route: "GET /a" });
        expect(snapshot.policies[0]?.windows).toMatchObject([{ max: 4, used: 3 }]);
        const { startsInMillis } = yield* limiter.forecast({ route: "GET /a" }, 1);
        expect(startsInMillis[0]).toBeGreaterThan(50_000);
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("waits out a restriction that it learns of without a 429", () =>
    inVirtualTime(
      Effect.gen(function* () {
        yield* send({ route: "GET /a" }, () => ok(limits("p", "30:60:60", "2:60:40")));
        const limiter = yield* PolicyLimiter;
        expect(
          (yield* limiter.forecast({ route: "GET /a" }, 1)).startsInMillis[0],
        ).toBeGreaterThanOrEqual(40_000);
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("follows limits that change", () =>
    inVirtualTime(
      Effect.gen(function* () {
        yield* send({ route: "GET /a" }, () => ok(limits("p", "100:60:60", "1:60:0")));
        yield* send({ route: "GET /a" }, () => ok(limits("p", "3:10:60", "2:10:0")));
        const limiter = yield* PolicyLimiter;
        const { policies } = yield* limiter.snapshot({ route: "GET /a" });
        expect(policies[0]?.windows.map(({ max, periodMillis }) => [max, periodMillis])).toEqual([
          [3, 10_000],
        ]);
      }).pipe(Effect.provide(limiterLayer())),
    ));
});

/** Reads nothing but what it likes. */
const throwing: RateLimitDialect.RateLimitDialect = {
  name: "throwing",
  read: (headers) => {
    if (headers["fine"] === undefined) throw new Error("no such header");
    return { policy: undefined, windows: [], retryAfterMillis: undefined };
  },
};

describe("holding back", () => {
  it("one 429 holds the whole policy, and others go on", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const p = (answer: Answer, route = "GET /a") => send({ route }, () => answer);
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
        yield* pass(5);
        expect(sibling.pollUnsafe()).toBeDefined();
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("stops when too many requests were refused lately", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const bad = send({ route: "GET /a" }, () => ({ status: 401, headers: {} }));
        for (let index = 0; index < 5; index++) yield* bad;
        const error = yield* Effect.flip(bad);
        expect(error).toMatchObject({ _tag: "RequestNotSent", kind: "too-many-errors" });
        yield* TestClock.adjust("10 minutes");
        yield* bad;
      }).pipe(Effect.provide(limiterLayer({ maxClientErrors: 5 }))),
    ));

  it("sends nothing on any route after a firewall's block", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const limiter = yield* PolicyLimiter;
        yield* limiter.run(
          { route: "GET /a" },
          () => Effect.void,
          () => ({ status: 403, isFirewallBlock: true }),
        );
        const error = yield* Effect.flip(send({ route: "GET /b" }, () => ok()));
        expect(error).toMatchObject({ kind: "firewall", retryAfter: Duration.millis(900_000) });
        yield* TestClock.adjust("15 minutes");
        const later = yield* Effect.forkChild(send({ route: "GET /b" }, () => ok()));
        yield* pass(1);
        expect(later.pollUnsafe()).toBeDefined();
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("refuses at once what would wait longer than it may", () =>
    inVirtualTime(
      Effect.gen(function* () {
        yield* send({ route: "GET /a" }, () => ok(limits("p", "1:300:60", "1:300:0")));
        const error = yield* Effect.flip(
          send({ route: "GET /a", maxWait: "30 seconds" }, () => ok()),
        );
        expect(error).toMatchObject({ kind: "wait-too-long", policy: "p" });
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it.each(["GET /stash", "GET /profile"])(
    "a dialect that throws ends its call, and does not keep the place of the next one (%s)",
    (next) =>
      inVirtualTime(
        Effect.gen(function* () {
          const exit = yield* Effect.exit(send({ route: "GET /stash" }, () => ok()));
          expect(Exit.hasDies(exit)).toBe(true);
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
        }).pipe(Effect.provide(limiterLayer({ maxInFlight: 1, dialect: throwing }))),
      ),
  );

  it("bounds what is in flight over all policies", () =>
    inVirtualTime(
      Effect.gen(function* () {
        let flying = 0;
        let most = 0;
        const limiter = yield* PolicyLimiter;
        const call = (route: string) =>
          limiter.run(
            { route },
            () =>
              Effect.gen(function* () {
                most = Math.max(most, ++flying);
                yield* Effect.sleep(100);
                flying--;
              }),
            () => ({ status: 200, headers: {} }),
          );
        const fibers = yield* Effect.forEach(Array.from({ length: 20 }), (_, index) =>
          Effect.forkChild(call(`GET /${index}`)),
        );
        yield* pass(5);
        yield* Effect.forEach(fibers, Fiber.join);
        expect(most).toBe(3);
      }).pipe(Effect.provide(limiterLayer({ maxInFlight: 3 }))),
    ));
});

describe("a limiter's user that throws", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  it.each([
    ["in its attempt", boom, () => ({ status: 200 })],
    ["in its report", () => Effect.void, boom],
  ] as const)("%s does not keep its place", (_where, attempt, report) =>
    inVirtualTime(
      Effect.gen(function* () {
        const limiter = yield* PolicyLimiter;
        const exit = yield* Effect.exit(limiter.run({ route: "GET /a" }, attempt, report));
        expect(Exit.hasDies(exit)).toBe(true);
        const next = yield* Effect.forkChild(send({ route: "GET /b" }, () => ok()));
        yield* pass(1);
        expect(yield* Fiber.join(next)).toEqual(ok());
      }).pipe(Effect.provide(limiterLayer({ maxInFlight: 1 }))),
    ),
  );
});

describe("the queue", () => {
  it("lets higher priorities go first, and equals in the order of their coming", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const order: Array<string> = [];
        const call = (name: string, priority: number) =>
          Effect.forkChild(
            send(
              { route: "GET /a", priority },
              () => {
                order.push(name);
                return { status: 500, headers: {} };
              },
              10,
            ),
          );
        yield* call("first", 0);
        yield* call("low", -1);
        yield* call("normal", 0);
        yield* call("high", 5);
        yield* call("also normal", 0);
        yield* pass(2);
        expect(order).toEqual(["first", "high", "normal", "also normal", "low"]);
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("who comes in the moment in which a place is free stands behind those who waited for it", () =>
    inVirtualTime(
      Effect.gen(function* () {
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
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("a call that is cancelled leaves the queue, and its permit serves the next one", () =>
    inVirtualTime(
      Effect.gen(function* () {
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
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("a request that never left costs nothing", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const limiter = yield* PolicyLimiter;
        yield* send({ route: "GET /a" }, () => ok(limits("p", "30:60:60", "1:60:0")));
        yield* limiter.run(
          { route: "GET /a" },
          () => Effect.void,
          () => ({ status: undefined, sent: false }),
        );
        expect((yield* limiter.snapshot({ route: "GET /a" })).policies[0]?.windows[0]?.used).toBe(
          1,
        );
        yield* limiter.run(
          { route: "GET /a" },
          () => Effect.void,
          () => ({ status: undefined }),
        );
        expect((yield* limiter.snapshot({ route: "GET /a" })).policies[0]?.windows[0]?.used).toBe(
          2,
        );
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("believes in a lost request no longer than its lease", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const store = yield* LimiterStore;
        const dying = yield* Effect.provide(
          Effect.forkChild(
            Effect.flatMap(PolicyLimiter, (limiter) =>
              limiter.run(
                { route: "GET /a" },
                () => Effect.never,
                () => ({ status: undefined }),
              ),
            ),
          ),
          PolicyLimiter.layer({ inFlightTimeout: "30 seconds" }),
        );
        yield* pass(1);
        // Another process finds the request of the dead one in the books and waits for its lease to
        // end.
        const heir = yield* Effect.forkChild(
          Effect.provide(
            send({ route: "GET /a" }, () => ok()),
            PolicyLimiter.layer({ inFlightTimeout: "30 seconds" }).pipe(
              Layer.provide(Layer.succeed(LimiterStore, { ...store, shared: true })),
            ),
          ),
        );
        yield* pass(20);
        expect(heir.pollUnsafe()).toBeUndefined();
        yield* pass(15);
        expect(heir.pollUnsafe()).toBeDefined();
        yield* Fiber.interrupt(dying);
      }).pipe(Effect.provide(LimiterStore.layerMemory)),
    ));
});

describe("the forecast", () => {
  it("tells when the next requests would go", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const limiter = yield* PolicyLimiter;
        expect((yield* limiter.forecast({ route: "GET /a" }, 3)).known).toBe(false);
        yield* send({ route: "GET /a" }, () =>
          ok(limits("p", "15:10:60,30:300:300", "1:10:0,1:300:0")),
        );
        const forecast = yield* limiter.forecast({ route: "GET /a" }, 120);
        expect(forecast).toMatchObject({ known: true, policy: "p" });
        expect(forecast.startsInMillis).toHaveLength(120);
        const minutes = (forecast.startsInMillis.at(-1) ?? 0) / 60_000;
        expect(minutes).toBeGreaterThan(15);
        expect(minutes).toBeLessThan(25);
      }).pipe(Effect.provide(limiterLayer())),
    ));

  it("is kept: requests go as foretold", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const server = new SlidingServer("p", [
          { max: 6, period: 10_000, bucket: 0, penalty: 60_000 },
        ]);
        const limiter = yield* PolicyLimiter;
        yield* send({ route: "GET /a" }, (now) => server.handle(now));
        const { startsInMillis } = yield* limiter.forecast({ route: "GET /a" }, 20);
        const begun = yield* Effect.clockWith((clock) => clock.currentTimeMillis);
        yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 20 }),
            () => send({ route: "GET /a" }, (now) => server.handle(now)),
            {
              concurrency: 20,
            },
          ),
        );
        yield* pass(80);
        expect(server.violations).toBe(0);
        expect(server.hits.length).toBeGreaterThan(0);
        const last = (server.hits.at(-1) ?? 0) - begun;
        expect(Math.abs(last - (startsInMillis.at(-1) ?? 0))).toBeLessThan(12_000);
      }).pipe(Effect.provide(limiterLayer())),
    ));
});

describe("four processes on one budget", () => {
  it(
    "ten minutes, hidden buckets, limits that change: no 429 and 95 % of the permitted rate",
    () =>
      inVirtualTime(
        Effect.gen(function* () {
          const store = yield* LimiterStore;
          const server = new SlidingServer("p", [
            { max: 15, period: 10_000, bucket: 5000, penalty: 60_000 },
            { max: 30, period: 60_000, bucket: 60_000, penalty: 300_000 },
          ]);
          const shared = Layer.succeed(LimiterStore, { ...store, shared: true });
          yield* Effect.forEach([1, 2, 3, 4], () =>
            Effect.forkChild(
              Effect.provide(
                Effect.forEach([1, 2], () =>
                  Effect.forkChild(
                    Effect.forever(send({ route: "GET /a" }, (now) => server.handle(now), 40)),
                  ),
                ).pipe(Effect.andThen(Effect.never)),
                PolicyLimiter.layer().pipe(Layer.provide(shared)),
              ),
            ),
          );
          yield* pass(300);
          const [, long] = server.windows;
          if (long) long.max = 40;
          yield* pass(300);
          expect(server.violations).toBe(0);
          // 30 and later 40 per minute and bucket: 75 and 100 in five minutes each.
          expect(server.served).toBeGreaterThanOrEqual(0.95 * 175);
        }).pipe(Effect.provide(LimiterStore.layerMemory)),
      ),
    60_000,
  );
});
