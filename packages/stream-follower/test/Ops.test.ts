/** Metrics and health, as Prometheus and a supervisor see them. */
import { Effect } from "effect";
import { expect, it } from "vitest";
import { Follower, Health, Lease, Ops, PageSource, SinkMemory } from "../src/index.ts";
import { Sink } from "../src/Sink.ts";
import { answerHistory, startFaultServer } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { httpSource } from "./support/HttpSource.ts";

const pages = makeHistory({ pages: 7 });

it("serves metrics with source and realm, and health that follows the stream", async () => {
  const server = await startFaultServer({
    answer: answerHistory(pages),
    fault: (seen) => (seen.index === 2 ? { kind: "status", status: 503 } : undefined),
  });
  const board = new Map<string, Health.StreamHealth>();
  const program = Effect.gen(function* () {
    const url = yield* Ops.serve();
    const get = (path: string) =>
      Effect.promise(async () => {
        const response = await fetch(url + path);
        return { status: response.status, text: await response.text() };
      });
    const before = yield* get("/health/ready");
    const running = yield* Effect.forkChild(
      Follower.run({ source: "stashes", idle: { first: 50, cap: 50 } }),
    );
    yield* Effect.sleep("1500 millis");
    const during = yield* get("/health");
    const caughtUp = yield* get("/health/caught-up");
    const metrics = yield* get("/metrics");
    const unknown = yield* get("/secrets");
    void running;
    return { before, during, caughtUp, metrics, unknown };
  });
  const seen = await Effect.runPromise(
    Effect.scoped(program).pipe(
      Effect.provideService(Sink, SinkMemory.make(SinkMemory.empty())),
      Effect.provide(Lease.none),
      Effect.provideService(PageSource.PageSource, httpSource(server.url)),
      Effect.provideService(Health.HealthBoard, board),
    ),
  );
  await server.close();
  expect(seen.before.status).toBe(503);
  expect(seen.during.status).toBe(200);
  expect(JSON.parse(seen.during.text)).toMatchObject({
    live: true,
    ready: true,
    caughtUp: true,
    streams: [{ stream: "stashes/pc", caughtUp: true, degraded: false }],
  });
  expect(seen.caughtUp.status).toBe(200);
  expect(seen.unknown.status).toBe(404);
  const line = (name: string, more = "") =>
    seen.metrics.text
      .split("\n")
      .find((text) => text.startsWith(`gamedata_follower_${name}{`) && text.includes(more));
  expect(line("pages", 'realm="pc"')).toMatch(/ 7$/);
  expect(line("rows")).toMatch(/ 35$/);
  expect(line("retries", 'error="ServerError"')).toMatch(/ 1$/);
  expect(line("caught_up")).toMatch(/ 1$/);
  expect(line("lag_seconds")).toMatch(/ 0$/);
  for (const name of ["bytes", "wire_bytes", "window_bytes", "window_pages", "lease_epoch"]) {
    expect([name, line(name)]).not.toEqual([name, undefined]);
  }
  for (const stage of ["fetch", "inflate", "parse", "check", "commit"]) {
    expect(seen.metrics.text).toContain(`stage="${stage}"`);
  }
});
