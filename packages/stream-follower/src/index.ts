/**
 * Follows the public stash stream and the exchange history into transactional stores.
 *
 * This entry loads no driver. Stores come from `./StoreUrl` and `./sql`, pages from `./api-client`,
 * health and metrics over HTTP from `./health`.
 */
export * as Changes from "./Changes.ts";
export * from "./Errors.ts";
export * as Follower from "./Follower.ts";
export { jump } from "./Jump.ts";
export * as Indexer from "./sql/Indexer.ts";
export * as Quarantine from "./sql/Quarantine.ts";
export * as Lease from "./Lease.ts";
export * as Metrics from "./Metrics.ts";
export { hourOf, makeCommit } from "./Model.ts";
export type * from "./Model.ts";
export type * from "./Options.ts";
export * as PageLog from "./PageLog.ts";
export * as PageSource from "./PageSource.ts";
export * as Signals from "./Signals.ts";
export * as Sink from "./Sink.ts";
export * as Status from "./Status.ts";
export * as Verify from "./Verify.ts";
