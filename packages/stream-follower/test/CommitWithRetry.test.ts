/**
 * A commit whose outcome nobody knows: it counts as done only where the store stands exactly where
 * this batch leads.
 */
import { Clock, Effect, Exit, Fiber } from "effect";
import { expect, it } from "vitest";
import { Fenced, Parts, SinkError, Status } from "../src/index.ts";
import type { Batch, Checkpoint } from "../src/Model.ts";
import type { SinkService } from "../src/Sink.ts";
import * as commitWithRetry from "../src/core/commitWithRetry.ts";
import { KEY, quietly, tagOf, valueOf, virtually } from "./support/Run.ts";

const checkpoint: Checkpoint = { nextId: "b", seq: 7n, epoch: 1, checksum: "ours", receivedAt: 0 };
const batch = { key: KEY, previousSeq: 6n, pages: [], checkpoint } as unknown as Batch;

/** Commits into a sink; how that ended, and the times at which it counted. */
const committing = async (sink: SinkService) => {
  let committed = 0;
  const onCommitted = () => void (committed += 1);
  const options = { timeoutMillis: 10_000, shutdownMillis: 1000, onCommitted };
  const exit = await virtually(commitWithRetry.commit(sink, batch, 1, options));
  return { exit, committed };
};

/** The first commit breaks off; then the store says where it stands, and refuses. */
const afterBreak = async (standing: Checkpoint | undefined) => {
  let commits = 0;
  const { committed, exit } = await committing({
    claim: () => Effect.succeed(standing),
    commit: () => {
      commits += 1;
      return commits === 1
        ? Effect.fail(new SinkError({ operation: "commit", kind: "unavailable" }))
        : Effect.fail(new Fenced({ epoch: 1, detail: "it stands elsewhere" }));
    },
  });
  return [tagOf(exit), commits, committed];
};

it("is found done where number, id and hash are this batch's", async () => {
  expect(await afterBreak({ ...checkpoint, epoch: 3, receivedAt: 9 })).toEqual([undefined, 1, 1]);
});

it.each([
  ["nothing", undefined],
  ["another page under the same number and id", { ...checkpoint, checksum: "theirs" }],
  ["another id", { ...checkpoint, nextId: "c" }],
  ["another number", { ...checkpoint, seq: 8n }],
])("is tried again, and fenced, where the store holds %s", async (_, standing) => {
  expect(await afterBreak(standing)).toEqual(["Fenced", 2, 0]);
});

// A driver may throw what is no failure of the effect.
it.each([
  ["may pass is tried again", true, 2],
  ["may not ends it", false, 1],
  ["says nothing ends it", undefined, 1],
])("whose driver throws what %s", async (_, isRetryable, tries) => {
  let commits = 0;
  const defect = Object.assign(new Error("Connection closed"), { isRetryable });
  const { exit } = await committing({
    claim: () => Effect.succeed(undefined),
    commit: () => ((commits += 1) === 1 ? Effect.die(defect) : Effect.void),
  });
  expect([Exit.isSuccess(exit), commits]).toEqual([isRetryable === true, tries]);
});

it("is given up after its time and looked for: a commit that came late counts once", async () => {
  let stands: Checkpoint | undefined;
  let commits = 0;
  const { committed, exit } = await committing({
    claim: () => Effect.succeed(stands),
    commit: () => {
      commits += 1;
      const late = Effect.sync(() => (stands = checkpoint));
      // The driver does not let itself be stopped, and the server writes in the end.
      return Effect.uninterruptible(
        Effect.asVoid(Effect.andThen(Effect.sleep("12 seconds"), late)),
      );
    },
  });
  expect([tagOf(exit), committed]).toEqual([undefined, 1]);
  expect(commits).toBeLessThanOrEqual(2);
});

it("counts once where its answer comes in the turn of its deadline", async () => {
  let stands: Checkpoint | undefined;
  let committed = 0;
  const sink: SinkService = {
    claim: () => Effect.sync(() => stands),
    commit: () =>
      Effect.callback((resume) => {
        setImmediate(() => {
          setTimeout(() => resume(Effect.sync(() => void (stands = checkpoint))), 20);
          // Both timers are due when the event loop goes on.
          for (const end = performance.now() + 30; performance.now() < end;);
        });
      }),
  };
  const onCommitted = () => void (committed += 1);
  const options = { timeoutMillis: 20, shutdownMillis: 0, onCommitted };
  await quietly(commitWithRetry.commit(sink, batch, 1, options));
  expect(committed).toBe(1);
});

it("is waited for until its deadline where its leadership ends, and never counts as stuck", async () => {
  const { isStuck, waited } = await valueOf(
    Effect.gen(function* () {
      const sink: SinkService = {
        claim: () => Effect.succeed(undefined),
        // A server that hangs: the driver does not come back.
        commit: () => Effect.uninterruptible(Effect.sleep("5 minutes")),
      };
      const times = { timeoutMillis: 10_000, shutdownMillis: 10_000 };
      const options = { ...times, onCommitted: () => undefined };
      const fiber = yield* Effect.forkChild(commitWithRetry.commit(sink, batch, 1, options));
      yield* Effect.sleep("8 seconds");
      const begun = yield* Clock.currentTimeMillis;
      const states = new Set<string>();
      const look = Effect.gen(function* () {
        yield* Effect.sleep("500 millis");
        const { now } = yield* Parts.part(KEY, "commit");
        states.add(Status.partState(now, yield* Clock.currentTimeMillis));
      });
      const looks = yield* Effect.forkChild(Effect.repeat(look, { times: 40 }));
      yield* Fiber.interrupt(fiber);
      const millis = (yield* Clock.currentTimeMillis) - begun;
      yield* Fiber.join(looks);
      return { waited: millis, isStuck: states.has("stuck") };
    }),
  );
  expect(isStuck).toBe(false);
  expect(waited).toBeLessThanOrEqual(3000);
});
