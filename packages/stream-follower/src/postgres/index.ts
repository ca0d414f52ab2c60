/**
 * The PostgreSQL driver. Its optional peer dependency is `@effect/sql-pg`.
 *
 * ```ts
 * import { Layer } from "effect";
 * import { LeasePostgres, SinkPostgres } from "@game-data/stream-follower/postgres";
 *
 * const url = "postgres://follower@db.example/pages";
 * const store = Layer.merge(SinkPostgres.layer({ url }), LeasePostgres.layer({ url }));
 * if (!Layer.isLayer(store)) throw new Error("a layer of Sink, Store and Lease");
 * ```
 */
export * as LeasePostgres from "./lease.ts";
export * as PostgresIndexer from "./indexer.ts";
export * as PostgresState from "./state.ts";
export * as SinkPostgres from "./sink.ts";
