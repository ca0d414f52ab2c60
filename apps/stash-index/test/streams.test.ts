/** What goes wrong with one stream stops neither the other one nor the web server. */
import { Lease, PageLog, PageSource, Status } from "@game-data/stream-follower";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Effect, Fiber, References } from "effect";
import { TestClock } from "effect/testing";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { followStreams } from "../src/follower/follow.ts";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value));
const respond = (body: Uint8Array, status = 200, headers: Record<string, string> = {}) => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: (async function* () {
    yield body;
  })(),
});
const row = { id: "a".repeat(64), public: false, items: [] };

const LARGE = Buffer.alloc(66 * 1024 * 1024, " ");

/** Answers of a stream that is not well, by the error that they are. */
const FAULTS: Readonly<Record<string, (id: string | undefined) => PageSource.PageResponse>> = {
  MalformedPage: () => respond(Buffer.from('{"next_change_id":"2-2","stashes":[]}')),
  "MalformedPage of no JSON": () => respond(Buffer.from("<html></html>")),
  PageTooLarge: () => respond(LARGE),
  ChangeIdRejected: () => respond(encode({ error: { code: 2, message: "no such id" } }), 400),
  "PageRefused, forbidden": () => respond(encode({ error: { code: 6 } }), 403),
};

/** Follows both streams for an hour of virtual time. One of them is not well. */
const followBoth = (bad: "stashes" | "exchange", fault: string) =>
  Effect.gen(function* () {
    const asked = { stashes: 0, exchange: 0 };
    const open: PageSource.PageSourceService["open"] = ({ id, source }) =>
      Effect.delay("5 seconds")(
        Effect.sync(() => {
          asked[source] += 1;
          if (source === bad) return FAULTS[fault]!(id);
          return source === "stashes"
            ? respond(encode({ next_change_id: `${asked.stashes}`, stashes: [row] }))
            : respond(encode({ next_change_id: Number(id ?? 0) + 3600, markets: [] }));
        }),
      );
    const log = yield* PageLog.PageLog;
    // The exchange has history.
    yield* TestClock.adjust("1000 hours");
    const fiber = yield* followStreams("pc").pipe(
      Effect.provide(Lease.none),
      Effect.provideService(PageSource.PageSource, { open }),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.exit,
      Effect.forkChild,
    );
    const good = bad === "stashes" ? "exchange" : "stashes";
    const seqOfGood = Effect.map(
      log.positions,
      (all) => all.find(({ key }) => key.source === good)?.seq ?? 0n,
    );
    const seqs: Array<bigint> = [];
    for (let step = 0; step < 120; step += 1) {
      for (let turn = 0; turn < 4; turn += 1) yield* Effect.promise(() => setImmediate());
      yield* TestClock.adjust("10 seconds");
      if (step === 100 || step === 119) seqs.push(yield* seqOfGood);
    }
    const report = yield* Status.report;
    const ended = fiber.pollUnsafe();
    yield* Fiber.interrupt(fiber);
    return { asked, ended, report, seqs };
  }).pipe(
    Effect.provide(StoreUrl.layer({ kind: "sqlite", path: ":memory:" })),
    Effect.provide(TestClock.layer()),
    Effect.provideService(Status.Streams, new Map()),
    Effect.scoped,
    Effect.runPromise,
  );

it.each([
  ["exchange", "MalformedPage"],
  ["exchange", "PageTooLarge"],
  ["exchange", "PageRefused, forbidden"],
  ["stashes", "MalformedPage of no JSON"],
  ["stashes", "ChangeIdRejected"],
] as const)("lets the other stream go on beside %s that answer with %s", async (bad, fault) => {
  const { asked, ended, report, seqs } = await followBoth(bad, fault);
  expect(ended).toBeUndefined();
  expect(Number(seqs[1])).toBeGreaterThan(Number(seqs[0]));
  expect(asked[bad]).toBeGreaterThan(5);
  expect(report.live).toBe(true);
  const unwell = report.streams.find(({ stream }) => stream === `${bad}/pc`);
  const source = unwell!.parts.find(({ name }) => name === "source");
  expect(source?.failure?.tag).toBe(fault.split(/,| of/u)[0]);
});
