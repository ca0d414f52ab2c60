/** The thread that `runOnThread` starts. */
import { Effect } from "effect";
import { workerData } from "node:worker_threads";
import { openLog } from "../openLog.ts";
import { openIndexers, runIndexers, type ThreadOptions } from "./runIndexers.ts";

const options = workerData as ThreadOptions;

await Effect.gen(function* () {
  const log = yield* openLog(options);
  const indexers = yield* openIndexers(options.index);
  yield* Effect.provideContext(runIndexers(indexers, options.realm, "forever"), log);
}).pipe(Effect.scoped, Effect.runPromise);
