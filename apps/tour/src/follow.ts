/** Follows a stream into a SQLite file that is removed with the scope. */
import { NodeFileSystem } from "@effect/platform-node";
import type { GameApiService } from "@game-data/api-client";
import { Follower, Lease, type PageCommit, PageSource } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import { SinkSqlite } from "@game-data/stream-follower/sqlite";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Effect, FileSystem, Layer } from "effect";

/** A stream, and where to begin. */
export type Run = Omit<Follower.StashRun, "until"> | Omit<Follower.ExchangeRun, "until">;

/** Follows until caught up. Returns the committed pages, and what the file holds. */
export const follow = Effect.fn("tour.follow")(function* (api: GameApiService, run: Run) {
  const files = yield* FileSystem.FileSystem;
  const path = `${yield* Effect.orDie(files.makeTempDirectoryScoped())}/followed.db`;
  const pages: Array<PageCommit> = [];
  yield* Follower.run({
    ...run,
    until: "caughtUp",
    onCommitted: (committed) => void pages.push(...committed),
  } as const).pipe(
    Effect.provide(Layer.merge(SinkSqlite.layer({ path }), Lease.none)),
    Effect.provideService(PageSource.PageSource, GameApiSource.make(api)),
  );
  // The file is a log of pages. An indexer derives its tables from them.
  const key = { source: run.source, realm: "pc" } as const;
  yield* StoreUrl.indexState({ kind: "sqlite", path }, { key, until: "caughtUp" });
  const [stored] = yield* StoreUrl.statuses({ kind: "sqlite", path });
  return { pages, stored };
}, Effect.provide(NodeFileSystem.layer));
