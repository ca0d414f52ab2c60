/** The thread that `runOnThread` starts. */
import { Effect } from "effect";
import { parentPort, workerData } from "node:worker_threads";
import { openLog } from "../openLog.ts";
import { openIndexers, type Progress, runIndexers, type ThreadOptions } from "./runIndexers.ts";
import type { SqliteIndexer } from "./SqliteIndexer.ts";

const options = workerData as ThreadOptions;

const stopped = Effect.callback<void>((resume) => {
  parentPort?.once("message", () => resume(Effect.void));
});

const onApplied = ({ name }: SqliteIndexer, key: Progress["key"], seq: bigint) => {
  const progress: Progress = { key, name, seq };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort?.postMessage(progress);
};

const program = Effect.gen(function* () {
  const log = yield* openLog(options);
  const indexers = yield* openIndexers(options.index);
  yield* Effect.provideContext(
    runIndexers(indexers, options.realm, { until: "forever", onApplied }),
    log,
  );
}).pipe(Effect.scoped);

// A failure is an error of the thread, which its parent reports.
await Effect.runPromise(Effect.raceFirst(program, stopped));
process.exit(0);
