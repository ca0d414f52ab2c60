/** Indexers on a thread: one that breaks off is started again, one that hangs is told. */
import { Cause, Effect, Exit, Fiber } from "effect";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  Indexer,
  IndexerFailed,
  IndexerThread,
  PageLog,
  Parts,
  Status,
  Supervisor,
} from "../src/index.ts";
import { KEY, tagOf, virtually } from "./support/Run.ts";
import { newFolder } from "./support/hooks.ts";

const MODULE = new URL("./support/moodyThread.ts", import.meta.url);

const part = Parts.part(KEY, "indexer", { name: "state" });
const started = (mood: string, seq: bigint) => IndexerThread.start(MODULE, { mood, seq });
const quietly = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provideService(effect, Parts.Parts, new Map()));

/** Looks until something is so; a test that waits for ever fails by its own time. */
const until = <A>(look: Effect.Effect<A>, isSo: (seen: A) => boolean): Effect.Effect<unknown> =>
  Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), look), { until: (seen) => isSo(seen) });
/** Records of a process of its own, under a virtual clock. */
const alone = <A, E>(effect: Effect.Effect<A, E>, time = {}) =>
  virtually(Effect.provideService(effect, Parts.Parts, new Map()), time);

/** Supervises an indexer beside a part that works for ever. */
const beside = Effect.fnUntraced(function* (
  cell: Parts.Cell,
  run: (options: Indexer.StartOptions) => Effect.Effect<unknown, unknown>,
) {
  const works = { cell: yield* Parts.part(KEY, "consumer"), run: () => Effect.never };
  return yield* Supervisor.run<IndexerFailed, never>([
    { ...works, onFailure: "halt" },
    Indexer.supervised(cell, run),
  ]);
});

it("starts a thread that exits again, which then catches up; stopped, it ends by itself", async () => {
  // Terminated while it compresses, it would end the process.
  const file = join(newFolder(), "ended");
  await quietly(
    Effect.gen(function* () {
      const cell = yield* part;
      yield* Parts.note(KEY, { headSeq: 9n });
      const moods = [
        { mood: "exits", seq: 2n },
        { mood: "works", seq: 9n, file },
      ];
      const fiber = yield* Effect.forkChild(
        beside(cell, () => IndexerThread.start(MODULE, moods.shift())),
      );
      const behind = Effect.map(
        Parts.metricsText,
        (text) => /indexer_behind\{.*\} (\d+)/u.exec(text)?.[1],
      );
      yield* until(behind, (seen) => seen === "7");
      const failures = Effect.sync(() => cell.now.failures);
      yield* until(failures, (seen) => seen === 1);
      expect(cell.now.lastError?.message).toBe("the thread ended with code 3");
      yield* until(behind, (seen) => seen === "0");
      yield* Fiber.interrupt(fiber);
    }),
  );
  expect(existsSync(file)).toBe(true);
});

it.runIf(process.platform === "linux")(
  "leaves the processor to the follower: its thread is nicer",
  () =>
    quietly(
      Effect.gen(function* () {
        const data = { store: "sqlite::memory:", key: KEY };
        yield* Effect.forkChild(IndexerThread.start(IndexerThread.STATE_THREAD, data));
        // The nineteenth field; the second one is a name that may hold spaces.
        const niceness = Effect.sync(() =>
          readdirSync("/proc/self/task").map((thread) =>
            Number(
              readFileSync(`/proc/self/task/${thread}/stat`, "utf8").split(") ")[1]?.split(" ")[16],
            ),
          ),
        );
        const own = getPriority(process.pid);
        yield* until(niceness, (all) => all.filter((each) => each > own).length === 1);
        expect(getPriority(process.pid)).toBe(own);
      }),
    ),
);

it("tells why a thread broke off", async () => {
  const { message } = await quietly(Effect.flip(started("fails", 1n)));
  expect(message).toBe("no such table");
});

