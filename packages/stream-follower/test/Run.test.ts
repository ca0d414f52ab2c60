/** The run: what it does when its sink is slow, away, full or taken, and how it ends. */
import { Cause, Deferred, Duration, Effect, Exit, Fiber, Layer } from "effect";
import { describe, expect, it } from "vitest";
import { Fenced, Follower, Lease, LeaseLost, Parts, SinkError } from "../src/index.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import type { SinkService } from "../src/Sink.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { differences, tagOf, virtually, over } from "./support/Run.ts";
import { type Script, scripted } from "./support/ScriptedSource.ts";

const pages = makeHistory({ pages: 10 });
const answer = answerHistory(pages);

const runWith = (
  sink: SinkService,
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

const away = () => new SinkError({ operation: "commit", kind: "unavailable" });

it.each([
  ["window", { window: Number.NaN }],
  ["batchPages", { batchPages: 0 }],
  ["pollInterval.min", { pollInterval: { min: "soon" } }],
  ["badPageRetryDelays[1]", { badPageRetryDelays: [1, -1] }],
  ["onIdRejected", { onIdRejected: { jumpTo: 7 } }],
  ["realm", { realm: "game2" }],
  ["source", { source: "items" }],
  ["maxretries", { maxretries: 3 }],
])("names an option that cannot work before it opens anything: %s", async (option, change) => {
  const { run, seen } = runWith(SinkMemory.make(SinkMemory.empty()), change as never);
  const exit = await virtually(run);
  expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ option });
  expect(seen).toEqual([]);
});

it("tells its program of each page when it is durable, once and in order", async () => {
  const memory = SinkMemory.empty();
  const inner = SinkMemory.make(memory);
  let failures = 0;
  const told: Array<bigint> = [];
  const sink: SinkService = {
    ...inner,
    commit: (batch, epoch) => {
      failures += 1;
      return failures % 2 === 1 ? Effect.fail(away()) : inner.commit(batch, epoch);
    },
  };
  const { run } = runWith(sink, {
    onCommitted: (committed) => {
      for (const { page } of committed) {
        expect(memory.pages.some(({ seq }) => seq === page.seq)).toBe(true);
        told.push(page.seq);
      }
    },
  });
  expect(tagOf(await virtually(run))).toBe(undefined);
  expect(told).toEqual(pages.map((_, index) => BigInt(index + 1)));
});

describe("a sink that is", () => {
  it("slow: fetching stops at the window, nothing is lost, and the lag is to be seen", async () => {
    const memory = SinkMemory.empty();
    const inner = SinkMemory.make(memory);
    const ahead: Array<number> = [];
    const sink: SinkService = {
      ...inner,
      commit: (batch, epoch) =>
        Effect.gen(function* () {
          yield* Effect.sleep("10 seconds");
          ahead.push(seen.length - memory.pages.length);
          yield* inner.commit(batch, epoch);
        }),
    };
    const { run, seen } = runWith(sink, { batchPages: 1 });
    const exit = await virtually(run);
    expect(tagOf(exit)).toBe(undefined);
    expect(differences(memory, pages)).toEqual([]);
    expect(Math.max(...ahead)).toBeLessThanOrEqual(5);
  });

  it("down: retried with backoff, degraded in the health report, and no page is dropped", async () => {
    const memory = SinkMemory.empty();
    const inner = SinkMemory.make(memory);
    let failures = 0;
    let degraded = false;
    const sink: SinkService = {
      ...inner,
      commit: (batch, epoch) =>
        Effect.gen(function* () {
          if (batch.previousSeq >= 3n && failures < 7) {
            failures += 1;
            degraded ||= failures > 1 && !(yield* Parts.report).ready;
            return yield* away();
          }
          yield* inner.commit(batch, epoch);
        }),
    };
    const { run } = runWith(sink, { batchPages: 1 });
    const exit = await virtually(run);
    expect(tagOf(exit)).toBe(undefined);
    expect(failures).toBe(7);
    expect(degraded).toBe(true);
    expect(differences(memory, pages)).toEqual([]);
  });

  it("fed what came before a fatal answer first: the error ends the run after the last good page is durable", async () => {
    const memory = SinkMemory.empty();
    const inner = SinkMemory.make(memory);
    const slow: SinkService = {
      ...inner,
      commit: (batch, epoch) =>
        Effect.andThen(Effect.sleep("5 seconds"), inner.commit(batch, epoch)),
    };
    const fault = (seen: { id: string | undefined }) =>
      seen.id === pages[5]!.id ? ({ kind: "status", status: 403 } as const) : undefined;
    const { run } = runWith(slow, {}, Lease.none, { answer, fault });
    expect(tagOf(await virtually(run))).toBe("PageRefused");
    expect(memory.pages.length).toBe(5);
  });
});

