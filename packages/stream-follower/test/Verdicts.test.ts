/** What a response means is told by its status and by who wrote its body; every cause is told. */
import { Effect, Fiber, Logger, Metric, References } from "effect";
import { describe, expect, it } from "vitest";
import { Follower, Parts } from "../src/index.ts";
import { answerHistory, type Fault, type Seen } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { follow, over, tagOf, valueOf, waitsOf } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

const pages = makeHistory({ pages: 3 });

const answer = (status: number, type: string | undefined, body: string, more = {}): Fault => {
  const headers = { ...(type === undefined ? {} : { "content-type": type }), ...more };
  return { kind: "replace", answer: { status, body, headers } };
};

const HTML = "<!doctype html><title>Attention required</title>";
const block = (status: number) =>
  answer(status, "text/html; charset=utf-8", HTML, { server: "wall" });
const errorObject = (status: number, message: string) =>
  answer(status, "application/json", JSON.stringify({ error: { code: 6, message } }));

/** Follows; the second request meets the fault, and all after it if `always`. */
const meeting = (fault: Fault, always: boolean, limitMillis?: number) =>
  follow(
    {
      answer: answerHistory(pages),
      fault: ({ index }: Seen) => (index === 1 || (always && index > 1) ? fault : undefined),
    },
    { prefetch: "none" },
    limitMillis === undefined ? {} : { limitMillis },
  );

it("waits as long as `Retry-After` asks, also for a fraction of a second", async () => {
  const fault = answer(503, "application/json", "{}", { "retry-after": "40.5" });
  expect(waitsOf((await meeting(fault, false)).seen)[1]).toBe(40_500);
});

describe("a response of something in front of the service", () => {
  it.each([200, 400, 401, 403, 404, 410])(
    "is waited out for a minute, whatever its status: %i",
    async (status) => {
      const { exit, memory, seen } = await meeting(block(status), false);
      expect(tagOf(exit)).toBe(undefined);
      expect(memory.pages).toHaveLength(3);
      expect(waitsOf(seen)[1]).toBe(60_000);
    },
  );

  it("is asked less and less, up to a quarter of an hour, and never ends the run", async () => {
    const { exit, seen } = await meeting(block(403), true, 6 * 3_600_000);
    expect(tagOf(exit)).toContain("interruption");
    const minutes = waitsOf(seen.slice(1)).map((wait) => wait / 60_000);
    expect(minutes.slice(0, 7)).toEqual([1, 2, 4, 8, 15, 15, 15]);
  });
});

describe("a response of the service itself", () => {
  it.each([
    ["403 with the error object", errorObject(403, "no"), "PageRefused"],
    ["403 with an empty body", answer(403, undefined, ""), "PageRefused"],
    ["403 with an empty body of a type", answer(403, "text/html", ""), "PageRefused"],
    ["401 with the error object", errorObject(401, "no"), "PageRefused"],
    ["404 with the error object", errorObject(404, "no"), "ChangeIdRejected"],
    ["400 with an empty body", answer(400, undefined, ""), "ChangeIdRejected"],
  ])("ends the run where it refuses: %s", async (_, fault, tag) => {
    expect(tagOf((await meeting(fault, true)).exit)).toBe(tag);
  });

  it("is quoted, cut and without control characters, where it refuses an id", async () => {
    const message = `Invalid\u001b[31m id\u202e\n${"x".repeat(400)}`;
    const { exit } = await meeting(errorObject(400, message), true);
    const text = String(
      exit._tag === "Failure" &&
        exit.cause.reasons.map((one) => "error" in one && String(one.error)),
    );
    expect(text).toContain('(HTTP 400): "Invalid [31m id ');
    expect(text.length).toBeLessThan(400);
    expect(/[\p{Cc}\p{Cf}]/u.test(text)).toBe(false);
  });
});

it("tells when a response that has to be waited out is asked for again: in health and as a gauge", async () => {
  const { source } = scripted({
    answer: answerHistory(pages),
    fault: ({ index }) =>
      index === 1 ? answer(429, undefined, "", { "retry-after": "999999999999" }) : undefined,
  });
  const [{ reason, streams }, gauges] = await valueOf(
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Follower.run({ source: "stashes", prefetch: "none" }));
      yield* Effect.sleep("1 seconds");
      const early = [yield* Parts.report, yield* Parts.metricsText] as const;
      yield* Fiber.interrupt(fiber);
      return early;
    }).pipe(Effect.provide(over(source))),
  );
  // What Retry-After asks for beyond a day is not waited for.
  expect(reason).toMatch(/\(1 failure, next attempt in 86\d{3} s\)$/u);
  const at = streams[0]!.parts.find(({ kind }) => kind === "source")!.nextAttemptAt!;
  expect(gauges).toContain(
    `game_data_follower_next_attempt_seconds{source="stashes",realm="pc",part="source",name="source"} ${at / 1000}`,
  );
});

it("tells each cause once in the log, and counts each failure with kind and status", async () => {
  const lines: Array<string> = [];
  const logger = Logger.make(({ message }) => void lines.push(String(message)));
  const { source } = scripted({
    answer: answerHistory(pages),
    fault: ({ index }) =>
      index < 6 ? { kind: "status", status: index < 4 ? 503 : 502 } : undefined,
  });
  const { early, counted, late } = await valueOf(
    Effect.gen(function* () {
      const program = Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
        Effect.provideService(References.MinimumLogLevel, "Info"),
        Effect.provide(Logger.layer([logger])),
      );
      const fiber = yield* Effect.forkChild(program);
      yield* Effect.sleep("1 millis");
      const first = yield* Parts.report;
      yield* Fiber.join(fiber);
      return { early: first, counted: yield* Metric.snapshot, late: yield* Parts.report };
    }).pipe(Effect.provide(over(source))),
  );
  expect(lines).toEqual([
    "stashes/pc: source: The service responded with HTTP 503.",
    "stashes/pc: source: The service responded with HTTP 502.",
    "stashes/pc: source works again; failed attempts before: 6",
  ]);
  expect(early).toMatchObject({
    live: true,
    ready: true,
    reason: "stashes/pc: source retrying: The service responded with HTTP 503. (1 failure)",
  });
  const retries = counted.filter(({ id }) => id === "game_data_follower_retries");
  expect(
    retries.map(({ attributes, state }) => [attributes, (state as { count: number }).count]),
  ).toEqual([
    [expect.objectContaining({ error: "PageUnavailable", kind: "server", status: "503" }), 4],
    [expect.objectContaining({ error: "PageUnavailable", kind: "server", status: "502" }), 2],
  ]);
  expect(late.streams[0]!.parts.find(({ kind }) => kind === "source")?.lastError).toMatchObject({
    tag: "PageUnavailable",
    kind: "server",
    status: 502,
  });
});
