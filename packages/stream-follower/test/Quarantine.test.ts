/**
 * Quarantined records are replayed: listed, replayed with today's decoder, and never over newer
 * data.
 */
import { Effect, Layer } from "effect";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { Follower, Lease, PageSource, Parts, Quarantine } from "../src/index.ts";
import { SinkSqlite } from "../src/sqlite/index.ts";
import type { Sink, Store } from "../src/Sink.ts";
import { answerHistory, type Seen } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { virtually } from "./support/Run.ts";
import { derived, sqliteAt } from "./support/Stores.ts";
import { type Script, scripted } from "./support/ScriptedSource.ts";
import { newFolder } from "./support/hooks.ts";

const pages = makeHistory({ pages: 4, stashPool: 9 });

let path: string;
beforeEach(() => {
  path = join(newFolder(), "store.db");
});

const within = <A>(
  script: Script,
  options: Partial<Follower.StashRun>,
  after: Effect.Effect<A, unknown, Sink | Store>,
) =>
  virtually(
    Effect.gen(function* () {
      yield* Follower.run({ source: "stashes", until: "caughtUp", ...options });
      yield* derived(sqliteAt(path));
      return yield* after;
    }).pipe(
      Effect.provide(Layer.merge(SinkSqlite.layer({ path }), Lease.none)),
      Effect.provideService(PageSource.PageSource, scripted(script).source),
    ),
  );

describe("the quarantine", () => {
  it("keeps the bytes of a malformed page, and stays as it is while they stay malformed", async () => {
    const fault = (seen: Seen) =>
      seen.id === pages[1]!.id ? ({ kind: "malformed", keepHead: true } as const) : undefined;
    const exit = await within(
      { answer: answerHistory(pages), fault },
      {},
      Effect.gen(function* () {
        const [record] = yield* Quarantine.list;
        const report = yield* Quarantine.replay();
        return { record, report, left: yield* Quarantine.list };
      }),
    );
    expect(exit).toMatchObject({
      value: {
        record: { kind: "page", errorTag: "MalformedPage", seq: 2n, tries: 4 },
        report: { replayed: 0, remaining: 1, rows: 0 },
        left: [{ tries: 5 }],
      },
    });
  });

  it("is counted in the metrics of whoever follows, also what an indexer set aside before", async () => {
    const broken = `{"id":"${"e".repeat(64)}","public":true,"items":[{"w":tru}]}`;
    const answer = ({ id }: Seen) => ({
      body: `{"next_change_id":"a","stashes":[${id === undefined ? broken : ""}]}`,
    });
    const again = Follower.run({ source: "stashes", stopWhen: Effect.sleep("2 seconds") }).pipe(
      Effect.provideService(PageSource.PageSource, scripted({ answer }).source),
      Effect.andThen(Effect.all([Parts.report, Parts.metricsText])),
      Effect.provide(SinkSqlite.layer({ path })),
    );
    const standby = Layer.succeed(Lease.Lease, { hold: () => Effect.never });
    for (const lease of [Lease.none, standby]) {
      const fresh = Effect.provideService(Effect.provide(again, lease), Parts.Parts, new Map());
      const told = await within({ answer }, {}, fresh);
      const metric = expect.stringMatching(/follower_quarantined_records\{.*\} 1$/mu);
      expect(told).toMatchObject({ value: [{ streams: [{ headSeq: 1n }] }, metric] });
    }
    const tried = Effect.andThen(Quarantine.replay(), Quarantine.list);
    expect(await within({ answer }, {}, tried)).toMatchObject({ value: [{ tries: 2 }] });
  });
});
