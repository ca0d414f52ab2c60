/**
 * Follows the public stash stream and the exchange history into transactional stores.
 *
 * This entry loads no driver. Stores come from `./StoreUrl` and `./sql`, pages from `./api-client`,
 * health and metrics over HTTP from `./health`.
 *
 * @module
 *
 * ```ts
 * import { Effect } from "effect";
 * import { Follower, Lease, PageSource, Sink } from "@game-data/stream-follower";
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
 * const pages: Array<string> = [];
 * const sink: Sink.SinkService = {
 *   claim: () => Effect.succeed(undefined),
 *   commit: (batch) => Effect.sync(() => void pages.push(batch.checkpoint.nextId)),
 * };
 * await Effect.runPromise(
 *   Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
 *     Effect.provideService(PageSource.PageSource, source),
 *     Effect.provideService(Sink.Sink, sink),
 *     Effect.provide(Lease.none),
 *   ),
 * );
 * if (pages[0] !== "a") throw new Error("the first page leads to a");
 * ```
 */
export * as Changes from "./Changes.ts";
export * from "./Errors.ts";
export * as Follower from "./Follower.ts";
export { jump } from "./Jump.ts";
export * as Indexer from "./sql/Indexer.ts";
export * as Lease from "./Lease.ts";
export * as Metrics from "./Metrics.ts";
export { hourOf, makeBatch, makeCommit } from "./Model.ts";
export type * from "./Model.ts";
export type * from "./Options.ts";
export * as PageLog from "./PageLog.ts";
export * as PageSource from "./PageSource.ts";
export * as Quarantine from "./Quarantine.ts";
export * as Signals from "./Signals.ts";
export * as Sink from "./Sink.ts";
export * as Status from "./Status.ts";
export * as Verify from "./Verify.ts";
