/** Metrics and health, as Prometheus and a supervisor see them. */
import { Effect, Metric, Schedule } from "effect";
import { expect, it } from "vitest";
import { Follower, Status } from "../src/index.ts";
import * as Health from "../src/Health.ts";
import { answerHistory, startFaultServer } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { httpSource } from "./support/HttpSource.ts";
import { over } from "./support/Run.ts";

const pages = makeHistory({ pages: 7 });

it("serves metrics with source and realm, and health that follows the stream", async () => {
  const server = await startFaultServer({ answer: answerHistory(pages) });
  const board = new Map<string, Status.StreamRecord>();
  const program = Effect.gen(function* () {
    const url = yield* Health.serve();
    const get = (path: string) =>
      Effect.promise(async () => {
        const response = await fetch(url + path);
        return { status: response.status, text: await response.text() };
      });
    const before = yield* get("/health/ready");
    const running = yield* Effect.forkChild(
      Follower.run({ source: "stashes", pollInterval: { min: 50, max: 50 } }),
    );
    const caughtUp = yield* get("/health/caught-up").pipe(
      Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced(50) }),
    );
    const during = yield* get("/health");
    const metrics = yield* get("/metrics");
    const unknown = yield* get("/secrets");
    expect((yield* get("/metrics?name=gamedata")).text).toContain("game_data_follower_pages");
    expect((yield* get("/health/live?probe=1")).status).toBe(200);
    expect((yield* get("/metricsx")).status).toBe(404);
    void running;
    return { before, during, caughtUp, metrics, unknown };
  });
  const seen = await Effect.runPromise(
    Effect.scoped(program).pipe(
      Effect.provide(over(httpSource(server.url))),
      Effect.provideService(Status.Streams, board),
      Effect.provideService(Metric.MetricRegistry, new Map()),
    ),
  );
  await server.close();
  expect(seen.before.status).toBe(503);
  expect(seen.during.status).toBe(200);
  expect(JSON.parse(seen.during.text)).toMatchObject({
    live: true,
    ready: true,
    caughtUp: true,
    streams: [{ stream: "stashes/pc", isCaughtUp: true, state: "caughtUp", headSeq: 7 }],
  });
  expect(seen.caughtUp.status).toBe(200);
  expect(seen.unknown.status).toBe(404);
  const line = (name: string, more = "") =>
    seen.metrics.text
      .split("\n")
      .find((text) => text.startsWith(`game_data_follower_${name}{`) && text.includes(more));
  expect(line("pages", 'realm="pc"')).toMatch(/ 7$/);
  expect(line("caught_up")).toMatch(/ 1$/);
});
