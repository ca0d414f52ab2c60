/** The SQLite driver: sink and lease in one file through `node:sqlite`, without a native build. */
export * as LeaseSqlite from "./lease.ts";
export * as SinkSqlite from "./sink.ts";
export * as SqliteExport from "./export.ts";
export * as SqliteIndexer from "./indexer.ts";
export * as SqliteState from "./state.ts";
