/** A fault of one stream stops neither the other stream nor the web server. */
import { Lease, PageSource, Status } from "@game-data/stream-follower";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Effect, Fiber, References } from "effect";
import { TestClock } from "effect/testing";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { followStreams } from "../src/follow.ts";

const respond = (body: string, status = 200): PageSource.PageResponse => ({
  ...{ status, headers: { "content-type": "application/json" } },
  body: (async function* () {
    yield Buffer.from(body);
  })(),
});

/** Responses that end the follower of a stream, by the tag of the error. */
const FAULTS = {
  MalformedPage: () => respond("<html></html>"),
  ChangeIdRejected: () => respond('{"error":{"code":2,"message":"no such id"}}', 400),
  PageRefused: () => respond('{"error":{"code":6}}', 403),
} as const;

/** Follows both streams for twenty minutes of virtual time. One of them is faulty. */
const followBoth = (faulty: "stashes" | "exchange", fault: keyof typeof FAULTS) =>
  Effect.gen(function* () {
    const requests = { stashes: 0, exchange: 0 };
    const row = { id: "a".repeat(64), public: false, items: [] };
    const open: PageSource.PageSourceService["open"] = ({ id, source }) =>
      Effect.delay("5 seconds")(
        Effect.sync(() => {
          requests[source] += 1;
          if (source === faulty) return FAULTS[fault]();
          return respond(
            source === "stashes"
              ? JSON.stringify({ next_change_id: `${requests.stashes}`, stashes: [row] })
              : JSON.stringify({ next_change_id: Number(id ?? 0) + 3600, markets: [] }),
          );
        }),
      );
    // The exchange has history.
    yield* TestClock.adjust("1000 hours");
    const fiber = yield* followStreams("pc").pipe(
      Effect.provide(Lease.none),
      Effect.provideService(PageSource.PageSource, { open }),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.forkChild,
    );
    for (let step = 0; step < 120; step += 1) {
      for (let turn = 0; turn < 4; turn += 1) yield* Effect.promise(() => setImmediate());
      yield* TestClock.adjust("10 seconds");
    }
    expect(fiber.pollUnsafe()).toBeUndefined();
    yield* Fiber.interrupt(fiber);
    return { requests, report: yield* Status.report };
  }).pipe(
    Effect.provide(StoreUrl.layer({ kind: "sqlite", path: ":memory:" })),
    Effect.provide(TestClock.layer()),
    Effect.provideService(Status.Streams, new Map()),
    Effect.scoped,
    Effect.runPromise,
  );

it.each([
  ["exchange", "stashes", "MalformedPage"],
  ["exchange", "stashes", "PageRefused"],
  ["stashes", "exchange", "ChangeIdRejected"],
] as const)("repeats requests of %s, and follows %s after %s", async (faulty, other, fault) => {
  const { report, requests } = await followBoth(faulty, fault);
  expect(requests[faulty]).toBeGreaterThan(5);
  expect(requests[other]).toBeGreaterThan(50);
  expect(report.live).toBe(true);
  const stream = report.streams.find((each) => each.stream === `${faulty}/pc`);
  const source = stream!.parts.find(({ name }) => name === "source");
  expect(source?.failure?.tag).toBe(fault);
});
