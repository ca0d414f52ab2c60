/** The run: what it does when its sink is slow, away, full or taken, and how it ends. */
import { Cause, Deferred, Duration, Effect, Exit, Layer } from "effect";
import { describe, expect, it } from "vitest";
import {
  type Fenced,
  Follower,
  Lease,
  LeaseLost,
  type PageCommit,
  Signals,
  type Sink,
  SinkError,
} from "../src/index.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { tagOf, virtually, over } from "./support/Run.ts";
import { type Script, scripted } from "./support/ScriptedSource.ts";

const pages = makeHistory({ pages: 10 });
const answer = answerHistory(pages);

const runWith = (
  sink: Sink.SinkService,
  options: Partial<Follower.StashRun> = {},
  lease: Layer.Layer<Lease.Lease> = Lease.none,
  script: Script = { answer },
) => {
  const { source, seen } = scripted(script);
  const run = Follower.run({ source: "stashes", until: "caughtUp", ...options }).pipe(
    Effect.provide(over(source, sink, lease)),
  );
  return { run, seen };
};

const away = () => new SinkError({ operation: "commit", reason: "unavailable" });

/** A sink in memory; `around` is what becomes of each commit. */
const sinkWith = (
  around: (
    commit: Effect.Effect<void, SinkError | Fenced>,
    page: PageCommit,
    inner: Sink.SinkService,
  ) => Effect.Effect<void, SinkError | Fenced>,
) => {
  const memory = SinkMemory.empty();
  const inner = SinkMemory.make(memory);
  const sink: Sink.SinkService = {
    ...inner,
    commit: (page, epoch) => Effect.suspend(() => around(inner.commit(page, epoch), page, inner)),
  };
  return { memory, sink };
};
/** One whose every commit takes so long. */
const slowly = (time: Duration.Input) =>
  sinkWith((commit) => Effect.andThen(Effect.sleep(time), commit));
const seqs = pages.map((_, index) => BigInt(index + 1));

it("Follower.run fails with the name of an invalid option before it sends a request", async () => {
  const { run, seen } = runWith(SinkMemory.make(SinkMemory.empty()), { maxPageBytes: 0 });
  const exit = await virtually(run);
  expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({
    option: "maxPageBytes",
  });
  expect(seen).toEqual([]);
});

it("Follower.run calls onCommitted once for each page, in order, after its commit", async () => {
  let tries = 0;
  const told: Array<bigint> = [];
  const { memory, sink } = sinkWith((commit) =>
    (tries += 1) % 2 === 1 ? Effect.fail(away()) : commit,
  );
  const { run } = runWith(sink, {
    onCommitted: (committed) => {
      for (const { page } of committed) {
        expect(memory.pages.some(({ seq }) => seq === page.seq)).toBe(true);
        told.push(page.seq);
      }
    },
  });
  expect(tagOf(await virtually(run))).toBe(undefined);
  expect(told).toEqual(seqs);
});

it("Follower.run commits the pages before a fatal response, and then fails with its error", async () => {
  const { memory, sink } = slowly("5 seconds");
  const fault = (seen: { id: string | undefined }) =>
    seen.id === pages[5]!.id ? ({ kind: "status", status: 403 } as const) : undefined;
  const { run } = runWith(sink, {}, Lease.none, { answer, fault });
  expect(tagOf(await virtually(run))).toBe("PageRefused");
  expect(memory.pages.length).toBe(5);
});

/** A lease whose holder loses it after each of the given times. */
const losing = (times: ReadonlyArray<number>): Layer.Layer<Lease.Lease> => {
  let epoch = 0;
  return Layer.succeed(Lease.Lease, {
    hold: () =>
      Effect.sync(() => {
        const millis = times[epoch];
        epoch += 1;
        const lost = Effect.fail(new LeaseLost({ epoch }));
        return {
          epoch,
          keep: millis === undefined ? Effect.never : Effect.andThen(Effect.sleep(millis), lost),
        };
      }),
  });
};

