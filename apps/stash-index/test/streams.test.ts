/** What goes wrong with one stream stops neither the other one nor the web server. */
import { Lease, PageSource, Parts, Sink } from "@game-data/stream-follower";
import { SinkSqlite } from "@game-data/stream-follower/sqlite";
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
  StuckStream: (id = "first") => respond(encode({ next_change_id: id, stashes: [row] })),
  ChangeIdRejected: () => respond(encode({ error: { code: 2, message: "no such id" } }), 400),
  "PageRefused, forbidden": () => respond(encode({ error: { code: 6 } }), 403),
};

/** Follows both streams for an hour of virtual time. One of them is not well. */
const followBoth = (bad: "stashes" | "exchange", fault: string) =>
  Effect.gen(function* () {
    const asked = { stashes: 0, exchange: 0 };
    const open: PageSource.PageSourceService["open"] = ({ id, source }) =>
      Effect.delay("20 seconds")(
        Effect.sync(() => {
          asked[source] += 1;
          if (source === bad) return FAULTS[fault]!(id);
          return source === "stashes"
            ? respond(encode({ next_change_id: `${asked.stashes}`, stashes: [row] }))
            : respond(encode({ next_change_id: Number(id ?? 0) + 3600, markets: [] }));
        }),
      );
    const store = yield* SinkSqlite.make({ path: ":memory:" });
    const fiber = yield* followStreams("pc").pipe(
      Effect.provideService(Sink.Sink, store),
      Effect.provide(Lease.none),
      Effect.provideService(PageSource.PageSource, { open }),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.exit,
      Effect.forkChild,
    );
    const good = bad === "stashes" ? "exchange" : "stashes";
    const seqOfGood = Effect.map(
      store.positions,
      (all) => all.find(({ key }) => key.source === good)?.seq ?? 0n,
    );
    // Hours that are over: the exchange has enough of them to tell.
    yield* TestClock.adjust("1000 hours");
    const seqs: Array<bigint> = [];
    for (let step = 0; step < 120; step += 1) {
      for (let turn = 0; turn < 4; turn += 1) yield* Effect.promise(() => setImmediate());
      yield* TestClock.adjust("30 seconds");
      if (step === 100 || step === 119) seqs.push(yield* seqOfGood);
    }
    const report = yield* Parts.report;
    const ended = fiber.pollUnsafe();
    yield* Fiber.interrupt(fiber);
    return { asked, ended, report, seqs };
  }).pipe(
    Effect.provide(TestClock.layer()),
    Effect.provideService(Parts.Parts, new Map()),
    Effect.scoped,
    Effect.runPromise,
  );

it.each([
  ["exchange", "MalformedPage"],
  ["exchange", "PageTooLarge"],
  ["exchange", "PageRefused, forbidden"],
  ["stashes", "MalformedPage of no JSON"],
  ["stashes", "StuckStream"],
  ["stashes", "ChangeIdRejected"],
] as const)("lets the other stream go on beside %s that answer with %s", async (bad, fault) => {
  const { asked, ended, report, seqs } = await followBoth(bad, fault);
  expect(ended).toBeUndefined();
  expect(Number(seqs[1])).toBeGreaterThan(Number(seqs[0]));
  expect(asked[bad]).toBeGreaterThan(5);
  expect(report.live).toBe(true);
  const unwell = report.streams.find(({ stream }) => stream === `${bad}/pc`);
  const source = unwell!.parts.find(({ kind }) => kind === "source");
  expect(source?.lastError?.tag).toBe(fault.split(/,| of/u)[0]);
});
