/** Health and lag tell what is durable, not what the service answers. */
import { Clock, Effect, Fiber, Layer } from "effect";
import { expect, it } from "vitest";
import { Fenced, Follower, Lease, Parts, type Sink, SinkError } from "../src/index.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import { answerHistory, type Seen } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { over, tagOf, valueOf } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

const pages = makeHistory({ pages: 6 });
const inner = () => SinkMemory.make(SinkMemory.empty());

/** Follows for some time, and gives the report of then. */
const after = (
  seconds: number,
  sink: Sink.SinkService,
  lease: Layer.Layer<Lease.Lease> = Lease.none,
) =>
  valueOf(
    Effect.gen(function* () {
      const { source } = scripted({ answer: answerHistory(pages) });
      const run = Follower.run({ source: "stashes" });
      const fiber = yield* Effect.forkChild(
        Effect.exit(Effect.provide(run, over(source, sink, lease))),
      );
      yield* Effect.sleep(seconds * 1000);
      const report = yield* Parts.report;
      const exit = fiber.pollUnsafe();
      yield* Fiber.interrupt(fiber);
      return { report, ended: exit !== undefined };
    }),
  );

const slow = (sink: Sink.SinkService): Sink.SinkService => ({
  ...sink,
  commit: (batch, epoch) => Effect.delay(sink.commit(batch, epoch), "30 seconds"),
});
const fenced = (sink: Sink.SinkService): Sink.SinkService => ({
  ...sink,
  commit: (_, epoch) => Effect.fail(new Fenced({ epoch, detail: "no" })),
});
const hanging = ({ index }: Seen) => (index > 0 ? ({ kind: "hang" } as const) : undefined);

it.each([
  // Three pages are there at once; the end is polled while the last one is written, at 60 s.
  ["more pages wait", slow, undefined, [20, 35, 65, 85, 95], [20, 35, 35, 55, 0]],
  ["no page does", slow, hanging, [20, 35], [20, 5]],
  ["one leadership follows another", fenced, undefined, [20, 40], [20, 40]],
] as const)("counts its lag from what is durable: while %s", async (_, made, fault, at, lags) => {
  const { source } = scripted({
    answer: answerHistory(pages.slice(0, 3)),
    ...(fault === undefined ? {} : { fault }),
  });
  const options = { source: "stashes", batchPages: 1, commitTimeout: "1 minute" } as const;
  const found = await valueOf(
    Effect.gen(function* () {
      yield* Effect.forkChild(Effect.provide(Follower.run(options), over(source, made(inner()))));
      return yield* Effect.forEach(at, (seconds, index) =>
        Effect.map(
          Effect.delay(Parts.report, 1000 * (seconds - (at[index - 1] ?? 0))),
          ({ streams }) => Math.round(streams[0]!.lagSeconds!),
        ),
      );
    }),
  );
  expect(found).toEqual(lags);
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
  const unavailable = (isFailing: (poll: number) => boolean) =>
    after(60, polling("unavailable", isFailing));
  const away = await unavailable((poll) => poll > 1);
  expect(away).toMatchObject({ ended: false, report: { ready: false, reason } });
  const back = await unavailable((poll) => poll === 2);
  expect(back).toMatchObject({ report: { ready: true, caughtUp: true } });
  const gone = await after(
    60,
    polling("replaced", (poll) => poll > 1),
  );
  expect(gone).toMatchObject({ ended: true, report: { live: false } });
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

it("stands by without the failures of a leadership that it has lost", async () => {
  let asked = 0;
  const store: Lease.LeaseStore = {
    take: () => Effect.sync(() => ((asked += 1) === 1 ? 1 : undefined)),
    renew: () => Effect.succeed(false),
    release: () => Effect.void,
  };
  const away = new SinkError({ operation: "commit", kind: "unavailable" });
  const sink = { ...inner(), commit: () => Effect.fail(away) };
  const reports: Array<unknown> = [];
  for (const seconds of [2, 32]) {
    asked = 0;
    const { report } = await after(
      seconds,
      sink,
      Layer.succeed(Lease.Lease, Lease.fromStore(store)),
    );
    reports.push([report.ready, report.streams[0]!.state, report.reason]);
  }
  expect(reports).toEqual([
    [false, "retrying", expect.stringContaining("commit retrying")],
    [true, "standby", "stashes/pc: another process follows this stream"],
  ]);
});
