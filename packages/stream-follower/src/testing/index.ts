/**
 * The laws of a sink, as tests for a store of your own, and the pages to test it with. Any test
 * runner will do: a law is a name and a function that rejects.
 *
 * The laws ask what a follower relies on: position, fence, order, and rows that come back as they
 * went in. They cannot pull the plug: that a commit is written whole or not at all when a process
 * dies in the middle of it is for a test that kills one.
 *
 * ```ts
 * import { Effect } from "effect";
 * import { SinkSqlite } from "@game-data/stream-follower/sqlite";
 * import { batchOf, commitOf, makePage } from "@game-data/stream-follower/testing";
 *
 * const batch = batchOf(commitOf(makePage({ seq: 1n, rows: [{ id: "a", public: false }] })));
 * const program = Effect.gen(function* () {
 *   const sink = yield* SinkSqlite.make({ path: ":memory:" });
 *   yield* sink.claim(batch.key, 1);
 *   yield* sink.commit(batch, 1);
 *   return yield* sink.positions;
 * });
 * const [stands] = await Effect.runPromise(Effect.scoped(program));
 * if (stands?.seq !== 1n) throw new Error("one page");
 * ```
 *
 * `examples/folder-sink.ts` is a store in a folder that keeps them, and `folder-sink-laws.ts` runs them.
 */
export { batchOf, commitOf } from "../Decode.ts";
export { makePage, type PageOptions } from "./pages.ts";
export { type SinkLaw, sinkLaws, type SinkUnderTest } from "./sinkLaws.ts";
