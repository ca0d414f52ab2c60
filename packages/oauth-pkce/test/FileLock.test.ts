/** How long a lock is respected, at a pace at which a minute is a tenth of a second. */
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, it } from "@effect/vitest";
import { Deferred, Effect, Fiber } from "effect";
import { fileLock, type Pace } from "../src/node/FileLock.ts";

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "oauth-lock-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
);

const pace: Pace = {
  pollMillis: 2,
  beatMillis: 10,
  abandonedAfterPolls: 50,
  giveUpAfterPolls: 5000,
};

describe("the file lock over time", () => {
  it.live("C19: a holder that lives is not robbed, however long it takes", () =>
    Effect.gen(function* () {
      const path = yield* folder;
      const log: Array<string> = [];
      const isHeld = yield* Deferred.make<void>();
      const holder = yield* Deferred.succeed(isHeld, undefined).pipe(
        Effect.andThen(Effect.sleep("1 second")),
        Effect.andThen(Effect.sync(() => log.push("holder is done"))),
        fileLock(path, "k", pace),
        Effect.forkChild,
      );
      yield* Deferred.await(isHeld);
      yield* Effect.sync(() => log.push("waiter is in")).pipe(fileLock(path, "k", pace));
      yield* Fiber.join(holder);
      assert.deepStrictEqual(log, ["holder is done", "waiter is in"]);
    }).pipe(Effect.scoped),
  );

  it.live("C19: a holder elsewhere that shows no sign of life is succeeded, after a while", () =>
    Effect.gen(function* () {
      const path = yield* folder;
      yield* Effect.promise(() => writeFile(join(path, "k.lock.7"), "1@another-container"));
      let polls = 0;
      const counting = {
        ...pace,
        get pollMillis() {
          polls += 1;
          return 2;
        },
      };
      assert.strictEqual(yield* fileLock(path, "k", counting)(Effect.succeed("in")), "in");
      assert.isAtLeast(polls, pace.abandonedAfterPolls);
      const files = yield* Effect.promise(() => readdir(path));
      assert.deepStrictEqual(files, ["k.lock.8"]);
    }).pipe(Effect.scoped),
  );

  it.live("C19: a released lock is touched no more", () =>
    Effect.gen(function* () {
      const path = yield* folder;
      yield* Effect.sleep("30 millis").pipe(fileLock(path, "k", pace));
      const touched = Effect.promise(async () => (await stat(join(path, "k.lock.1"))).mtimeMs);
      yield* Effect.sleep("20 millis");
      const before = yield* touched;
      yield* Effect.sleep("60 millis");
      assert.strictEqual(yield* touched, before);
    }).pipe(Effect.scoped),
  );

  it.live("C19: a waiter gives up with a typed error, and leaves the lock to its holder", () =>
    Effect.gen(function* () {
      const path = yield* folder;
      const isHeld = yield* Deferred.make<void>();
      const holder = yield* Deferred.succeed(isHeld, undefined).pipe(
        Effect.andThen(Effect.never),
        fileLock(path, "k", pace),
        Effect.forkChild,
      );
      yield* Deferred.await(isHeld);
      const hasty = fileLock(path, "k", { ...pace, giveUpAfterPolls: 5 });
      assert.deepInclude(yield* Effect.flip(hasty(Effect.void)), {
        _tag: "TokenStoreFailed",
        operation: "lock",
        reason: "another process holds the lock",
      });
      assert.isUndefined(holder.pollUnsafe());
      yield* Fiber.interrupt(holder);
      yield* hasty(Effect.void);
    }).pipe(Effect.scoped),
  );
});
