/** Status is a function of records and the clock: a table of records, and what they mean. */
import { Effect, Exit, Fiber } from "effect";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { Parts, SinkError, Status } from "../src/index.ts";
import { metricsText } from "../src/core/gauges.ts";

const NOW = 1_000_000;
const KEY = { source: "stashes", realm: "pc" } as const;

const part = (kind: Status.PartKind, facts: Partial<Status.PartRecord> = {}) => ({
  ...{ kind, name: kind, limitMillis: 15_000, attempts: 3, failures: 0 },
  ...{ startedAt: 0, lastSuccessAt: NOW - 500, ...facts },
});

const error = (message: string) => ({ tag: "SinkError", kind: "unavailable", message, at: NOW });
const us = { who: "us", heardAt: NOW - 3000, ttlMillis: 10_000 } as const;
const another = { who: "another", heardAt: NOW - 1000, ttlMillis: 10_000 } as const;

const record = (
  parts: ReadonlyArray<Status.PartRecord>,
  facts: Partial<Status.StreamRecord> = {},
): Status.StreamRecord => ({
  stream: "stashes/pc",
  startedAt: 0,
  holder: us,
  pendingPages: 0,
  durableAt: NOW - 2000,
  tailAt: NOW - 1000,
  headSeq: 10n,
  parts: parts.some(({ kind }) => kind === "source") ? parts : [part("source"), ...parts],
  ...facts,
});

const down = "The store failed in commit (unavailable).";
const pending = { pendingPages: 2, tailAt: undefined };

describe.each<[string, Status.StreamRecord, Partial<Status.StreamStatus>]>([
  [
    "everything well at the end of the stream",
    record([part("lease"), part("commit"), part("indexer", { name: "state", seq: 10n })]),
    { state: "caughtUp", isLive: true, isReady: true, isCaughtUp: true, lagSeconds: 0 },
  ],
  [
    "a commit in flight for 3 s",
    record([part("commit", { inFlightSince: NOW - 3000 })], {
      ...pending,
      durableAt: NOW - 3500,
    }),
    { state: "following", isLive: true, isReady: true, isCaughtUp: false, lagSeconds: 3.5 },
  ],
  [
    "a commit in flight for 100 s",
    record([part("commit", { inFlightSince: NOW - 100_000 })], {
      ...pending,
      durableAt: NOW - 100_000,
    }),
    {
      ...{ state: "stuck", isLive: false, isReady: false, isCaughtUp: false, lagSeconds: 100 },
      reason: "commit stuck: no answer for 100 s",
    },
  ],
  [
    "a commit that fails and is tried again",
    record([part("commit", { failures: 4, lastError: error(down) })], pending),
    {
      ...{ state: "retrying", isLive: true, isReady: false, isCaughtUp: false, lagSeconds: 2 },
      reason: `commit retrying: ${down} (4 failures)`,
    },
  ],
  [
    "a commit that has recovered under another lease: nothing has to be cleared",
    record([part("commit", { lastError: error(down) })]),
    { state: "caughtUp", isLive: true, isReady: true, isCaughtUp: true },
  ],
  [
    "a lease whose store hangs: degraded, and never standby",
    record([part("lease", { failures: 2, lastError: error(down) })], { holder: undefined }),
    { state: "retrying", isLive: true, isReady: false, lagSeconds: 2 },
  ],
  [
    "an answer `another` that is younger than the lease's life",
    record([part("lease")], { holder: another, durableAt: undefined, tailAt: undefined }),
    {
      ...{ state: "standby", isLive: true, isReady: true, isCaughtUp: false },
      reason: "another process follows this stream",
    },
  ],
  [
    "an answer `another` that is older",
    record([part("lease", { inFlightSince: NOW - 9000 })], {
      holder: { ...another, heardAt: NOW - 11_000 },
    }),
    { state: "waiting", isLive: true, isReady: false },
  ],
  [
    "a fiber that ended without a word",
    record([part("follower", { ended: { at: NOW, isClean: false } })]),
    {
      ...{ state: "halted", isLive: false, isReady: false, isCaughtUp: false },
      reason: "follower halted: it ended without a word",
    },
  ],
  [
    "a program that was told to stop",
    record([part("follower", { ended: { at: NOW, isClean: true } })]),
    { state: "stopped", isLive: true, isReady: false },
  ],
  [
    "an indexer that hangs: pages still arrive, and nothing is caught up",
    record([part("commit"), part("indexer", { name: "state", seq: 10n, heardAt: NOW - 20_000 })]),
    {
      ...{ state: "stuck", isLive: true, isReady: true, isCaughtUp: false, lagSeconds: 0 },
      reason: "indexer state stuck: no answer for 20 s",
    },
  ],
  [
    "a store that fails its indexer too: the reason is what stops the pages",
    record([
      part("indexer", { name: "state", failures: 9, lastError: error(down) }),
      part("indexer", { name: "prices", heardAt: NOW - 60_000 }),
      part("lease", { failures: 2, lastError: error(down) }),
    ]),
    { state: "retrying", isReady: false, reason: `lease retrying: ${down} (2 failures)` },
  ],
  [
    "an indexer that is behind",
    record([part("indexer", { name: "state", seq: 9n })]),
    { state: "caughtUp", isReady: true, isCaughtUp: false, lagSeconds: 0 },
  ],
  [
    "a standby whose indexer reads what another process writes",
    record([part("indexer", { name: "state", seq: 46n })], { holder: another, headSeq: 0n }),
    { state: "standby", isReady: true, isCaughtUp: false, headSeq: 46n },
  ],
  [
    "an indexer that halted",
    record([
      part("indexer", {
        name: "state",
        ended: { at: NOW, isClean: false },
        lastError: error("bad"),
      }),
    ]),
    { state: "halted", isLive: false, reason: "indexer state halted: bad" },
  ],
  [
    "a service that refuses: the store is well, and the lag grows",
    record([part("source", { failures: 1, lastError: error("HTTP 503") }), part("commit")]),
    {
      ...{ state: "retrying", isLive: true, isReady: true, isCaughtUp: false, lagSeconds: 2 },
      reason: "source retrying: HTTP 503 (1 failure)",
    },
  ],
  [
    "a store that has not answered yet",
    record([part("store", { lastSuccessAt: undefined, inFlightSince: NOW - 100 })], {
      ...{ holder: undefined, durableAt: undefined, tailAt: undefined, startedAt: NOW - 4000 },
    }),
    {
      ...{ state: "waiting", isLive: true, isReady: false, lagSeconds: 4 },
      reason: "store waiting for its first answer",
    },
  ],
  [
    "a holder that was frozen, and whose lease nobody has taken yet",
    record([part("commit")], { holder: { ...us, heardAt: NOW - 11_000 } }),
    {
      ...{ state: "waiting", isLive: true, isReady: false },
      reason: "the lease was not renewed in time",
    },
  ],
])("%s", (_, facts, expected) => {
  it("is told by the records", () => {
    const status = Status.deriveStream(facts, NOW);
    expect(status).toMatchObject(expected);
    expect("lagSeconds" in status).toBe(expected.state !== "standby");
  });

  it("is neither ready nor caught up an hour later, when nobody has been heard since", () => {
    const later = Status.deriveStream(facts, NOW + 3_600_000);
    expect([later.isReady, later.isCaughtUp]).toEqual([false, false]);
  });
});

