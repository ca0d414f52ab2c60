/**
 * The in-memory sink, for tests and trials.
 *
 * ```ts
 * import { Effect } from "effect";
 * import { Follower, Lease, PageSource } from "@game-data/stream-follower";
 * import { SinkMemory } from "@game-data/stream-follower/memory";
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
 * const memory = SinkMemory.empty();
 * await Effect.runPromise(
 *   Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
 *     Effect.provide(SinkMemory.layer(memory)),
 *     Effect.provide(Lease.none),
 *     Effect.provideService(PageSource.PageSource, source),
 *   ),
 * );
 * if (memory.stashes.size !== 1) throw new Error("one stash");
 * ```
 */
export * as SinkMemory from "./sink.ts";
