/** The program of the thread that derives the current stashes, or markets, of a stream. */
import * as Effect from "effect/Effect";
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

const program = Effect.flatMap(StoreUrl.parse(store), (url) => StoreUrl.indexState(url, options));
await Effect.runPromise(tell(parentPort, program)).catch(() => process.exit(1));
