/**
 * Follows the public stash stream and the exchange history into transactional sinks.
 *
 * @module
 */
export * as Decode from "./Decode.ts";
export * as DecodeWorker from "./DecodeWorker.ts";
export * from "./Errors.ts";
export * as Follower from "./Follower.ts";
export * as GameApiSource from "./GameApiSource.ts";
export * as Health from "./Health.ts";
export * as Lease from "./Lease.ts";
export * as LeasePostgres from "./LeasePostgres.ts";
export * as LeaseSqlite from "./LeaseSqlite.ts";
export * as Machine from "./Machine.ts";
export * as Metrics from "./Metrics.ts";
export type * from "./Model.ts";
export type * from "./Options.ts";
export * as Ops from "./Ops.ts";
export * as PageDecoder from "./PageDecoder.ts";
export * as PageSource from "./PageSource.ts";
export * as Quarantine from "./Quarantine.ts";
export * as Signals from "./Signals.ts";
export * as Sink from "./Sink.ts";
export * as SinkJsonl from "./SinkJsonl.ts";
export * as SinkMemory from "./SinkMemory.ts";
export * as SinkPostgres from "./SinkPostgres.ts";
export * as SinkSqlite from "./SinkSqlite.ts";
export * as Stores from "./Stores.ts";