/** A lease whose holder loses it after each of the given times. */
const losing = (times: ReadonlyArray<number>): Layer.Layer<Lease.Lease> => {
  let epoch = 0;
  return Layer.succeed(Lease.Lease, {
    hold: () =>
      Effect.sync(() => {
        epoch += 1;
        const held = epoch;
        const millis = times[held - 1];
        const lost = Effect.fail(new LeaseLost({ epoch: held }));
        return {
          epoch: held,
          lost: millis === undefined ? Effect.never : Effect.andThen(Effect.sleep(millis), lost),
        };
      }),
  });
};

describe("a run that loses its lease", () => {
  const slowly = (memory: SinkMemory.Memory): SinkService => {
    const inner = SinkMemory.make(memory);
    return {
      ...inner,
      commit: (batch, epoch) =>
        Effect.andThen(Effect.sleep("1 second"), inner.commit(batch, epoch)),
    };
  };

  it("stands by, takes it again, and goes on from the last commit", async () => {
    const memory = SinkMemory.empty();
    const { run } = runWith(slowly(memory), { batchPages: 1 }, losing([1500, 2500]));
    expect(tagOf(await virtually(run))).toBe(undefined);
    expect(memory.pages.map((page) => page.nextId)).toEqual(pages.map((page) => page.nextId));
    expect(memory.checkpoints.get("stashes/pc")?.epoch).toBe(3);
  });

  it("begins at `from` once: taken again, it goes on from the last commit too", async () => {
    const memory = SinkMemory.empty();
    const { run } = runWith(slowly(memory), { batchPages: 1, from: "start" }, losing([1500, 2500]));
    expect(tagOf(await virtually(run))).toBe(undefined);
    expect(memory.pages.map((page) => page.nextId)).toEqual(pages.map((page) => page.nextId));
  });

  it("ends with LeaseLost where it is told to", async () => {
    const { run } = runWith(
      slowly(SinkMemory.empty()),
      { batchPages: 1, onLeaseLost: "fail" },
      losing([1500]),
    );
    expect(tagOf(await virtually(run))).toBe("LeaseLost");
  });

  it("writes nothing once a newer owner has claimed the stream: Fenced", async () => {
    const memory = SinkMemory.empty();
    const inner = SinkMemory.make(memory);
    let commits = 0;
    const taken: SinkService = {
      ...inner,
      commit: (batch, epoch) =>
        Effect.gen(function* () {
          commits += 1;
          if (commits === 3) yield* inner.claim(batch.key, 99);
          yield* inner.commit(batch, epoch);
        }),
    };
    const { run } = runWith(taken, { batchPages: 1, onLeaseLost: "fail" });
    const exit = await virtually(run);
    expect(tagOf(exit)).toBe(new Fenced({ epoch: 0, detail: "" })._tag);
    expect(memory.pages.length).toBe(2);
  });
});

