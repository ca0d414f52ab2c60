/** Status is a function of facts and the clock: a table of facts, and the status that they mean. */
import { Effect, Exit, Fiber, References } from "effect";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { SinkError, Status } from "../src/index.ts";
import { KEY } from "./support/Run.ts";

const NOW = 1_000_000;
const OK: Status.PartFacts = { failures: 0, succeededAt: NOW - 500 };
const down = "The store failed in commit (unavailable).";
const failing = (failures: number, message = down): Status.PartFacts => ({
  ...OK,
  failures,
  failure: { tag: "SinkError", reason: "unavailable", message, at: NOW },
});
const busyFor = (millis: number): Status.PartFacts => ({ ...OK, busySince: NOW - millis });

const US = { who: "us", until: NOW + 7000 } as const;
const ANOTHER = { who: "another", until: NOW + 9000 } as const;

/** A stream at its end whose parts are well, but for some. */
const record = (
  parts: Readonly<Record<string, Status.PartFacts>>,
  facts: Partial<Status.StreamFacts> = {},
): Status.StreamRecord => ({
  facts: {
    startedAt: 0,
    holder: US,
    headSeq: 10n,
    durableAt: NOW - 2000,
    tailAt: NOW - 1000,
    ...facts,
  },
  parts: new Map(Object.entries({ source: OK, lease: OK, commit: OK, ...parts })),
});
const reading = { tailAt: undefined };

const indexer = (facts: Partial<Status.PartFacts>) => ({ "indexer state": { ...OK, ...facts } });

/** Facts by what they mean, and the status: its state, what it is, its lag and the reason. */
const CASES: Readonly<Record<string, readonly [Status.StreamRecord, expected: string]>> = {
  "everything well at the end of the stream": [
    record(indexer({ seq: 10n })),
    "caughtUp (live ready caughtUp) 0 s",
  ],
  "a lease that is held before the first page": [
    record({ source: { failures: 0, busySince: NOW - 100 } }, reading),
    "waiting (live ready) 2 s: waiting for a first response",
  ],
  "a commit that has been in flight for 3 s": [
    record({ commit: busyFor(3000) }, { ...reading, durableAt: NOW - 3500 }),
    "following (live ready) 3.5 s",
  ],
  "a commit that has been in flight for 12 s": [
    record({ commit: busyFor(12_000) }, reading),
    "retrying (live) 2 s: commit retrying: no response for 12 s",
  ],
  "a commit that hangs in spite of its deadline": [
    record({ commit: busyFor(100_000) }, { ...reading, durableAt: NOW - 100_000 }),
    "stuck () 100 s: commit stuck: no response for 100 s",
  ],
  "a commit that fails and is retried": [
    record({ commit: failing(4) }, reading),
    `retrying (live) 2 s: commit retrying: ${down} (4 failures)`,
  ],
  "a lease whose store does not answer: not standby": [
    record({ lease: failing(2) }, { holder: undefined }),
    `retrying (live) 2 s: lease retrying: ${down} (2 failures)`,
  ],
  "another process that holds the lease": [
    record({}, { holder: ANOTHER, durableAt: undefined, ...reading }),
    "standby (live ready): another process follows this stream",
  ],
  "another process whose lease has ended": [
    record({ lease: busyFor(9000) }, { holder: { ...ANOTHER, until: NOW - 1 } }),
    "waiting (live) 2 s: the lease was not renewed in time",
  ],
  "a run that failed": [
    record({}, { ended: { message: "The stream stays at x." } }),
    "halted () 2 s: The stream stays at x.",
  ],
  "a run that was stopped": [record({}, { ended: {} }), "stopped (live) 2 s"],
  "an indexer that is busy for 20 s: pages still arrive": [
    record(indexer({ ...busyFor(20_000), seq: 10n })),
    "retrying (live ready) 0 s: indexer state retrying: no response for 20 s",
  ],
  "a store that fails the indexer too: the reason is what stops the pages": [
    record({ ...indexer(failing(9)), lease: failing(2) }),
    `retrying (live) 2 s: lease retrying: ${down} (2 failures)`,
  ],
  "an indexer that is behind": [record(indexer({ seq: 9n })), "caughtUp (live ready) 0 s"],
  "a service that refuses: the store is well, and the lag grows": [
    record({ source: { ...failing(1, "HTTP 503"), nextAttemptAt: NOW + 12_000 } }),
    "retrying (live ready) 2 s: source retrying: HTTP 503 (1 failure, next attempt in 12 s)",
  ],
  "a request that has been in flight for 11 s": [
    record({ source: busyFor(11_000) }),
    "retrying (live ready) 2 s: source retrying: no response for 11 s",
  ],
  "a store that has not answered yet": [
    record(
      { store: { failures: 0, busySince: NOW - 100 } },
      { holder: undefined, durableAt: undefined, startedAt: NOW - 4000, ...reading },
    ),
    "waiting (live) 4 s: waiting for a first response",
  ],
};

