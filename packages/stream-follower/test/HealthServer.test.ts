/** Health and metrics over HTTP, and the alerts and the dashboard that read them. */
import { Effect, Metric, References, Schedule, type Scope } from "effect";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as Health from "../src/Health.ts";
import {
  Follower,
  type Lease,
  Metrics,
  type PageSource,
  ProtocolViolation,
  type Sink,
  Status,
} from "../src/index.ts";
import { answerHistory } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { KEY, over } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

const { source } = scripted({ answer: answerHistory(makeHistory({ pages: 7 })) });

type Services = Scope.Scope | PageSource.PageSource | Sink.Sink | Lease.Lease;

/** Runs a program with a server of its own, whose status and metrics no other test writes. */
const serving = (
  program: (
    get: (path: string) => Effect.Effect<{ readonly status: number; readonly text: string }>,
  ) => Effect.Effect<void, unknown, Services>,
) =>
  Effect.runPromise(
    Effect.flatMap(Health.serve(), (url) =>
      program((path) =>
        Effect.promise(async () => {
          const response = await fetch(url + path);
          return { status: response.status, text: await response.text() };
        }),
      ),
    ).pipe(
      Effect.scoped,
      Effect.provide(over(source)),
      Effect.provideService(Status.Streams, new Map()),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
  );

it("Health.serve serves metrics with source and realm, and health that follows the stream", () =>
  serving(
    Effect.fnUntraced(function* (get) {
      expect((yield* get("/health/ready")).status).toBe(503);
      yield* Effect.forkScoped(Follower.run({ source: "stashes" }));
      yield* get("/health/caught-up").pipe(
        Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced(50) }),
      );
      const health = yield* get("/health");
      expect(JSON.parse(health.text)).toMatchObject({
        ...{ live: true, ready: true, caughtUp: true },
        streams: [{ stream: "stashes/pc", isCaughtUp: true, state: "caughtUp", headSeq: 7 }],
      });
      const metrics = yield* get("/metrics?name=gamedata");
      expect(metrics.text).toMatch(/^game_data_follower_pages\{.*realm="pc".*\} 7$/mu);
      expect(metrics.text).toMatch(/^game_data_follower_caught_up\{.*source="stashes".*\} 1$/mu);
      expect((yield* get("/health/live?probe=1")).status).toBe(200);
      for (const unknown of ["/secrets", "/metricsx"])
        expect((yield* get(unknown)).status).toBe(404);
    }),
  ));

const deployed = (name: string) =>
  readFileSync(join(import.meta.dirname, "../deploy", name), "utf8");
const namesIn = (text: string) => new Set(text.match(/(?<=\bgame_data_follower_)\w+/gu));

it("Health.serve serves exactly the dashboard's metrics, which include all metrics of the alerts", () =>
  serving(
    Effect.fnUntraced(function* (get) {
      // Each counter, and the gauges of a stream and of a reader that fails.
      for (const name of Object.keys(Metrics.COUNTERS) as Array<keyof typeof Metrics.COUNTERS>)
        yield* Metrics.count(name, KEY, 1);
      yield* Status.note(KEY, { headSeq: 3n, holder: { who: "us", until: Infinity } });
      const failure = new ProtocolViolation({ reason: "cycle", id: "a", nextId: "b" });
      yield* Effect.exit(Status.track(KEY, "commit")(Effect.fail(failure)));
      yield* Status.notePart(KEY, "indexer state", { seq: -5n });
      yield* Metrics.recordChangesLag(KEY, 1);
      const { text } = yield* get("/metrics");
      const served = new Set(text.match(/(?<=^# TYPE game_data_follower_)\w+/gmu));
      expect(namesIn(deployed("dashboard.json"))).toEqual(served);
      expect(namesIn(deployed("alerts.yaml")).difference(served)).toEqual(new Set());
      expect(text).toMatch(/^game_data_follower_retries\{.*error="ProtocolViolation".*\} 1$/mu);
      const value = (name: string, part = "") =>
        Number(
          new RegExp(`^game_data_follower_${name}\\{.*${part}.*\\} (\\S+)$`, "mu").exec(text)?.[1],
        );
      const gauges = ["live", "ready", "held", "caught_up", "head_seq", "indexer_behind"];
      expect(gauges.map((name) => value(name))).toEqual([1, 0, 1, 0, 3, 8]);
      expect(value("lag_seconds")).toBeGreaterThan(0);
      expect(value("part_failures", 'part="commit"')).toBe(1);
      expect(value("part_stuck", 'part="commit"')).toBe(0);
    }),
  ));
