/** Follows a stream into a SQLite file that is removed with the scope. */
import { NodeFileSystem } from "@effect/platform-node";
import type { GameApiService } from "@game-data/api-client";
import { Changes, Follower, PageSource } from "@game-data/stream-follower";
import { GameApiSource } from "@game-data/stream-follower/api-client";
import * as StoreUrl from "@game-data/stream-follower/StoreUrl";
import { Effect, FileSystem, Stream } from "effect";

/** A stream and its starting point. */
export type Run = Omit<Follower.StashRun, "until"> | Omit<Follower.ExchangeRun, "until">;

/** Follows a stream until it has caught up. Returns the changes of each page and the status. */
export const follow = Effect.fn("tour.follow")(function* (api: GameApiService, run: Run) {
  const files = yield* FileSystem.FileSystem;
  const path = `${yield* Effect.orDie(files.makeTempDirectoryScoped())}/followed.db`;
  const store = { kind: "sqlite", path } as const;
  yield* Follower.run({ ...run, until: "caughtUp" } as const).pipe(
    Effect.provide(StoreUrl.layer(store)),
    Effect.provideService(PageSource.PageSource, GameApiSource.make(api)),
  );
  // The file is a log of pages, from which readers and indexers derive the rest.
  const key = { source: run.source, realm: "pc" } as const;
  const pages = yield* Changes.subscribe({ key, until: "caughtUp" }).pipe(
    Stream.runCollect,
    Effect.provide(StoreUrl.logLayer(store)),
  );
  yield* StoreUrl.indexState(store, { key, until: "caughtUp" });
  const [stored] = yield* StoreUrl.statuses(store);
  return { pages, stored };
}, Effect.provide(NodeFileSystem.layer));