it("calls a thread that loops stuck, and ends it when it is told to", () =>
  quietly(
    Effect.gen(function* () {
      const cell = yield* part;
      const fiber = yield* Effect.forkChild(started("loops", 1n));
      const state = Effect.map(
        Effect.sync(() => Date.now()),
        (now) => Status.partState(cell.now, now),
      );
      yield* until(state, (seen) => seen === "ok");
      yield* until(state, (seen) => seen === "stuck");
      expect(cell.now.heardAt).toBeLessThan(Date.now() - 1100);
      yield* Fiber.interrupt(fiber);
    }),
  ));

it("tells the log how far it is once a second, and at the end: each time the follower's commits wait", async () => {
  const told: Array<bigint> = [];
  const page = (seq: bigint) => ({ seq, body: Buffer.alloc(0) }) as unknown as PageLog.LoggedPage;
  const log = {
    positions: Effect.succeed([]),
    read: (_: unknown, after: bigint) => Effect.succeed(after < 25n ? [page(after + 1n)] : []),
    acknowledge: (_: string, __: unknown, seq: bigint) => Effect.sync(() => void told.push(seq)),
  } as unknown as PageLog.PageLogService;
  const apply = () => Effect.sleep("100 millis");
  const indexer = { name: "slow", version: 1, position: () => Effect.succeed(0n), apply };
  const indexing = Indexer.run(indexer, { key: KEY, until: "caughtUp" });
  await virtually(Effect.provideService(indexing, PageLog.PageLog, log));
  expect(told).toEqual([0n, 10n, 20n, 25n]);
});

it("isolates the page after five failures at one position, and halts naming it", async () => {
  const sizes: Array<number | undefined> = [];
  const exit = await alone(
    Effect.gen(function* () {
      const cell = yield* part;
      Parts.moved(cell, 41n);
      return yield* beside(cell, ({ batchPages }) => {
        sizes.push(batchPages);
        return Effect.fail(new Error("poison"));
      });
    }),
  );
  expect(sizes).toEqual([undefined, undefined, undefined, undefined, undefined, 1]);
  const wanted = { indexer: "state", stream: "stashes/pc", after: 41n, detail: "poison" };
  expect(exit).toEqual(Exit.fail(new IndexerFailed(wanted)));
  expect(String(new IndexerFailed(wanted))).toContain("cannot apply the page after 41: poison");
});

/** Starts an indexer that fails until it may skip; what it was started with. */
const poisoned = async (isRetryable: boolean, canSkip: boolean, time = {}) => {
  const starts: Array<Indexer.StartOptions> = [];
  const failure = Object.assign(new Error("poison"), { isRetryable });
  const ended = await alone(
    Effect.gen(function* () {
      const cell = yield* part;
      Parts.moved(cell, 41n);
      const start = (options: Indexer.StartOptions) => {
        starts.push(options);
        return canSkip && options.skip !== undefined ? Effect.void : Effect.fail(failure);
      };
      const indexer = Indexer.supervised(cell, start, "skip");
      yield* Supervisor.run<IndexerFailed, never>([{ ...indexer, isDaemon: false }]);
    }),
    time,
  );
  return { ended, starts };
};

it("has the page skipped where the policy says so, and halts where that fails too", async () => {
  const done = await poisoned(false, true);
  const skipped = { batchPages: 1, skip: { after: 41n, detail: "poison" } };
  expect(done.starts).toEqual([{}, {}, {}, {}, {}, { batchPages: 1 }, skipped]);
  expect(done.ended).toEqual(Exit.void);
  const failed = await poisoned(false, false);
  expect(failed.starts).toEqual(done.starts);
  expect(tagOf(failed.ended)).toBe("IndexerFailed");
});

it("neither isolates nor skips a page because the store is away", async () => {
  const { ended, starts } = await poisoned(true, true, { limitMillis: 600_000 });
  expect(starts.length).toBeGreaterThan(10);
  expect(new Set(starts.map((options) => JSON.stringify(options)))).toEqual(new Set(["{}"]));
  expect(Exit.isFailure(ended) && Cause.hasInterruptsOnly(ended.cause)).toBe(true);
});
