/**
 * The indexer's role: derives the search index from the page log, and keeps up with it.
 */
import { Indexer } from "@game-data/stream-follower";
import type { SqliteIndexer } from "@game-data/stream-follower/sqlite";
import { Effect } from "effect";
import type { Realm } from "../follower/follow.ts";
import * as itemIndexer from "./itemIndexer.ts";
import * as marketIndexer from "./marketIndexer.ts";

/** Opens both indexers over a file; the tables are there afterwards. */
export const openIndexers = Effect.fnUntraced(function* (path: string) {
  const items: SqliteIndexer.SqliteIndexer = yield* itemIndexer.make(path);
  const markets: SqliteIndexer.SqliteIndexer = yield* marketIndexer.make(path);
  return { items, markets };
});

/** The indexers of a file. */
export type Indexers = Effect.Success<ReturnType<typeof openIndexers>>;

/** Applies the log until its end, or for ever. */
export const runIndexers = (
  { items, markets }: Indexers,
  realm: Realm,
  until: "caughtUp" | "forever",
) => {
  // One page per transaction: queries of this process wait for no more than that.
  const options = { until, batchPages: 1, onHistoryExpired: "skip" } as const;
  return Effect.all(
    [
      Indexer.run(items, { ...options, key: { source: "stashes", realm } }),
      Indexer.run(markets, { ...options, key: { source: "exchange", realm } }),
    ],
    { concurrency: "unbounded", discard: true },
  );
};
