/** Each alert rule fires for what it is there for, by the metrics of a real follower. */
import { Effect, Fiber, Layer } from "effect";
import { describe, expect, it } from "vitest";
import { HealthServer } from "../src/http/index.ts";
import { Follower, Lease, Metrics, Parts, SinkError } from "../src/index.ts";
import * as SinkMemory from "./support/SinkMemory.ts";
import type { SinkService } from "../src/Sink.ts";
import { firing, rules } from "./support/alerts.ts";
import { answerHistory, type Answer, type Seen } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { KEY, over, valueOf } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

const pages = makeHistory({ pages: 120, stashesPerPage: 1, itemsPerStash: 1 });
const served = answerHistory(pages);

interface Scene {
  /** What becomes of each commit. */
  readonly commit?: Effect.Effect<void, SinkError>;
  readonly lease?: Lease.LeaseService;
  readonly answer?: (seen: Seen) => Answer;
  readonly options?: Partial<Follower.StashRun>;
  /** What other parts of the process record. */
  readonly beside?: Effect.Effect<unknown>;
  /** Nothing follows at all. */
  readonly isIdle?: boolean;
}

const scrape = Effect.map(HealthServer.handleRequest("/metrics"), ({ body }) => body);
const leaseOf = (epoch: number | undefined) =>
  Lease.fromStore({
    take: () => Effect.succeed(epoch),
    renew: () => Effect.succeed(true),
    release: () => Effect.void,
  });

/** The alerts whose condition holds after ten minutes of a scene. */
const alertsAfter = ({ answer = served, beside, commit, isIdle, lease, options }: Scene) => {
  const inner = SinkMemory.make(SinkMemory.empty());
  const sink: SinkService = { ...inner, ...(commit && { commit: () => commit }) };
  const leases = Layer.succeed(Lease.Lease, lease ?? leaseOf(1));
  const program = Follower.run({ source: "stashes", ...options }).pipe(
    Effect.provide(over(scripted({ answer }).source, sink, leases)),
  );
  return valueOf(
    Effect.gen(function* () {
      const before = yield* scrape;
      const fiber = yield* Effect.forkChild(Effect.exit(isIdle === true ? Effect.never : program));
      yield* beside ?? Effect.void;
      yield* Effect.sleep("10 minutes");
      const now = yield* scrape;
      yield* Fiber.interrupt(fiber);
      return firing(before, now);
    }),
  );
};

const failing = (kind: SinkError["kind"]) =>
  Effect.fail(new SinkError({ operation: "commit", kind }));
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

const indexer = Parts.part(KEY, "indexer", { name: "state" });
/** An indexer's thread that was heard once. */
const silentThread = Effect.flatMap(indexer, (cell) => Parts.heard(cell, cell.now));
const behind = Effect.map(indexer, (cell) => Parts.moved(cell, 1n));

const scenes: ReadonlyArray<[alert: string, scene: Scene, others: ReadonlyArray<string>]> = [
  ["FollowerAbsent", { isIdle: true }, []],
  [
    "FollowerNotLive",
    { commit: failing("corrupt") },
    ["FollowerNotReady", "FollowerNobodyHolds", "FollowerLag"],
  ],
  ["FollowerPartStuck", { beside: silentThread }, []],
  ["FollowerPartFailing", { commit: failing("unavailable") }, ["FollowerNotReady", "FollowerLag"]],
  ["FollowerNobodyHolds", { lease: leaseOf(undefined) }, []],
  ["FollowerIndexerBehind", { beside: behind }, []],
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
    expect(await alertsAfter(scene)).toEqual(expect.arrayContaining([alert, ...others]));
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
