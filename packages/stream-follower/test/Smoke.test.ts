import { Effect } from "effect";
import { expect, it } from "@effect/vitest";
import { Follower, Lease, PageSource, SinkMemory, SinkSqlite, Sink } from "../src/index.ts";
import { answerHistory, startFaultServer } from "./support/FaultServer.ts";
import { fold, makeHistory } from "./support/History.ts";
import { httpSource } from "./support/HttpSource.ts";

it.live("follows to the end", () =>
  Effect.gen(function* () {
    const pages = makeHistory({ pages: 12 });
    const server = yield* Effect.promise(() => startFaultServer({ answer: answerHistory(pages) }));
    const memory = SinkMemory.empty();
    const summary = yield* Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
      Effect.provide(SinkMemory.layer(memory)),
      Effect.provide(Lease.none),
      Effect.provideService(PageSource.PageSource, httpSource(server.url)),
    );
    console.log(summary, memory.pages.length);
    const expected = fold(pages);
    for (const [id, doc] of expected) {
      const s = memory.stashes.get(id);
      expect(s?.change === undefined ? null : JSON.stringify(s.change.value)).toBe(doc);
    }
    const status = yield* Effect.gen(function* () {
      yield* Follower.run({ source: "stashes", until: "caughtUp" });
      return yield* (yield* Sink.Store).status;
    }).pipe(
      Effect.provide(SinkSqlite.layer({ path: ":memory:" })),
      Effect.provide(Lease.none),
      Effect.provideService(PageSource.PageSource, httpSource(server.url)),
    );
    console.log(status);
    yield* Effect.promise(() => server.close());
  }),
);
