/**
 * The indexer's role: derives the search index from the page log, and keeps up with it.
 */
import { Indexer } from "@game-data/stream-follower";
import type { SqliteIndexer } from "@game-data/stream-follower/sqlite";
import { Effect } from "effect";
import { Worker } from "node:worker_threads";
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
) => {
  const options = { until, onHistoryExpired: "skip" } as const;
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
}

/**
 * Runs the indexers on a thread of their own, so that a web server in the same process answers
 * while pages are applied. Fails when the thread ends.
 */
export const runOnThread = ({ index, keepBytes, nats, reader, realm, store }: ThreadOptions) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const workerData: ThreadOptions = { index, keepBytes, nats, reader, realm, store };
      return new Worker(new URL("./thread.ts", import.meta.url), { workerData });
    }),
    (thread) =>
      Effect.callback<never, Error>((resume) => {
        thread.once("error", (error: Error) => resume(Effect.fail(error)));
        thread.once("exit", (code) => resume(Effect.fail(new Error(`exit code ${code}`))));
      }),
    (thread) => Effect.promise(() => thread.terminate()),
  );
