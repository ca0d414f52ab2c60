/** The thread that `runOnThread` starts. */
import { IndexerThread } from "@game-data/stream-follower";
import { Effect } from "effect";
import { parentPort, workerData } from "node:worker_threads";
import { openLog } from "../openLog.ts";
import { openIndexers, runIndexers, type ThreadOptions } from "./runIndexers.ts";

const options = workerData as ThreadOptions;

const program = Effect.gen(function* () {
  const log = yield* openLog(options);
  const indexers = yield* openIndexers(options.index);
  yield* Effect.provideContext(
    runIndexers(indexers, options.realm, "forever", options.batchPages),
    log,
  );
}).pipe(Effect.scoped);
await Effect.runPromise(IndexerThread.tell(parentPort, program)).catch(() => process.exit(1));
