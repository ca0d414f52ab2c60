/** The program of the thread that derives the current stashes, or markets, of a stream. */
import * as Effect from "effect/Effect";
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { basename } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { PoisonPage } from "../Indexer.ts";
import { tell } from "../IndexerThread.ts";
import type { StreamKey } from "../Model.ts";
import * as StoreUrl from "../StoreUrl.ts";

/** What the thread is started with. */
export interface StateThreadData {
  /** The store's address; it may hold a password and stays in this process. */
  readonly store: string;
  readonly key: StreamKey;
  readonly batchPages?: number;
  readonly skip?: PoisonPage;
}

const { store, ...options } = workerData as StateThreadData;

/** A ninth of an equal's processor time: with a third, the follower's delays were twice as long. */
const NICENESS = 10;

// Where processors are few, the follower's lease, its signals and its health go first.
try {
  setPriority(Number(basename(readlinkSync("/proc/thread-self"))), NICENESS);
} catch {
  // Only on Linux does a thread have a priority of its own.
}

const program = Effect.flatMap(StoreUrl.parse(store), (url) => StoreUrl.indexState(url, options));
// A driver that is closing its connections would hold the thread for some seconds.
await Effect.runPromise(tell(parentPort, program)).then(
  () => process.exit(0),
  () => process.exit(1),
);
