/** Status of a run: it follows what is committed, not what the service responds. */
import { Clock, Effect, Fiber, Layer } from "effect";
import { expect, it } from "vitest";
import { Fenced, Follower, Lease, PageSource, type Sink, SinkError, Status } from "../src/index.ts";
import { answerHistory, type Fault, type Seen } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { over, tagOf, valueOf } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";
import * as SinkMemory from "./support/SinkMemory.ts";

const pages = makeHistory({ pages: 6 });
const memory = () => SinkMemory.make(SinkMemory.empty());

interface Scene {
  readonly sink?: Sink.SinkService;
  readonly lease?: Layer.Layer<Lease.Lease>;
  readonly pages?: number;
  readonly fault?: (seen: Seen) => Fault | undefined;
}

/** Returns the reports of a run after each of the times, and whether it has ended by then. */
const reports = (
  { fault, lease, pages: count = 6, sink = memory() }: Scene,
  ...at: Array<number>
) =>
  valueOf(
    Effect.gen(function* () {
      const answer = answerHistory(pages.slice(0, count));
      const { source } = scripted({ answer, ...(fault && { fault }) });
      const run = Follower.run({ source: "stashes" });
      const fiber = yield* Effect.forkChild(
        Effect.exit(Effect.provide(run, over(source, sink, lease))),
      );
      return yield* Effect.forEach(at, (seconds, index) =>
        Effect.gen(function* () {
          yield* Effect.sleep(1000 * (seconds - (at[index - 1] ?? 0)));
          return { ...(yield* Status.report), hasEnded: fiber.pollUnsafe() !== undefined };
        }),
      ).pipe(Effect.ensuring(Fiber.interrupt(fiber)));
    }),
  );

const slow = (sink = memory()): Sink.SinkService => ({
  ...sink,
  commit: (batch, epoch) => Effect.delay(sink.commit(batch, epoch), "15 seconds"),
});
const fenced: Sink.SinkService = {
  ...memory(),
  commit: (_, epoch) => Effect.fail(new Fenced({ epoch, detail: "no" })),
};
const hanging = ({ index }: Seen) => (index > 0 ? ({ kind: "hang" } as const) : undefined);

it.each<[string, Scene, ReadonlyArray<number>, ReadonlyArray<number>]>([
  // Three pages arrive at once. The end arrives after the first commit.
  ["pages wait for the store", { sink: slow(), pages: 3 }, [10, 20, 40, 50], [10, 20, 40, 0]],
  ["the service hangs", { fault: hanging }, [5, 9], [5, 9]],
  ["the store fences every commit", { sink: fenced }, [20, 40], [20, 40]],
])("the lag counts from the last committed page while %s", async (_, scene, at, lags) => {
  const found = await reports(scene, ...at);
  expect(found.map(({ streams }) => Math.round(streams[0]!.lagSeconds!))).toEqual(lags);
});

it("the status reports a request that hangs after 10 seconds, and its recovery at once", async () => {
  const found = await reports(
    { fault: ({ at, index }) => (at < 1 && index > 0 ? { kind: "hang" } : undefined) },
    9,
    12,
    17,
  );
  expect(found.map(({ ready, reason, streams }) => [ready, streams[0]!.state, reason])).toEqual([
    [true, "following", undefined],
    [true, "retrying", "stashes/pc: source retrying: no response for 12 s"],
    [true, "caughtUp", undefined],
  ]);
});

it("the status reports when the next request is sent, which is at most a day later", async () => {
  const fault = {
    kind: "status",
    status: 429,
    headers: { "retry-after": "999999999999" },
  } as const;
  const [found] = await reports({ fault: ({ index }) => (index === 1 ? fault : undefined) }, 1);
  expect(found!.reason).toMatch(/\(1 failure, next attempt in 86\d{3} s\)$/u);
  expect(found!.streams[0]!.nextAttemptAt).toBeGreaterThan(86_000_000);
});

it("a follower is not ready while its store fails at the end of the stream, and ends if the store is gone", async () => {
  const polling = (reason: SinkError["reason"], isFailing: (poll: number) => boolean) => {
    let polls = 0;
    const failure = new SinkError({ operation: "polled", reason });
    const polled = () =>
      Effect.suspend(() => (isFailing((polls += 1)) ? Effect.fail(failure) : Effect.void));
    return { sink: { ...memory(), polled } };
  };
  const [away] = await reports(
    polling("unavailable", (poll) => poll > 1),
    60,
  );
  const reason = expect.stringContaining("commit retrying: The store failed in polled");
  expect(away).toMatchObject({ hasEnded: false, ready: false, reason });
  const [back] = await reports(
    polling("unavailable", (poll) => poll === 2),
    60,
  );
  expect(back).toMatchObject({ ready: true, caughtUp: true });
  const [gone] = await reports(
    polling("replaced", (poll) => poll > 1),
    60,
  );
  expect(gone).toMatchObject({ hasEnded: true, live: false });
});

it("the status reports no failures of commits after the follower has lost the lease", async () => {
  let requests = 0;
  const store: Lease.LeaseStore = {
    take: () => Effect.sync(() => ((requests += 1) === 1 ? 1 : undefined)),
    renew: () => Effect.succeed(false),
    release: () => Effect.void,
  };
  const away = new SinkError({ operation: "commit", reason: "unavailable" });
  const sink = { ...memory(), commit: () => Effect.fail(away) };
  const lease = Layer.succeed(Lease.Lease, Lease.fromStore(store));
  const found = await reports({ sink, lease }, 2, 32);
  expect(found.map(({ ready, reason, streams }) => [ready, streams[0]!.state, reason])).toEqual([
    [false, "retrying", expect.stringContaining("commit retrying")],
    [true, "standby", "stashes/pc: another process follows this stream"],
  ]);
});

it("a follower does not count the wait for another realm's 429 as a slow response", async () => {
  const { seen, source: unshared } = scripted({
    answer: answerHistory(pages),
    fault: ({ at, realm }) =>
      realm === "console_a" && at < 1000
        ? { kind: "status", status: 429, headers: { "retry-after": "300" } }
        : undefined,
  });
  const source = PageSource.shared(unshared);
  const run = (realm: "pc" | "console_a") =>
    Effect.exit(
      Follower.run({ source: "stashes", realm, until: "caughtUp", maxRetries: 3 }).pipe(
        Effect.provide(over(source, memory())),
      ),
    );
  const [limited, other, end] = await valueOf(
    Effect.gen(function* () {
      const first = yield* Effect.forkChild(run("console_a"));
      yield* Effect.sleep("1 second");
      const second = yield* run("pc");
      return [yield* Fiber.join(first), second, yield* Clock.currentTimeMillis] as const;
    }),
  );
  expect([limited, other].map(tagOf)).toEqual([undefined, undefined]);
  // Nothing was sent while the limit held.
  expect(seen.filter(({ at }) => at > 0 && at < 300_000)).toEqual([]);
  expect(end).toBeGreaterThanOrEqual(300_000);
});
