/**
 * Runs queries on threads, each with a deadline. The main thread may follow the stream and hold its
 * lease, so it runs no query. SQLite cannot cancel a running statement, so a thread whose query is
 * late is terminated and replaced, and never answers another query. Addresses take turns, so that
 * an address with many queries delays only its own.
 */
/* oxlint-disable unicorn/require-post-message-target-origin -- threads have no origin */
import {
  Context,
  type Duration,
  Effect,
  Layer,
  PartitionedSemaphore,
  Pool,
  Semaphore,
} from "effect";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Input, Output, Queries } from "../search/queries.ts";
import { BadParameter, Busy } from "./Api.ts";
import { clientNetwork } from "./limits.ts";
import type { Answer, Question } from "./queryThread.ts";

export interface QueryOptions {
  /** Path of the index file. */
  readonly file: string;
  /** Time limit of one query. Default: 500 milliseconds. */
  readonly queryTimeout?: Duration.Input | undefined;
}

const THREADS = 2;
/** Maximum of threads, including terminated threads whose last statement still runs. */
const MAX_THREADS = 6;
/** Time limit of the wait for a free thread and for its answer. */
const MAX_WAIT = "3 seconds";
const LATE =
  "The query took too long, or too many others wait. Narrow it, or try again in a second.";

export class QueryThreads extends Context.Service<
  QueryThreads,
  Effect.Success<ReturnType<typeof make>>
>()("stash-index/QueryThreads") {
  static readonly layer = (options: QueryOptions) => Layer.effect(QueryThreads, make(options));
}

const make = Effect.fnUntraced(function* ({ file, queryTimeout = "500 millis" }: QueryOptions) {
  const existing = yield* Semaphore.make(MAX_THREADS);
  const threads = yield* Pool.make({ acquire: startThread(file, existing), size: THREADS });
  // Starts every thread now, because a new thread loads its code for longer than a query may wait.
  yield* Effect.scoped(Effect.replicateEffect(Pool.get(threads), THREADS));
  const turns = yield* PartitionedSemaphore.make<string>({ permits: THREADS });

  const send = Effect.fnUntraced(function* (question: Question) {
    const thread = yield* Pool.get(threads);
    const answer = nextMessage(thread);
    return yield* Effect.andThen(
      Effect.sync(() => thread.postMessage(question)),
      answer,
    ).pipe(
      Effect.timeout(queryTimeout),
      // Also runs after an interruption, because the thread may still send its late answer.
      Effect.onError(() => Pool.invalidate(threads, thread)),
      // A disconnected client does not end the thread, which is slower to start than a query.
      Effect.uninterruptible,
    );
  }, Effect.scoped);

  /** Runs a query when the address of the request has a turn. */
  const run = Effect.fnUntraced(
    function* <Name extends keyof Queries>(name: Name, input: Input<Name>) {
      const address = yield* clientNetwork;
      const answer = yield* turns.withPermit(address)(send({ name, input }));
      if ("parameter" in answer) return yield* new BadParameter(answer);
      return answer.value as Output<Name>;
    },
    Effect.timeout(MAX_WAIT),
    Effect.catchTag("TimeoutError", () => new Busy({ detail: LATE })),
  );

  return { run };
});

/** Starts a thread. The release does not wait for its exit, which a long statement delays. */
const startThread = (file: string, existing: Semaphore.Semaphore) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      yield* existing.take(1);
      const thread = new Worker(new URL("./queryThread.ts", import.meta.url), {
        name: "queries",
        workerData: file,
        resourceLimits: { maxOldGenerationSizeMb: 256 },
      });
      thread.once("exit", () => Effect.runFork(existing.release(1)));
      // Without this listener, a failed thread would end the process. The next query finds out.
      thread.on("error", () => undefined);
      yield* nextMessage(thread);
      return thread;
    }),
    (thread) => Effect.sync(() => void thread.terminate()),
  );

const nextMessage = (thread: Worker) =>
  Effect.map(
    Effect.promise((signal) => once(thread, "message", { signal })),
    ([answer]) => answer as Answer,
  );
