/**
 * The indexer's role: derives the search index from the page log, and keeps up with it.
 */
import { Status, type StreamKey } from "@game-data/stream-follower";
import { Effect, Schedule } from "effect";
import { Worker } from "node:worker_threads";
import type { LogOptions, Realm } from "../openLog.ts";
import * as itemIndexer from "./itemIndexer.ts";
import * as marketIndexer from "./marketIndexer.ts";
import * as SqliteIndexer from "./SqliteIndexer.ts";

/** Opens both indexers over a file; the tables are there afterwards. */
export const openIndexers = Effect.fnUntraced(function* (path: string) {
  const items = yield* itemIndexer.make(path);
  const markets = yield* marketIndexer.make(path);
  return { items, markets };
});

/** The indexers of a file. */
export type Indexers = Effect.Success<ReturnType<typeof openIndexers>>;

/** Applies the log until its end, or for ever. */
export const runIndexers = (
  { items, markets }: Indexers,
  realm: Realm,
  options: Omit<SqliteIndexer.RunOptions, "key">,
) =>
  Effect.all(
    [
      SqliteIndexer.run(items, { ...options, key: { source: "stashes", realm } }),
      SqliteIndexer.run(markets, { ...options, key: { source: "exchange", realm } }),
    ],
    { concurrency: "unbounded", discard: true },
  );

/** Options of the thread. */
export interface ThreadOptions extends LogOptions {
  /** The file of the index. */
  readonly index: string;
  readonly realm: Realm;
}

/** What the thread reports: an applied page. */
export interface Progress {
  readonly key: StreamKey;
  readonly name: string;
  readonly seq: bigint;
}

/** Retries after one second, doubling to a minute. */
const RESTARTS = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")]);

/**
 * Runs the indexers on a thread of their own, so that a web server in the same process responds while
 * pages are applied. A thread that ends is started again.
 */
export const runOnThread = Effect.fnUntraced(function* ({
  index,
  reader,
  realm,
  store,
}: ThreadOptions) {
  const streams = yield* Status.Streams;
  const workerData: ThreadOptions = { index, reader, realm, store };
  const note = ({ key, name, seq }: Progress) => {
    const part = `indexer ${name}`;
    return Effect.void.pipe(
      Status.track(key, part),
      Effect.andThen(Status.notePart(key, part, { seq })),
      Effect.provideService(Status.Streams, streams),
      Effect.runSync,
    );
  };
  const failed = (error: Error) =>
    Effect.ignore(Status.track({ source: "stashes", realm }, "indexer items")(Effect.fail(error)));
  yield* startThread(workerData, note).pipe(Effect.tapError(failed), Effect.retry(RESTARTS));
});

/** Time that a thread has to end by itself. */
const STOP_MILLIS = 2000;

const startThread = (workerData: ThreadOptions, note: (progress: Progress) => void) =>
  Effect.callback<never, Error>((resume) => {
    const worker = new Worker(new URL("./thread.ts", import.meta.url), { workerData });
    worker.on("message", note);
    worker.once("error", (error) =>
      resume(Effect.fail(error instanceof Error ? error : new Error(String(error)))),
    );
    const ended = new Promise((exited) => worker.once("exit", exited));
    worker.once("exit", (code) =>
      resume(Effect.fail(new Error(`the thread of the indexers ended with code ${code}`))),
    );
    return Effect.promise(async () => {
      // Node ends the whole process if a thread is terminated while it opens a compressor.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
      worker.postMessage("stop");
      const late = setTimeout(() => worker.terminate(), STOP_MILLIS);
      await ended;
      clearTimeout(late);
    });
  });
