/**
 * Page decoding in worker threads.
 *
 * ```ts
 * import { Effect, Stream } from "effect";
 * import { Follower, PageSource } from "@game-data/stream-follower";
 * import { DecodeWorker } from "@game-data/stream-follower/workers";
 *
 * const source: PageSource.PageSourceService = {
 *   open: ({ id }) =>
 *     Effect.succeed({
 *       status: 200,
 *       headers: {},
 *       body: (async function* () {
 *         const stashes = id === undefined ? [{ id: "1", public: true, items: [] }] : [];
 *         yield Buffer.from(JSON.stringify({ next_change_id: "a", stashes }));
 *       })(),
 *     }),
 * };
 *
 * const pages = await Effect.runPromise(
 *   Follower.stashes({ until: "caughtUp" }).pipe(
 *     Stream.runCollect,
 *     Effect.provide(DecodeWorker.layer({ threads: 1 })),
 *     Effect.provideService(PageSource.PageSource, source),
 *   ),
 * );
 * if (pages.length !== 1) throw new Error("one page");
 * ```
 */
export * as DecodeWorker from "./DecodeWorker.ts";
