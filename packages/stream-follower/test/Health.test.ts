/** Health and lag tell what is durable, not what the service answers. */
import { Clock, Effect, Exit, Fiber } from "effect";
import { expect, it } from "vitest";
import { Follower, Lease, PageSource, Parts, type Sink, SinkError } from "../src/index.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import { Sink as SinkTag } from "../src/Sink.ts";
import { answerHistory, type Seen } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { tagOf, virtually, over } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

const pages = makeHistory({ pages: 6 });
const inner = () => SinkMemory.make(SinkMemory.empty());
const failing = (kind: SinkError["kind"], isFailing: (commit: number) => boolean) => {
  const sink = inner();
  let commits = 0;
  return {
    ...sink,
    commit: (batch, epoch) =>
      isFailing((commits += 1))
        ? Effect.fail(new SinkError({ operation: "commit", kind }))
        : sink.commit(batch, epoch),
  } satisfies Sink.SinkService;
};

/** Follows for some time, and gives the report and the gauges of then. */
const after = (
  seconds: number,
  sink: Sink.SinkService,
  realm: "pc" | "console_a" | "console_b" = "pc",
) =>
  virtually(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Effect.exit(
          Follower.run({ source: "stashes", realm }).pipe(
            Effect.provide(over(scripted({ answer: answerHistory(pages) }).source, sink)),
          ),
        ),
      );
      yield* Effect.sleep(seconds * 1000);
      const report = yield* Parts.report;
      const lag = report.streams[0]?.lagSeconds;
      const metrics = yield* Parts.metricsText;
      const exit = fiber.pollUnsafe();
      yield* Fiber.interrupt(fiber);
      return { report, lag, metrics, ended: exit !== undefined };
    }).pipe(Effect.provideService(Parts.Parts, new Map())),
  );

it("reports neither live nor ready after a fatal error of the sink", async () => {
  const exit = await after(
    60,
    failing("internal", () => true),
  );
  expect(exit).toMatchObject({
    value: {
      ended: true,
      report: { live: false, ready: false, caughtUp: false, streams: [{ state: "halted" }] },
    },
  });
});

it("is ready again once a sink that failed has recovered", async () => {
  const exit = await after(
    60,
    failing("unavailable", (commit) => commit === 2),
  );
  expect(exit).toMatchObject({
    value: {
      report: { live: true, ready: true, caughtUp: true, streams: [{ state: "caughtUp" }] },
    },
  });
});

it("is neither caught up nor without lag while the sink fails, whatever the service answers", async () => {
  let polls = 0;
  const sink = {
    ...failing("unavailable", (commit) => commit > 1),
    polled: () => Effect.sync(() => void (polls += 1)),
  };
  const exit = await after(300, sink, "console_a");
  expect(exit).toMatchObject({
    value: {
      ended: false,
      metrics: expect.stringContaining('caught_up{source="stashes",realm="console_a"} 0\n'),
      report: {
        ready: false,
        caughtUp: false,
        reason: expect.stringContaining(
          "commit retrying: The store failed in commit (unavailable)",
        ),
        streams: [{ state: "retrying", isCaughtUp: false }],
      },
    },
  });
  const lag = exit._tag === "Success" ? exit.value.lag : 0;
  expect(lag).toBeGreaterThan(280);
  expect(polls).toBe(0);
});

it("is not ready while the store fails at the end of the stream, and ends where it is gone", async () => {
  const polling = (kind: SinkError["kind"], isFailing: (poll: number) => boolean) => {
    let polls = 0;
    return {
      ...inner(),
      polled: () =>
        isFailing((polls += 1))
          ? Effect.fail(new SinkError({ operation: "polled", kind }))
          : Effect.void,
    } satisfies Sink.SinkService;
  };
  const reason = expect.stringContaining("commit retrying: The store failed in polled");
  const away = await after(
    60,
    polling("unavailable", (poll) => poll > 1),
  );
  expect(away).toMatchObject({ value: { ended: false, report: { ready: false, reason } } });
  const back = await after(
    60,
    polling("unavailable", (poll) => poll === 2),
  );
  expect(back).toMatchObject({ value: { report: { ready: true, caughtUp: true } } });
  const gone = await after(
    60,
    polling("replaced", (poll) => poll > 1),
  );
  expect(gone).toMatchObject({ value: { ended: true, report: { live: false } } });
});

it("has no lag at the end of the stream, for as long as it stands there", async () => {
  const exit = await after(120, inner(), "console_b");
  expect(exit).toMatchObject({
    value: {
      lag: 0,
      metrics: expect.stringContaining('lag_seconds{source="stashes",realm="console_b"} 0\n'),
      report: { caughtUp: true },
    },
  });
});

it("retries a full disk, slowly, and is not ready meanwhile", async () => {
  let tries = 0;
  const sink = failing("diskFull", () => (tries += 1) > 0);
  expect(await after(120, sink)).toMatchObject({
    value: { ended: false, report: { live: true, ready: false } },
  });
  expect(tries).toBeGreaterThan(2);
  expect(tries).toBeLessThan(9);
});

it("does not count the wait for another realm's 429 as a slow response", async () => {
  const { source, seen } = scripted({
    answer: answerHistory(pages),
    fault: (one: Seen) =>
      one.realm === "console_a" && one.at < 1000
        ? { kind: "status", status: 429, headers: { "retry-after": "300" } }
        : undefined,
  });
  const run = (realm: "pc" | "console_a") =>
    Effect.exit(
      Follower.run({ source: "stashes", realm, until: "caughtUp", maxRetries: 3 }).pipe(
        Effect.provide(over(source, inner())),
      ),
    );
  const exit = await virtually(
    Effect.gen(function* () {
      const limited = yield* Effect.forkChild(run("console_a"));
      yield* Effect.sleep("1 second");
      const other = yield* run("pc");
      return [other, yield* Fiber.join(limited), yield* Clock.currentTimeMillis] as const;
    }),
  );
  if (exit._tag === "Failure") throw new Error(String(exit.cause));
  expect(exit.value.slice(0, 2).map((one) => tagOf(one as never))).toEqual([undefined, undefined]);
  // Nothing was sent while the limit held.
  expect(seen.filter(({ at }) => at > 1000 && at < 300_000)).toEqual([]);
  expect(exit.value[2]).toBeGreaterThanOrEqual(300_000);
});

it("stands by without the failures of a leadership that it has lost", async () => {
  let asked = 0;
  const store: Lease.LeaseStore = {
    take: () => Effect.sync(() => ((asked += 1) === 1 ? 1 : undefined)),
    renew: () => Effect.succeed(false),
    release: () => Effect.void,
  };
  const exit = await virtually(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Follower.run({ source: "stashes" }).pipe(
          Effect.provideService(
            SinkTag,
            failing("unavailable", () => true),
          ),
          Effect.provideService(Lease.Lease, Lease.fromStore(store)),
          Effect.provideService(
            PageSource.PageSource,
            scripted({ answer: answerHistory(pages) }).source,
          ),
        ),
      );
      yield* Effect.sleep("2 seconds");
      const before = yield* Parts.report;
      yield* Effect.sleep("30 seconds");
      const now = yield* Parts.report;
      yield* Fiber.interrupt(fiber);
      return [before, now].map(({ ready, reason, streams }) => [ready, streams[0]!.state, reason]);
    }).pipe(Effect.provideService(Parts.Parts, new Map())),
  );
  expect(exit).toEqual(
    Exit.succeed([
      [false, "retrying", expect.stringContaining("commit retrying")],
      [true, "standby", "stashes/pc: another process follows this stream"],
    ]),
  );
});
