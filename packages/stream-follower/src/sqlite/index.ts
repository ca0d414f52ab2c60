/**
 * The SQLite driver: sink and lease in one file through `node:sqlite`, without a native build.
 *
 * ```ts
 * import { Effect } from "effect";
 * import { SinkSqlite } from "@game-data/stream-follower/sqlite";
 * import { mkdtempSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const path = join(mkdtempSync(join(tmpdir(), "sqlite-")), "pages.db");
 * const program = Effect.scoped(Effect.flatMap(SinkSqlite.make({ path }), ({ status }) => status));
 * const streams = await Effect.runPromise(program);
 * if (streams.length > 0) throw new Error("a new file has no streams");
 * ```
 */
export * as SqliteBackup from "./backup.ts";
export * as LeaseSqlite from "./lease.ts";
export * as SinkSqlite from "./sink.ts";
export * as SqliteIndexer from "./indexer.ts";
export * as SqliteState from "./state.ts";
