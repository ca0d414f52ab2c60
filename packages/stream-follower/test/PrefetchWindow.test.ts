/** The conditions under which the window asks for one page more, one by one. */
import { Effect, Exit, Fiber, type Scope } from "effect";
import { TestClock } from "effect/testing";
import { expect, it } from "vitest";
import type { PageSourceService } from "../src/PageSource.ts";
import { type FollowOptions, resolve } from "../src/Options.ts";
import { PrefetchWindow } from "../src/core/PrefetchWindow.ts";
import { KEY } from "./support/Run.ts";

/** Pages by id: the first piece shows the next id; the rest of a body comes when it is let. */
const play = (next: Readonly<Record<string, string>>, pieceBytes = 100) => {
  const asked: Array<string> = [];
  const rests = new Map<string, PromiseWithResolvers<void>>();
  const source: PageSourceService = {
    open: ({ id = "start" }) =>
      Effect.sync(() => {
        asked.push(id);
        const rest = Promise.withResolvers<void>();
        rests.set(id, rest);
        const head = `{"next_change_id":"${next[id] ?? id}",`.padEnd(pieceBytes);
        const body = (async function* () {
          yield Buffer.from(head);
          await rest.promise;
          yield Buffer.from('"stashes":[]}');
        })();
        return { status: 200, headers: {}, body };
      }),
  };
  const fail = (id: string) => rests.get(id)?.reject(new Error("aborted"));
  return { source, asked, fail, finish: (id: string) => rests.get(id)?.resolve() };
};

const turns = Effect.promise(async () => {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((done) => setImmediate(done));
});

const anyhow = () => undefined;

/** Asks for the page a, and goes on when its head has come. */
const within = (
  source: PageSourceService,
  options: FollowOptions,
  begin: (window: PrefetchWindow) => void,
  use: (window: PrefetchWindow) => Effect.gen.Return<void, never, Scope.Scope>,
): Promise<void> => {
  const opened = Effect.gen(function* () {
    const [scope, settings] = [yield* Effect.scope, resolve(options)];
    const window = new PrefetchWindow({ source, key: KEY, settings, scope });
    begin(window);
    yield* Effect.forkChild(window.await("a"));
    yield* turns;
    yield* Effect.gen(() => use(window));
  });
  return Effect.runPromise(Effect.scoped(opened).pipe(Effect.provide(TestClock.layer())));
};

it("asks ahead as far as the window goes, and for one page more with each that is read", async () => {
  const { source, asked, finish } = play({ a: "b", b: "c", c: "d", d: "e" });
  await within(source, { window: 3 }, anyhow, function* (window) {
    expect(asked).toEqual(["a", "b", "c"]);
    finish("a");
    yield* window.await("a");
    yield* window.advance("b", true);
    yield* turns;
    expect(asked).toEqual(["a", "b", "c", "d"]);
  });
});

it.each([
  ["afterBody", ["a", "b"]],
  ["none", ["a"]],
] as const)(
  "asks for nothing while a body arrives where it is told to: %s",
  async (prefetch, then) => {
    const { source, asked, finish } = play({ a: "b", b: "c" });
    await within(source, { prefetch }, anyhow, function* (window) {
      expect(asked).toEqual(["a"]);
      finish("a");
      yield* window.await("a");
      yield* window.advance("b", true);
      yield* window.prefetch("b");
      yield* turns;
      expect(asked).toEqual(then);
    });
  },
);

it("asks for no id that is in the window already, where the ids lead in a circle", async () => {
  const { source, asked } = play({ a: "b", b: "a" });
  await within(source, { window: 5 }, anyhow, function* () {
    yield* turns;
    expect(asked).toEqual(["a", "b"]);
  });
});

it.each(["early", "afterBody"] as const)(
  "asks ahead for no id whose answer was read lately: %s",
  async (prefetch) => {
    const { source, asked, finish } = play({ a: "b", b: "a" });
    await within(source, { prefetch }, anyhow, function* (window) {
      for (const [id, next] of [
        ["a", "b"],
        ["b", "a"],
      ] as const) {
        finish(id);
        yield* window.await(id);
        yield* window.advance(next, true);
        yield* window.prefetch(next);
        yield* turns;
      }
      expect(asked).toEqual(["a", "b"]);
      // A request in order waits: one id less than twice a second.
      yield* Effect.forkChild(window.await("a"));
      yield* turns;
      expect(asked).toEqual(["a", "b"]);
      yield* TestClock.adjust("500 millis");
      yield* turns;
      expect(asked).toEqual(["a", "b", "a"]);
    });
  },
);