it("lets lag grow between two looks without an event", () => {
  const facts = record([part("commit", { inFlightSince: NOW })], pending);
  const lags = [0, 5000, 60_000].map((more) => Status.deriveStream(facts, NOW + more).lagSeconds);
  expect(lags).toEqual([2, 7, 62]);
});

it("reports a process: live and ready with all of its streams, never ready without one", () => {
  const well = record([part("commit")]);
  const bad = record([part("commit", { failures: 1, lastError: error(down) })]);
  const report = Status.derive([well, { ...bad, stream: "stashes/console_a" }], NOW);
  expect(report).toMatchObject({ live: true, ready: false, caughtUp: false });
  expect(report.reason).toBe(`stashes/console_a: commit retrying: ${down} (1 failure)`);
  expect(Status.derive([], NOW)).toMatchObject({ live: true, ready: false, caughtUp: false });
  expect(JSON.parse(Status.toJson(report))).toMatchObject({
    streams: [{ headSeq: 10, parts: [{ state: "ok" }, { state: "ok" }] }, {}],
  });
});

it("counts a stream as held by who holds its lease alone, also where the store is away", () => {
  const failing = [part("lease", { failures: 2, lastError: error(down) })];
  const heldOf = (holder: Status.Holder | undefined, parts = failing) =>
    /follower_held\{.*\} (\d)/u.exec(metricsText([record(parts, { holder })], NOW))?.[1];
  const lapsed = { ...us, heardAt: NOW - 11_000 };
  expect([us, another, lapsed, undefined].map((one) => heldOf(one))).toEqual(["1", "0", "0", "0"]);
  for (const isClean of [true, false])
    expect(heldOf(us, [part("follower", { ended: { at: NOW, isClean } })])).toBe("0");
});