it.each(Object.entries(CASES))("streamStatus derives the status of %s", (_, [facts, expected]) => {
  const status = Status.streamStatus("stashes/pc", facts, NOW);
  const { isCaughtUp, isLive, isReady, lagSeconds, reason, state } = status;
  const is = [isLive && "live", isReady && "ready", isCaughtUp && "caughtUp"].filter(Boolean);
  const lag = lagSeconds === undefined ? "" : ` ${lagSeconds} s`;
  const text = `${state} (${is.join(" ")})${lag}${reason === undefined ? "" : `: ${reason}`}`;
  expect(text).toBe(expected);
});

it("the status of a standby has the last page that its indexer has read", () => {
  const facts = record(indexer({ seq: 46n }), { holder: ANOTHER, headSeq: 0n });
  const status = Status.streamStatus("stashes/pc", facts, NOW);
  expect(status).toMatchObject({ state: "standby", holder: "another", headSeq: 46n });
});

it.each(Object.entries(CASES))(
  "a stream is neither ready nor caught up after an hour of %s",
  (_, [facts]) => {
    const later = Status.streamStatus("stashes/pc", facts, NOW + 3_600_000);
    expect([later.isReady, later.isCaughtUp]).toEqual([false, false]);
  },
);

it("the status reports a process as ready if it has streams and each of them is ready", () => {
  const streams = { "stashes/pc": record({}), "stashes/console_a": record({ commit: failing(1) }) };
  const report = Status.processReport(new Map(Object.entries(streams)), NOW);
  expect(report).toMatchObject({ live: true, ready: false, caughtUp: false });
  expect(report.reason).toBe(`stashes/console_a: commit retrying: ${down} (1 failure)`);
  const idle = { live: true, ready: false, caughtUp: false };
  expect(Status.processReport(new Map(), NOW)).toMatchObject(idle);
});

describe("track", () => {
  const virtually = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.runPromise(
      effect.pipe(
        Effect.provideService(Status.Streams, new Map()),
        Effect.provideService(References.MinimumLogLevel, "None"),
        Effect.provide(TestClock.layer()),
      ),
    );
  const commit = Effect.map(Status.report, ({ streams }) => streams[0]!.parts[0]!);

  it("track reports an attempt that hangs as retrying and then as stuck, until it is interrupted", () =>
    virtually(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Status.track(KEY, "commit")(Effect.never));
        const states: Array<Status.PartState> = [];
        for (const wait of ["10 seconds", "1 millis", "1 minute"] as const) {
          yield* TestClock.adjust(wait);
          states.push((yield* commit).state);
        }
        expect(states).toEqual(["waiting", "retrying", "stuck"]);
        yield* Fiber.interrupt(fiber);
        expect(yield* commit).toMatchObject({ failures: 0, state: "waiting" });
      }),
    ));

  it("track counts failures and defects until the next success", () =>
    virtually(
      Effect.gen(function* () {
        const attempt = Status.track(KEY, "commit")(Effect.die(new TypeError("no\n  x")));
        for (const _ of [1, 2]) expect(Exit.isFailure(yield* Effect.exit(attempt))).toBe(true);
        const failure = { tag: "Defect", message: "no x" };
        expect(yield* commit).toMatchObject({ failures: 2, failure, state: "retrying" });
        yield* Status.track(KEY, "commit")(Effect.void);
        expect(yield* commit).toMatchObject({ failures: 0, state: "ok" });
      }),
    ));

  it("track describes an error without a message, and a cause without a message", () =>
    virtually(
      Effect.gen(function* () {
        const silent = Object.assign(new Error("x"), { message: undefined });
        const error = new SinkError({ operation: "open", reason: "internal", cause: silent });
        for (const defect of [error, silent, undefined, "text"]) {
          yield* Effect.exit(Status.track(KEY, "commit")(Effect.die(defect)));
          expect((yield* commit).failure?.message).toMatch(/\S/u);
        }
      }),
    ));
});

it("SinkError repeats the server's own message if the driver's message lacks it", () => {
  const server = new Error('database "nodb" does not exist');
  const driver = Object.assign(new Error("Failed to connect"), { reason: { cause: server } });
  const { message } = new SinkError({ operation: "connect", reason: "internal", cause: driver });
  expect(message).toContain('Failed to connect: database "nodb" does not exist');
});
