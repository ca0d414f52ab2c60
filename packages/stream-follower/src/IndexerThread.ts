/**
 * Indexers on a thread of their own, so that a follower's lease, its signals and its health are
 * served while pages are applied.
 *
 * The thread posts its records once a second (`tell`); the starter takes them over, and a thread
 * that is silent counts as stuck. `start` fails when the thread breaks off, so a supervisor starts
 * it again. A single executable has no file for a thread: run the indexer in place there, with
 * `batchPages: 1`.
 */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { StreamKey } from "./Model.ts";
import * as Parts from "./Parts.ts";
import type { PartRecord } from "./Status.ts";
import { mayPass } from "./core/attempt.ts";

/** What a thread posts: its records, or why it ends. */
type Message =
  | { readonly records: ReadonlyArray<{ readonly key: StreamKey; readonly part: PartRecord }> }
  | { readonly failed: string; readonly isRetryable: boolean };

/** A thread that broke off. */
class ThreadEnded extends Error {
  readonly _tag = "ThreadEnded";
  /** Whether waiting may mend what it ended with. */
  readonly isRetryable: boolean;
  constructor(message: string, isRetryable: boolean) {
    super(message);
    this.isRetryable = isRetryable;
  }
}

/**
 * Asks a thread to end by itself, which it gets some time for. Node ends the whole process where a
 * thread is terminated while it makes a compressor: `Assertion failed: close before init`.
 */
const STOP = "stop";
const STOP_MILLIS = 2000;

/** The thread of this package, for the indexers that `StoreUrl.indexState` runs. */
export const STATE_THREAD: URL = new URL(
  `./core/stateThread${extname(import.meta.filename)}`,
  import.meta.url,
);

/** Runs a module as a thread until it ends by itself; fails when it ends in any other way. */
export const start = (module: URL, workerData: unknown): Effect.Effect<void, ThreadEnded> =>
  Effect.flatMap(Parts.Parts, (registry) =>
    Effect.callback<void, ThreadEnded>((resume) => {
      const worker = new Worker(module, { workerData });
      let reason: string | undefined;
      let isRetryable = false;
      worker.on("message", (message: Message) => {
        if ("failed" in message) {
          reason = message.failed;
          isRetryable = message.isRetryable;
          return;
        }
        Effect.runSync(Effect.provideService(takeOver(message.records), Parts.Parts, registry));
      });
      worker.once("error", (error) => {
        reason ??= error instanceof Error ? error.message : String(error);
      });
      const ended = new Promise((exited) => worker.once("exit", exited));
      worker.once("exit", (code) =>
        resume(
          code === 0 && reason === undefined
            ? Effect.void
            : Effect.fail(
                new ThreadEnded(reason ?? `the thread ended with code ${code}`, isRetryable),
              ),
        ),
      );
      return Effect.promise(async () => {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
        worker.postMessage(STOP);
        const late = setTimeout(() => worker.terminate(), STOP_MILLIS);
        await ended;
        clearTimeout(late);
      });
    }),
  );

const takeOver = (records: Extract<Message, { readonly records: unknown }>["records"]) =>
  Effect.forEach(records, ({ key, part }) =>
    Effect.flatMap(Parts.part(key, part.kind, part), (cell) => Parts.heard(cell, part)),
  );

/** The thread's end of the line: a `MessagePort` of Node, whose types a caller may not have. */
interface Port {
  readonly postMessage: (message: Message) => void;
  readonly once: (event: "message", listener: () => void) => unknown;
  readonly off: (event: "message", listener: () => void) => unknown;
}

/**
 * Runs a thread's program until the starter asks it to stop, and tells the starter of its records,
 * every second, and of its end.
 */
export const tell = <E>(port: Port | null, program: Effect.Effect<unknown, E>) =>
  Effect.raceAllFirst([
    program,
    stopOf(port),
    Effect.repeat(
      Effect.map(Parts.Parts, (streams) => {
        const records = [...streams.values()].flatMap(({ key, parts }) =>
          [...parts.values()].map(({ now }) => ({ key, part: now })),
        );
        port?.postMessage({ records });
      }),
      Schedule.spaced("1 second"),
    ),
  ]).pipe(
    Effect.tapCause((cause) =>
      Effect.sync(() => {
        const error = Cause.squash(cause);
        const failed = error instanceof Error ? error.message : String(error);
        port?.postMessage({ failed, isRetryable: mayPass(cause) });
      }),
    ),
  );

const stopOf = (port: Port | null) =>
  Effect.callback<void>((resume) => {
    const stop = () => resume(Effect.void);
    port?.once("message", stop);
    // A port that somebody listens to keeps its thread alive.
    return Effect.sync(() => port?.off("message", stop));
  });
