/** Each alert rule fires in the case that it is for, by the metrics of a real follower. */
import { Effect, Fiber, Layer } from "effect";
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http";
import { expect, it } from "vitest";
import * as Health from "../src/Health.ts";
import { Follower, Lease, Metrics, type Sink, SinkError, Status } from "../src/index.ts";
import { firing, rules } from "./support/alerts.ts";
import { type Answer, answerHistory, type Seen } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { KEY, over, valueOf } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";
import * as SinkMemory from "./support/SinkMemory.ts";

const pages = makeHistory({ pages: 20, stashesPerPage: 1, itemsPerStash: 1 });
const served = answerHistory(pages);

interface Scene {
  /** Result of each commit. */
  readonly commit?: Effect.Effect<void, SinkError>;
  readonly lease?: Lease.LeaseService;
  readonly answer?: (seen: Seen) => Answer;
  readonly options?: Partial<Follower.StashRun>;
  /** What other parts of the process record. */
  readonly beside?: Effect.Effect<unknown>;
  /** The process follows nothing. */
  readonly isIdle?: boolean;
}

const scrape = Effect.gen(function* () {
  const respond = yield* HttpRouter.toHttpEffect(Health.routes);
  const request = HttpServerRequest.fromWeb(new Request("http://follower.invalid/metrics"));
  const response = yield* Effect.provideService(
    respond,
    HttpServerRequest.HttpServerRequest,
    request,
  );
  return yield* Effect.promise(() => HttpServerResponse.toWeb(response).text());
}).pipe(Effect.scoped, Effect.orDie);

const leaseWith = (epoch: number | undefined) =>
  Lease.fromStore({
    take: () => Effect.succeed(epoch),
    renew: () => Effect.succeed(true),
    release: () => Effect.void,
  });

/** The alerts whose condition holds after three minutes of a scene. */
const alertsAfter = ({ answer = served, beside, commit, isIdle, lease, options }: Scene) => {
  const inner = SinkMemory.make(SinkMemory.empty());
  const sink: Sink.SinkService = { ...inner, ...(commit && { commit: () => commit }) };
  const leases = Layer.succeed(Lease.Lease, lease ?? leaseWith(1));
  const program = Follower.run({ source: "stashes", ...options }).pipe(
    Effect.provide(over(scripted({ answer }).source, sink, leases)),
  );
  return valueOf(
    Effect.gen(function* () {
      const before = yield* scrape;
      const fiber = yield* Effect.forkChild(Effect.exit(isIdle === true ? Effect.never : program));
      yield* Effect.forkChild(beside ?? Effect.void);
      yield* Effect.sleep("3 minutes");
      const now = yield* scrape;
      yield* Fiber.interrupt(fiber);
      return firing(before, now);
    }),
  );
};

const failing = (reason: SinkError["reason"]) =>
  Effect.fail(new SinkError({ operation: "commit", reason }));
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

const scenes: ReadonlyArray<[alert: string, scene: Scene, others: ReadonlyArray<string>]> = [
  ["FollowerAbsent", { isIdle: true }, []],
  [
    "FollowerNotLive",
    { commit: failing("corrupt") },
    ["FollowerNotReady", "FollowerNobodyHolds", "FollowerLag"],
  ],
  ["FollowerPartStuck", { beside: Status.track(KEY, "indexer state")(Effect.never) }, []],
  ["FollowerPartFailing", { commit: failing("unavailable") }, ["FollowerNotReady", "FollowerLag"]],
  ["FollowerNobodyHolds", { lease: leaseWith(undefined) }, []],
  ["FollowerIndexerBehind", { beside: Status.notePart(KEY, "indexer state", { seq: -90n }) }, []],
  ["FollowerQuarantined", { answer: badRow }, []],
  ["FollowerHistoryGap", { answer: refused, options: { onIdRejected: "restartFromStart" } }, []],
  ["FollowerProtocolViolation", { answer: circle }, []],
  ["FollowerConsumerLag", { beside: Metrics.recordChangesLag(KEY, 400) }, []],
];

it("the alert rules fire for no healthy follower", async () => {
  expect(await alertsAfter({})).toEqual([]);
});

it.each(scenes)("the alert %s fires 3 minutes after its fault", async (alert, scene, others) => {
  expect(await alertsAfter(scene)).toEqual(expect.arrayContaining([alert, ...others]));
});

it("each alert rule has a test case, a summary and an action", () => {
  const tried = new Set(scenes.flatMap(([alert, , others]) => [alert, ...others]));
  expect(rules.map(({ alert }) => alert).filter((alert) => !tried.has(alert))).toEqual([]);
  for (const { annotations, labels } of rules) {
    expect(annotations).toEqual({ summary: expect.any(String), action: expect.any(String) });
    expect(["critical", "warning"]).toContain(labels["severity"]);
  }
});
