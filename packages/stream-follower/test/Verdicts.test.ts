/** A response that is no page is waited out or ends the run, and every cause is told. */
import { Effect, Fiber, Logger, Metric, References } from "effect";
import { expect, it } from "vitest";
import { Follower, Parts } from "../src/index.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { over, valueOf } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

const pages = makeHistory({ pages: 3 });

it("tells when a response that has to be waited out is asked for again: in health and as a gauge", async () => {
  const { source } = scripted({
    answer: answerHistory(pages),
    fault: ({ index }) =>
      index === 1
        ? { kind: "status", status: 429, headers: { "retry-after": "999999999999" } }
        : undefined,
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
