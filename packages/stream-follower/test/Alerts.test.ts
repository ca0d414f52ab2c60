/** Each alert rule fires for what it is there for, by the metrics of a real follower. */
import { Effect, Fiber, Metric } from "effect";
import { describe, expect, it } from "vitest";
import { HealthServer } from "../src/http/index.ts";
import { Follower, Lease, Metrics, PageSource, Parts, SinkError } from "../src/index.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import { Sink, type SinkService } from "../src/Sink.ts";
import { firing, rules } from "./support/alerts.ts";
import { answerHistory, type Answer, type Seen } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { virtually } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

const KEY = { source: "stashes", realm: "pc" } as const;
const pages = makeHistory({ pages: 120, stashesPerPage: 1, itemsPerStash: 1 });
const served = answerHistory(pages);

interface Scene {
  readonly sink?: (inner: SinkService) => SinkService;
  readonly lease?: Lease.LeaseService;
  readonly answer?: (seen: Seen) => Answer;
  readonly options?: Partial<Follower.StashRun>;
  /** What other parts of the process record. */
  readonly beside?: Effect.Effect<unknown>;
  /** Nothing follows at all. */
  readonly isIdle?: boolean;
}

const scrape = Effect.map(HealthServer.handleRequest("/metrics"), ({ body }) => body);
const none = Lease.fromStore({
  take: () => Effect.succeed(1),
  renew: () => Effect.succeed(true),
  release: () => Effect.void,
});

/** The alerts whose condition holds after ten minutes of a scene. */
const alertsAfter = async (scene: Scene): Promise<ReadonlyArray<string>> => {
  const { source } = scripted({ answer: scene.answer ?? served });
  const inner = SinkMemory.make(SinkMemory.empty());
  const exit = await virtually(
    Effect.gen(function* () {
      const before = yield* scrape;
      const program = Follower.run({ source: "stashes", ...scene.options }).pipe(
        Effect.provideService(Sink, scene.sink?.(inner) ?? inner),
        Effect.provideService(Lease.Lease, scene.lease ?? none),
        Effect.provideService(PageSource.PageSource, source),
      );
      const fiber = yield* Effect.forkChild(
        Effect.exit(scene.isIdle === true ? Effect.never : program),
      );
      yield* scene.beside ?? Effect.void;
      yield* Effect.sleep("10 minutes");
      const now = yield* scrape;
      yield* Fiber.interrupt(fiber);
      return firing(before, now);
    }).pipe(
      Effect.provideService(Parts.Parts, new Map()),
      Effect.provideService(Metric.MetricRegistry, new Map()),
    ),
    { stepMillis: 1000 },
  );
  if (exit._tag === "Failure") throw new Error(String(exit.cause));
  return exit.value;
};

const committing =
  (commit: Effect.Effect<void, SinkError>) =>
  (inner: SinkService): SinkService => ({ ...inner, commit: () => commit });
const away = new SinkError({ operation: "commit", kind: "unavailable" });
const corrupt = new SinkError({ operation: "commit", kind: "corrupt" });
const heldElsewhere = Lease.fromStore({
  take: () => Effect.succeed(undefined),
  renew: () => Effect.succeed(false),
  release: () => Effect.void,
});
const badRow = (seen: Seen): Answer => {
  const { body, ...rest } = served(seen);
  return { ...rest, body: String(body).replace('"public":', '"public_":') };
};
const refused = (seen: Seen): Answer =>
  seen.id === pages[4]!.id ? { status: 400, body: "{}" } : served(seen);
const circle = (seen: Seen): Answer =>
  seen.id === pages[4]!.id
    ? { body: `{"next_change_id":"${pages[1]!.id}","stashes":[{}]}` }
    : served(seen);

/** An indexer's thread that was heard once. */
const silentThread = Effect.flatMap(Parts.part(KEY, "indexer", { name: "state" }), (cell) =>
  Parts.heard(cell, cell.now),
);

const scenes: ReadonlyArray<[alert: string, scene: Scene, others: ReadonlyArray<string>]> = [
  ["FollowerAbsent", { isIdle: true }, []],
  [
    "FollowerNotLive",
    { sink: committing(Effect.fail(corrupt)) },
    ["FollowerNotReady", "FollowerNobodyHolds", "FollowerLag"],
  ],
  ["FollowerPartStuck", { beside: silentThread }, []],
  [
    "FollowerPartFailing",
    { sink: committing(Effect.fail(away)) },
    ["FollowerNotReady", "FollowerLag"],
  ],
  ["FollowerNobodyHolds", { lease: heldElsewhere }, []],
  [
    "FollowerIndexerBehind",
    {
      beside: Effect.map(Parts.part(KEY, "indexer", { name: "state" }), (cell) =>
        Parts.moved(cell, 1n),
      ),
    },
    [],
  ],
  ["FollowerQuarantined", { answer: badRow }, []],
  ["FollowerHistoryGap", { answer: refused, options: { onIdRejected: "restartFromStart" } }, []],
  ["FollowerProtocolViolation", { answer: circle }, []],
  ["FollowerConsumerLag", { beside: Metrics.record(Metrics.changesLagSeconds, KEY, 400) }, []],
];

describe("the alert rules", () => {
  it("are silent about a follower that is well", async () => {
    expect(await alertsAfter({})).toEqual([]);
  });

  it.each(scenes)("fire %s", async (alert, scene, others) => {
    const fired = await alertsAfter(scene);
    expect(fired).toContain(alert);
    for (const other of others) expect(fired).toContain(other);
  });

  it("are each fired by a scene, and say what to do", () => {
    const tried = new Set(scenes.flatMap(([alert, , others]) => [alert, ...others]));
    expect(rules.map(({ alert }) => alert).filter((alert) => !tried.has(alert))).toEqual([]);
    for (const { annotations, labels } of rules) {
      expect(annotations).toEqual({ summary: expect.any(String), action: expect.any(String) });
      expect(["critical", "warning"]).toContain(labels["severity"]);
    }
  });
});