describe("a run that loses its lease", () => {
  it.each([{}, { from: "start" }] as const)(
    "Follower.run takes a lost lease again, and continues from its last commit with the options %o",
    async (from) => {
      const { memory, sink } = slowly("1 second");
      const { run } = runWith(sink, from, losing([1500, 2500]));
      expect(tagOf(await virtually(run))).toBe(undefined);
      expect(memory.pages.map((page) => page.nextId)).toEqual(pages.map((page) => page.nextId));
      expect(memory.checkpoints.get("stashes/pc")?.epoch).toBe(3);
    },
  );

  it('Follower.run fails with LeaseLost if it loses its lease and onLeaseLost is "fail"', async () => {
    const options = { onLeaseLost: "fail" } as const;
    const { run } = runWith(slowly("1 second").sink, options, losing([1500]));
    expect(tagOf(await virtually(run))).toBe("LeaseLost");
  });

  it("Follower.run fails with Fenced, and writes nothing, after a newer owner has claimed the stream", async () => {
    const { memory, sink } = sinkWith((commit, { page: { key, previousSeq } }, inner) =>
      previousSeq === 2n ? Effect.andThen(inner.claim(key, 99), commit) : commit,
    );
    const { run } = runWith(sink, { onLeaseLost: "fail" });
    expect(tagOf(await virtually(run))).toBe("Fenced");
    expect(memory.pages.length).toBe(2);
  });

  it("Follower.run stands by after a newer owner has claimed the stream, and continues when it is free", async () => {
    const { memory, sink } = sinkWith((commit, { page: { key, previousSeq } }, inner) =>
      previousSeq === 2n ? Effect.andThen(Effect.ignore(inner.claim(key, 2)), commit) : commit,
    );
    const { run } = runWith(sink, {}, losing([]));
    expect(tagOf(await virtually(run))).toBe(undefined);
    expect(memory.pages).toHaveLength(pages.length);
    expect(memory.checkpoints.get("stashes/pc")?.epoch).toBe(2);
  });
});

describe("a run that is stopped", () => {
  it("a run that is stopped finishes the commit in progress, and succeeds", async () => {
    const begun = Deferred.makeUnsafe<void>();
    const { memory, sink } = sinkWith((commit, { page: { previousSeq } }) =>
      Effect.gen(function* () {
        if (previousSeq === 4n) yield* Deferred.succeed(begun, undefined);
        yield* Effect.sleep("900 millis");
        yield* commit;
      }),
    );
    const { run } = runWith(sink, { stopWhen: Deferred.await(begun) });
    const exit = await virtually(run);
    expect(exit).toEqual(Exit.succeed({ pages: 5, rows: 25, ended: "stopped" }));
    expect(memory.checkpoints.get("stashes/pc")?.seq).toBe(5n);
  });

  it("terminationSignal completes at a signal of the system, and removes its listener", async () => {
    const listeners = process.listenerCount("SIGUSR2");
    const ended = Effect.runPromise(Signals.terminationSignal(["SIGUSR2"]));
    process.kill(process.pid, "SIGUSR2");
    expect(await ended).toBe("SIGUSR2");
    expect(process.listenerCount("SIGUSR2")).toBe(listeners);
  });

  it("a run ends within 2.5 seconds of a stop, even if commit, rollback and lease hang", async () => {
    const { sink } = sinkWith(() => Effect.uninterruptible(Effect.never));
    const lease = Lease.fromStore({
      take: () => Effect.succeed(1),
      renew: () => Effect.succeed(true),
      release: () => Effect.never,
    });
    const options = { stopWhen: Effect.sleep("5 seconds") };
    const { run } = runWith(sink, options, Layer.succeed(Lease.Lease, lease));
    const exit = await virtually(Effect.timed(run), { limitMillis: 60_000 });
    const [time, { ended }] = Exit.isSuccess(exit) ? exit.value : expect.fail(String(exit.cause));
    expect(ended).toBe("stopped");
    expect(Duration.toMillis(time)).toBeLessThanOrEqual(7500);
  });

  it.each([
    ["fails", Effect.fail(away())],
    ["hangs", Effect.never],
  ])("a run ends within a second if it is stopped while the store %s", async (_, commit) => {
    const { sink } = sinkWith(() => commit);
    const { run } = runWith(sink, { stopWhen: Effect.sleep("10 seconds") });
    const exit = await virtually(run, { limitMillis: 11_100 });
    expect(Exit.isSuccess(exit) && exit.value.ended).toBe("stopped");
  });
});

describe("another beginning than the checkpoint", () => {
  it("Follower.run stores a gap with the first page if it does not start at the checkpoint", async () => {
    const memory = SinkMemory.empty();
    const first = await virtually(runWith(SinkMemory.make(memory), {}).run);
    expect(tagOf(first)).toBe(undefined);
    const standing = memory.checkpoints.get("stashes/pc")!;
    const { run } = runWith(SinkMemory.make(memory), { from: { id: pages[2]!.id } });
    expect(tagOf(await virtually(run))).toBe(undefined);
    expect(memory.gaps).toEqual([{ kind: "jumped", from: standing.nextId, to: pages[2]!.id }]);
    expect(memory.pages[pages.length]).toMatchObject({ requestedId: pages[2]!.id, seq: 11n });
    const { run: again } = runWith(SinkMemory.make(memory), { from: "start" });
    expect(tagOf(await virtually(again))).toBe(undefined);
    expect(memory.gaps.at(-1)).toMatchObject({ kind: "restarted" });
  });
});