describe("a run that is stopped", () => {
  it("lets the transaction in progress finish, and ends without an error", async () => {
    const memory = SinkMemory.empty();
    const inner = SinkMemory.make(memory);
    const exit = await virtually(
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>();
        const sink: SinkService = {
          ...inner,
          commit: (batch, epoch) =>
            Effect.gen(function* () {
              if (batch.previousSeq === 4n) yield* Deferred.succeed(begun, undefined);
              yield* Effect.sleep("900 millis");
              yield* inner.commit(batch, epoch);
            }),
        };
        const { run } = runWith(sink, { batchPages: 1, stopWhen: Deferred.await(begun) });
        return yield* run;
      }),
    );
    expect(exit).toEqual(Exit.succeed({ pages: 5, rows: 25, ended: "stopped" }));
    expect(memory.checkpoints.get("stashes/pc")?.seq).toBe(5n);
  });

  it("ends within 2.5 seconds, also where neither commit nor rollback nor lease answers", async () => {
    const inner = SinkMemory.make(SinkMemory.empty());
    const sink: SinkService = { ...inner, commit: () => Effect.uninterruptible(Effect.never) };
    const lease = Lease.fromStore({
      take: () => Effect.succeed(1),
      renew: () => Effect.succeed(true),
      release: () => Effect.never,
    });
    const options = { stopWhen: Effect.sleep("5 seconds") };
    const { run } = runWith(sink, options, Layer.succeed(Lease.Lease, lease));
    const timed = Effect.map(
      Effect.timed(run),
      ([time, { ended }]) => [Duration.toMillis(time), ended] as const,
    );
    const exit = await virtually(timed, { limitMillis: 60_000 });
    expect(Exit.isSuccess(exit) && exit.value[1]).toBe("stopped");
    expect(Exit.isSuccess(exit) && exit.value[0]).toBeLessThanOrEqual(7500);
  });

  it("ends at once while its store is away", async () => {
    const inner = SinkMemory.make(SinkMemory.empty());
    const sink: SinkService = { ...inner, commit: () => Effect.fail(away()) };
    const { run } = runWith(sink, { stopWhen: Effect.sleep("20 seconds") });
    const exit = await virtually(run, { limitMillis: 21_000 });
    expect(Exit.isSuccess(exit) && exit.value.ended).toBe("stopped");
  });
});

describe("several realms in one process", () => {
  it("share one budget: a 429 of one holds back all of one source", async () => {
    const memory = SinkMemory.empty();
    const { source, seen } = scripted({
      answer,
      fault: (one) =>
        one.realm === "console_a" && one.index < 3
          ? { kind: "status", status: 429, headers: { "retry-after": "30" } }
          : undefined,
    });
    const follow = (realm: "pc" | "console_a") =>
      Follower.run({ source: "stashes", realm, until: "caughtUp" });
    const exit = await virtually(
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(follow("console_a"));
        yield* Effect.sleep("1 second");
        const second = yield* Effect.forkChild(follow("pc"));
        yield* Fiber.join(first);
        yield* Fiber.join(second);
      }).pipe(Effect.provide(over(source, SinkMemory.make(memory)))),
    );
    expect(tagOf(exit)).toBe(undefined);
    const limitedAt = seen[0]!.at;
    const others = seen.filter((one) => one.realm === "pc");
    expect(Math.min(...others.map((one) => one.at)) - limitedAt).toBeGreaterThanOrEqual(29_000);
    expect([...memory.checkpoints.keys()].toSorted()).toEqual(["stashes/console_a", "stashes/pc"]);
  });
});

describe("clocks", () => {
  it("never order anything: a wall clock that jumps back a day changes no number and loses no page", async () => {
    const memory = SinkMemory.empty();
    const { run } = runWith(SinkMemory.make(memory), {}, Lease.none, {
      answer: (seen) => ({
        ...answer(seen),
        headers: { date: new Date(Date.UTC(2026, 0, 10 - seen.index)).toUTCString() },
      }),
    });
    expect(tagOf(await virtually(run))).toBe(undefined);
    expect(memory.pages.map((page) => page.seq)).toEqual(
      pages.map((_, index) => BigInt(index + 1)),
    );
  });
});

describe("another beginning than the checkpoint", () => {
  it("is recorded as a gap beside the first page, and goes on from there", async () => {
    const memory = SinkMemory.empty();
    const first = await virtually(runWith(SinkMemory.make(memory), {}).run);
    expect(tagOf(first)).toBe(undefined);
    const standing = memory.checkpoints.get("stashes/pc")!;
    const { run } = runWith(SinkMemory.make(memory), { from: { id: pages[2]!.id } });
    expect(tagOf(await virtually(run))).toBe(undefined);
    expect(memory.gaps).toEqual([{ kind: "jumped", from: standing.nextId, to: pages[2]!.id }]);
    expect(memory.pages.at(standing.seq === 0n ? 0 : Number(standing.seq))).toMatchObject({
      requestedId: pages[2]!.id,
      seq: standing.seq + 1n,
    });
    const { run: again } = runWith(SinkMemory.make(memory), { from: "start" });
    expect(tagOf(await virtually(again))).toBe(undefined);
    expect(memory.gaps.at(-1)).toMatchObject({ kind: "restarted" });
  });
});