it("asks for nothing ahead after a 429 until its time is over", async () => {
  const { source, asked, finish } = play({ a: "b", b: "c" });
  const paused = (window: PrefetchWindow) => window.pausePrefetch(10_000);
  await within(source, {}, paused, function* (window) {
    expect(asked).toEqual(["a"]);
    yield* TestClock.adjust("10 seconds");
    finish("a");
    yield* window.await("a");
    yield* window.advance("b", true);
    yield* window.prefetch("b");
    yield* turns;
    expect(asked).toEqual(["a", "b", "c"]);
  });
});

it("asks for nothing ahead while the bytes are used up, and the pages in flight but the first stop reading", async () => {
  const { source, asked, finish } = play({ a: "b", b: "c", c: "d" }, 1000);
  await within(source, { window: 5, maxBufferedBytes: 2000 }, anyhow, function* (window) {
    expect([asked, window.gauges]).toEqual([["a", "b"], { bytes: 2000, pages: 2 }]);
    // The second page's rest is there, and is not read: only the page whose turn it is may go
    // beyond the bound.
    finish("b");
    yield* turns;
    expect(window.gauges.bytes).toBe(2000);
    finish("a");
    yield* window.await("a");
    expect(window.gauges.bytes).toBe(2000 + '"stashes":[]}'.length);
    yield* window.advance("b", true);
    yield* turns;
    expect(asked).toEqual(["a", "b", "c"]);
  });
});

it.each([
  ["the page names another id", "x", true, true],
  ["nothing follows", "b", false, false],
])("throws what it asked for ahead away where %s", async (_, named, follows, mismatch) => {
  const { source, finish } = play({ a: "b", b: "c" });
  await within(source, {}, anyhow, function* (window) {
    finish("a");
    yield* window.await("a");
    expect(yield* window.advance(named, follows)).toEqual({ mismatch });
    expect(window.earlyNextIdOfHead()).toBe(undefined);
  });
});

it("asks for a page that failed again, half a second after the last time, and keeps what follows", async () => {
  const { asked, fail, finish, source } = play({ a: "b", b: "c", c: "d" });
  await within(source, { window: 2 }, anyhow, function* (window) {
    fail("a");
    expect(Exit.isFailure(yield* window.await("a"))).toBe(true);
    expect(window.gauges).toEqual({ bytes: 200, pages: 2 });
    const retried = yield* Effect.forkChild(window.retryHead(), { startImmediately: true });
    yield* TestClock.adjust("499 millis");
    expect(asked).toEqual(["a", "b"]);
    yield* TestClock.adjust("1 millis");
    yield* Fiber.join(retried);
    yield* turns;
    expect([asked, window.gauges.bytes]).toEqual([["a", "b", "a"], 200]);
    expect(window.earlyNextIdOfHead()).toBe("b");
    finish("a");
    expect(Exit.isSuccess(yield* window.await("a"))).toBe(true);
    expect(yield* window.advance("b", true)).toEqual({ mismatch: false });
    yield* turns;
    expect(asked).toEqual(["a", "b", "a", "c"]);
    yield* window.clear();
    expect(window.gauges).toEqual({ bytes: 0, pages: 0 });
    yield* window.retryHead();
    expect(asked).toHaveLength(4);
  });
});

it("remembers the last 256 ids, until it is to read them again on purpose", async () => {
  const { asked, finish, source } = play({});
  await within(source, { prefetch: "none" }, anyhow, function* (window) {
    finish("a");
    for (let id = 0; id <= 256; id += 1) {
      const page = yield* Effect.forkChild(window.await(String(id)));
      yield* turns;
      finish(String(id));
      yield* Fiber.join(page);
      yield* window.advance(String(id + 1), true);
    }
    const visited = () => ["0", "1", "256", "257"].map((id) => window.wasVisited(id));
    expect(visited()).toEqual([false, true, true, false]);
    window.forget();
    expect(visited()).toEqual([false, false, false, false]);
    // Of ids further back nobody knows how long ago they were asked for.
    for (const id of ["0", "256"]) {
      yield* Effect.forkChild(window.await(id));
      yield* turns;
    }
    expect(asked.slice(-2)).toEqual(["256", "0"]);
  });
});
