/**
 * The derived part of a store on SQLite or PostgreSQL: the current stashes and markets, indexers of
 * your own (`Indexer`), and copies of a SQLite store. `StoreUrl` opens the log.
 *
 * ```ts
 * import { Effect } from "effect";
 * import { Indexer, StashState } from "@game-data/stream-follower/sql";
 * import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
 * import { mkdtempSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const path = join(mkdtempSync(join(tmpdir(), "store-")), "pages.db");
 * const url = { kind: "sqlite", path } as const;
 * const program = Effect.gen(function* () {
 *   const state = yield* Indexer.open(url, StashState.definition);
 *   yield* Indexer.run(state, { key: { source: "stashes", realm: "pc" }, until: "caughtUp" });
 *   return yield* state.sql`SELECT id FROM stash WHERE public = 1`;
 * }).pipe(Effect.provide(StoreUrl.layer(url)), Effect.scoped);
 * const stashes = await Effect.runPromise(program);
 * if (stashes.length > 0) throw new Error("nothing was followed yet");
 * ```
 */
export * as Backup from "./Backup.ts";
export * as Indexer from "./Indexer.ts";
export { openToRead } from "./Schema.ts";
export * as StashState from "./StashState.ts";
export { decodeId, decompress } from "./text.ts";
