/** Attempts that hang, fail or come back: when they are given up, and when they are made again. */
import { Cause, Clock, Effect, Exit, Fiber, Scope } from "effect";
import { expect, it } from "vitest";
import { Fenced, HistoryExpired, Parts, SinkError } from "../src/index.ts";
import * as Attempt from "../src/core/attempt.ts";
import { KEY, tagOf, valueOf, virtually } from "./support/Run.ts";

const bounds = { operation: "read" };
/** The exit of an effect and the seconds that it took. */
const timed = <A, E>(effect: Effect.Effect<A, E>) =>
  valueOf(
    Effect.gen(function* () {
      const exit = yield* Effect.exit(effect);
      return { exit, seconds: (yield* Clock.currentTimeMillis) / 1000 };
    }),
  );
const error = (kind: SinkError["kind"]) => new SinkError({ operation: "read", kind });
const away = Effect.fail(error("unavailable"));

it.each([
  ["ten seconds", {}, 10],
  ["its deadline", { deadlineMillis: 2500 }, 2.5],
])("is given up after %s", async (_, more, seconds) => {
  const found = await timed(Attempt.within({ ...bounds, ...more }, Effect.never));
  expect(found.seconds).toBe(seconds);
  expect(String(found.exit)).toContain(`no answer within ${seconds} s`);
  expect(found.exit).toMatchObject({
    cause: { reasons: [{ error: { operation: "read", kind: "unavailable" } }] },
  });
});

it("is undone where it succeeded, and who asked was interrupted meanwhile", async () => {
  const undone: Array<number> = [];
  const undo = (done: number) => Effect.die(undone.push(done));
  await valueOf(
    Effect.gen(function* () {
      const asked = Attempt.within(bounds, Effect.succeed(7), undo);
      yield* Fiber.interrupt(yield* Effect.forkChild(asked, { startImmediately: true }));
    }),
  );
  expect(undone).toEqual([7]);
});

it("is what its work is, within its time", async () => {
  const undo = () => Effect.die("nothing is to be undone");
  const work = Effect.as(Effect.sleep("9 seconds"), 7);
  expect(await timed(Attempt.within(bounds, work, undo))).toEqual({
    exit: Exit.succeed(7),
    seconds: 9,
  });
  const failed = await timed(Attempt.within(bounds, Effect.fail("no"), undo));
  expect(failed).toEqual({ exit: Exit.fail("no"), seconds: 0 });
});

it.each([
  ["ends at once", "1 second", 0, 0],
  ["has time to finish", "1 second", 5000, 1],
  ["has no more than its grace", "1 hour", 5000, 5],
  ["has no more than its deadline", "1 hour", 60_000, 8],
] as const)("that is interrupted after two seconds %s", async (_, rest, graceMillis, seconds) => {
  const took = await valueOf(
    Effect.gen(function* () {
      const work = Effect.sleep(rest).pipe(Effect.delay("2 seconds"));
      const fiber = yield* Effect.forkChild(Attempt.within({ ...bounds, graceMillis }, work));
      yield* Effect.sleep("2 seconds");
      yield* Fiber.interrupt(fiber);
      return (yield* Clock.currentTimeMillis) / 1000 - 2;
    }),
  );
  expect(took).toBe(seconds);
});

it("is not waited for where it does not let itself be interrupted, nor is a scope that drains", async () => {
  const hanging = Effect.uninterruptible(Effect.sleep("1 minute"));
  const stopped = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Attempt.within(bounds, hanging));
    yield* Effect.sleep(1);
    yield* Fiber.interrupt(fiber);
  });
  expect((await timed(stopped)).seconds).toBe(0.251);
  const scope = Effect.runSync(Scope.make());
  Effect.runSync(Scope.addFinalizer(scope, Effect.sleep("1 minute")));
  expect((await timed(Attempt.closeSoon(scope))).seconds).toBe(0.25);
});

it.each<[string, unknown, boolean]>([
  ["an error that waiting may mend", error("unavailable"), true],
  ["a full disk", error("diskFull"), true],
  ["a damaged store", error("corrupt"), false],
  ["what says nothing", new Error("no"), false],
  ["what is no error", undefined, false],
])("is made again after %s, thrown or not: %o", async (_, cause, isAgain) => {
  for (const failure of [Effect.fail(cause), Effect.die(cause)]) {
    let tries = 0;
    const attempt = Effect.suspend((): Effect.Effect<unknown, unknown> => {
      tries += 1;
      return tries > 1 ? Effect.void : failure;
    });
    expect(Exit.isSuccess(await virtually(Attempt.again(attempt)))).toBe(isAgain);
  }
  expect(Attempt.mayPass(Cause.fail(cause))).toBe(isAgain);
  expect(Attempt.mayPass(Cause.combine(Cause.fail(cause), Cause.interrupt(1)))).toBe(false);
});

it.each([
  ["unavailable", 0.1, 0.2],
  ["diskFull", 30, 30],
] as const)("is made again later where the store is %s", async (kind, least, most) => {
  const { next, seconds } = await valueOf(
    Effect.gen(function* () {
      const cell = yield* Parts.part(KEY, "commit");
      let tries = 0;
      let told: number | undefined;
      const attempt = Effect.suspend(() => {
        tries += 1;
        return tries > 1 ? Effect.void : Effect.fail(error(kind));
      });
      const look = Effect.sync(() => (told = cell.now.nextAttemptAt));
      yield* Effect.forkChild(Effect.delay(look, 1));
      yield* Attempt.untilAvailable(cell, bounds, attempt);
      return { next: told! / 1000, seconds: (yield* Clock.currentTimeMillis) / 1000 };
    }),
  );
  expect([seconds >= least, seconds <= most]).toEqual([true, true]);
  expect(Math.abs(next - seconds)).toBeLessThan(0.002);
});

it.each([
  [60, 30],
  [3, 1.5],
])(
  "is made %i times again, half a second apart, where a server is away",
  async (times, seconds) => {
    let tries = 0;
    const request = Effect.andThen(
      Effect.sync(() => (tries += 1)),
      away,
    );
    const tried = Attempt.untilReachable(request);
    const found = await timed(
      times === 60 ? tried : Effect.provideService(tried, Attempt.ConnectTries, times),
    );
    expect([tries, found.seconds, tagOf(found.exit)]).toEqual([times + 1, seconds, "SinkError"]);
    tries = 0;
    await timed(
      Attempt.untilReachable(
        Effect.andThen(request.pipe(Effect.ignore), Effect.fail(error("corrupt"))),
      ),
    );
    expect(tries).toBe(1);
  },
);

it.each([
  [error("corrupt"), "SinkError", "corrupt"],
  [new Fenced({ epoch: 1, detail: "no" }), "Fenced", undefined],
  [new HistoryExpired({ wanted: 1n, oldest: 2n } as never), "HistoryExpired", undefined],
  [new Error("busy"), "SinkError", "diskFull"],
])("what a driver throws is told as what it is: %s", (cause, tag, kind) => {
  const found = Attempt.toSinkError("write", () => "diskFull")(cause);
  expect(found).toMatchObject({ _tag: tag, ...(kind === undefined ? {} : { kind }) });
  expect(found === cause).toBe(cause.message !== "busy");
  if (found !== cause) expect(found).toMatchObject({ operation: "write", cause });
});
