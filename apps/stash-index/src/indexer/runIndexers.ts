/**
 * The indexer's role: derives the search index from the page log, and keeps up with it.
 */
import { Indexer, IndexerThread, Parts, Supervisor } from "@game-data/stream-follower";
import type { SqliteIndexer } from "@game-data/stream-follower/sqlite";
import { Effect } from "effect";
import type { LogOptions, Realm } from "../openLog.ts";
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
  batchPages?: number,
) => {
  const batch = batchPages === undefined ? {} : { batchPages };
  const options = { until, onHistoryExpired: "skip", ...batch } as const;
  return Effect.all(
    [
      Indexer.run(items, { ...options, key: { source: "stashes", realm } }),
      Indexer.run(markets, { ...options, key: { source: "exchange", realm } }),
    ],
    { concurrency: "unbounded", discard: true },
  );
};

/** Options of the thread. */
export interface ThreadOptions extends LogOptions {
  /** The file of the index. */
  readonly index: string;
  readonly realm: Realm;
  /** Pages per transaction, where a page is isolated. */
  readonly batchPages?: number | undefined;
}

/**
 * Runs the indexers on a thread of their own, so that a web server in the same process answers
 * while pages are applied. A thread that breaks off is started again; five failures at one page
 * isolate it, and where it fails even alone the indexers halt with its number.
 */
export const runOnThread = Effect.fnUntraced(function* (options: ThreadOptions) {
  const { index, reader, realm, store } = options;
  const workerData: ThreadOptions = { index, reader, realm, store };
  const cell = yield* Parts.part({ source: "stashes", realm }, "indexer", { name: "items" });
  const module = new URL("./thread.ts", import.meta.url);
  const thread = Indexer.supervised(cell, ({ batchPages }) =>
    IndexerThread.start(module, { ...workerData, batchPages }),
  );
  yield* Supervisor.run([{ ...thread, isDaemon: false }]);
});
