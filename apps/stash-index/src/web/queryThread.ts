/** The thread that `QueryPool` starts: runs one query after the other, and keeps watches. */
/* oxlint-disable unicorn/require-post-message-target-origin -- threads have no origin */
import { parentPort, workerData } from "node:worker_threads";
import { QUERIES } from "./queries.ts";
import type { Answer, Request } from "./QueryPool.ts";
import { InvalidParameter, Reader } from "./Reader.ts";
import { Watch } from "./watch.ts";

const reader = new Reader((workerData as { readonly path: string }).path);
const watches = new Map<number, Watch>();

const run = (request: Request): unknown => {
  switch (request.kind) {
    case "query":
      return (QUERIES[request.name] as (reader: Reader, input: unknown) => unknown)(
        reader,
        request.input,
      );
    case "openWatch": {
      const watch = new Watch(reader, request.filters, request.after);
      watches.set(request.id, watch);
      return watch.place;
    }
    case "stepWatch": {
      const watch = watches.get(request.id);
      // The thread was replaced since: the client comes again with its last event.
      if (watch === undefined) throw new Error("the watch is gone");
      return watch.step();
    }
    case "closeWatch":
      return void watches.delete(request.id);
  }
};

const answerTo = (request: Request): Answer => {
  try {
    return { kind: "value", value: run(request) };
  } catch (error) {
    return error instanceof InvalidParameter
      ? { kind: "refused", parameter: error.parameter, detail: error.message }
      : { kind: "failed", detail: (error as Error).message };
  }
};

parentPort?.on("message", (request: Request) => parentPort?.postMessage(answerTo(request)));
parentPort?.postMessage({ kind: "ready" });
