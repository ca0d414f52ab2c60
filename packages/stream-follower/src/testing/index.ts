/**
 * The laws of a sink, as tests for a store of your own, and the pages to test it with. A law is a name
 * and a function that rejects, so any test runner will do.
 *
 * The laws check position, fence, order, and rows that come back unchanged. They cannot stop a process
 * in the middle of a commit: test that with a process that you kill.
 *
 * ```ts
 * import { Effect } from "effect";
 * import { Sink } from "@game-data/stream-follower/Sink";
 * import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
 * import { makePage } from "@game-data/stream-follower/testing";
 *
 * const page = makePage({ seq: 1n, rows: [{ id: "a", public: false }] });
 * const program = Effect.gen(function* () {
 *   const sink = yield* Sink;
 *   yield* sink.claim(page.page.key, 1);
 *   yield* sink.commit(page, 1);
 *   return yield* sink.claim(page.page.key, 1);
 * });
 * const store = StoreUrl.layer({ kind: "sqlite", path: ":memory:" });
 * const checkpoint = await Effect.runPromise(Effect.provide(program, store));
 * if (checkpoint?.seq !== 1n) throw new Error("one page");
 * ```
 *
 * `examples/folder-sink.ts` is a store in a folder, and `folder-sink-laws.ts` runs its laws.
 */
export { makePage, type PageOptions } from "./pages.ts";
export { type SinkLaw, sinkLaws, type SinkUnderTest } from "./sinkLaws.ts";