it("computes the gauges when they are asked for, with labels that Prometheus can read", () => {
  const lastError = { ...error("x"), tag: 'a"b\\c\nd', status: 503 };
  const failing = { failures: 2, lastError, nextAttemptAt: NOW + 5000 };
  const indexer = { name: "state", seq: 4n, inFlightSince: NOW - 16_000 };
  const ended = { at: NOW, isClean: false };
  const facts = record(
    [part("source", { ended }), part("commit", failing), part("indexer", indexer)],
    { quarantined: 3 },
  );
  const lines = metricsText([facts], NOW).split("\n");
  const of = 'source="stashes",realm="pc"';
  const samples = [
    ...[`lag_seconds{${of}} 2`, `caught_up{${of}} 0`, `live{${of}} 0`, `ready{${of}} 0`],
    ...[`held{${of}} 0`, `pending_pages{${of}} 0`, `quarantined_records{${of}} 3`],
    ...["stuck 0 0 1", "halted 1 0 0", "failures 0 2 0"].flatMap((row) => {
      const [name, ...values] = row.split(" ");
      return ["source", "commit", "indexer"].map((kind, index) => {
        const labels = `${of},part="${kind}",name="${kind === "indexer" ? "state" : kind}"`;
        return `part_${name}{${labels}} ${values[index]}`;
      });
    }),
    `indexer_behind{${of},indexer="state"} 6`,
    `last_error_seconds{${of},part="commit",name="commit",tag="a\\"b\\\\c\\nd",kind="unavailable",status="503"} ${NOW / 1000}`,
    `next_attempt_seconds{${of},part="commit",name="commit"} ${NOW / 1000 + 5}`,
    "",
  ];
  const isSample = (line: string) => !line.startsWith("#");
  expect(lines.filter((line) => isSample(line))).toEqual(
    samples.map((sample) => (sample === "" ? "" : `game_data_follower_${sample}`)),
  );
  const heads = lines.filter((line) => !isSample(line)).map((line) => line.split(" "));
  expect(heads).toHaveLength(26);
  for (const [index, [, kind, name, ...rest]] of heads.entries()) {
    expect([kind, name]).toEqual([
      index % 2 === 0 ? "HELP" : "TYPE",
      heads[index - (index % 2)]![2],
    ]);
    if (kind === "TYPE") expect(rest).toEqual(["gauge"]);
  }
});

describe("track", () => {
  const virtually = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.runPromise(
      effect.pipe(Effect.provideService(Parts.Parts, new Map()), Effect.provide(TestClock.layer())),
    );
  const stateOf = (cell: Parts.Cell, at: number) => Status.partState(cell.now, at);

  it("records an attempt that hangs: retrying never, stuck after its limit", () =>
    virtually(
      Effect.gen(function* () {
        const cell = yield* Parts.part(KEY, "commit");
        const fiber = yield* Effect.forkChild(Parts.track(cell, Effect.never));
        yield* TestClock.adjust("1 second");
        const states = [15_000, 15_001].map((at) => stateOf(cell, at));
        expect(states).toEqual(["waiting", "stuck"]);
        yield* Fiber.interrupt(fiber);
        expect([cell.now.inFlightSince, cell.now.failures]).toEqual([undefined, 0]);
      }),
    ));

  it("counts attempts, and failures until the next success; a defect is one, and passes", () =>
    virtually(
      Effect.gen(function* () {
        const cell = yield* Parts.part(KEY, "commit");
        const failing = Parts.track(cell, Effect.die(new TypeError("no\n  x")));
        for (const _ of [1, 2]) expect(Exit.isFailure(yield* Effect.exit(failing))).toBe(true);
        expect(cell.now).toMatchObject({ attempts: 2, failures: 2 });
        yield* Parts.track(cell, Effect.void);
        // The last error is kept, for people.
        const lastError = { tag: "Defect", message: "no x" };
        expect(cell.now).toMatchObject({ attempts: 3, failures: 0, lastError });
        expect(stateOf(cell, 0)).toBe("ok");
      }),
    ));
});

it("tells the server's own words where a driver says only that it failed", () => {
  const server = new Error('database "nodb" does not exist');
  const driver = Object.assign(new Error("Failed to connect"), { reason: { cause: server } });
  const { message } = new SinkError({ operation: "connect", kind: "internal", cause: driver });
  expect(message).toContain('Failed to connect: database "nodb" does not exist');
});
