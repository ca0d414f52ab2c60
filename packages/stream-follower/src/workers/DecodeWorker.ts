/**
 * Decoding on threads of its own: inflating, hashing, parsing and checking leave the thread that
 * follows.
 *
 * Use where that thread has other things to do in time (a server, a page of its own, the leases of
 * many streams): `Follower.run(…).pipe(Effect.provide(DecodeWorker.layer()))`. A page costs
 * somewhat more in all, and each thread has a heap of its own. Writing stays where it was: a sink
 * that works on the calling thread (`SinkSqlite`) still holds it for that long.
 *
 * Memory is handed over in both directions, never copied: the body as it came, and the page as
 * bytes with the places of its rows. A thread that ends (out of time, killed, a defect) fails the
 * page with `DecodeWorkerExited`: it is asked for again, on a new thread. A page over which a
 * second thread ends is taken for malformed, and goes the way of those: more tries, then the
 * quarantine.
 *
 * A thread is no wall around memory: where JSON.parse runs out of it Node ends the whole process.
 * `maxPageBytes` is the bound.
 *
 * `node:worker_threads` is used directly: the Worker of Effect waits for a thread to close when it
 * should be gone at once.
 */
import * as Deferred from "effect/Deferred";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import nodeModule from "node:module";
import { dirname, extname } from "node:path";
import { Worker } from "node:worker_threads";
import { DecodeWorkerExited, type MalformedPage } from "../Errors.ts";
import { type DecodeError, sameThread, PageDecoder } from "../PageDecoder.ts";
import type { DecodedBody, PageDecoderService, WireBody } from "../PageDecoder.ts";
import { type DecodeJob, type DecodeReply, deserializeError } from "./messages.ts";
import { inflate, SMALL_BYTES } from "../core/inflate.ts";
import { malformed } from "../core/parsePage.ts";
import { unpackBounds, unpackRows } from "./transferPage.ts";

/** Options of the threads. */
export interface DecodeWorkerOptions {
  /** Threads at most; each decodes one page at a time, of whatever stream. Default 1. */
  readonly threads?: number;
  /** Time for one page. Default 1 minute. */
  readonly timeout?: Duration.Input;
  /**
   * The thread's program, where a bundler has moved it:
   * `@game-data/stream-follower/workers/worker`. Default: the package's file.
   */
  readonly script?: URL;
}

/** Starts the threads; they end with the scope. */
export const make = (
  options: DecodeWorkerOptions = {},
): Effect.Effect<PageDecoderService, DecodeWorkerExited, Scope.Scope> =>
  Effect.gen(function* () {
    const threads = Math.max(1, options.threads ?? 1);
    const timeout = options.timeout ?? "1 minute";
    const all = new Set<Thread>();
    const idle: Array<Thread> = [];
    const start = (): Thread => {
      const thread = startThread(options, () => all.delete(thread));
      all.add(thread);
      return thread;
    };
    yield* Effect.addFinalizer(() => Effect.forEach([...all], (thread) => thread.end));
    for (let count = 0; count < threads; count += 1) idle.push(start());
    // A program that cannot be loaded is told now, not page by page.
    yield* Effect.forEach(idle, (thread) => thread.ready);
    const permits = Semaphore.makeUnsafe(threads);
    const take = Effect.sync(() => {
      let thread = idle.pop();
      while (thread?.isOver() === true) thread = idle.pop();
      return thread ?? start();
    });
    const ask = (job: DecodeJob) =>
      permits.withPermit(
        Effect.acquireUseRelease(
          take,
          (thread) =>
            thread.ask(job).pipe(Effect.timeoutOrElse({ duration: timeout, orElse: late })),
          // Interrupted or failed, it may still be busy: what it says next would be taken for
          // another page's answer.
          (thread, exit) =>
            exit._tag === "Success" ? Effect.sync(() => void idle.push(thread)) : thread.end,
        ),
      );
    return { decode: (body) => (isSmall(body) ? sameThread.decode(body) : decode(body, ask)) };
  });

/** The threads, as the decoder of every follower that the layer is provided to. */
export const layer = (options: DecodeWorkerOptions = {}): Layer.Layer<never, DecodeWorkerExited> =>
  Layer.effect(PageDecoder, make(options));

const late = () => Effect.fail(new DecodeWorkerExited({ detail: "a page took too long" }));

/**
 * Sent as it is, the answer at the end of the stream is read before a thread would have been told
 * of it.
 */
const isSmall = ({ wire, encoding }: WireBody): boolean =>
  wire.length > 0 && wire.length <= SMALL_BYTES && (encoding === "" || encoding === "gzip");

type Ask = (job: DecodeJob) => Effect.Effect<DecodeReply, DecodeWorkerExited>;

const decode = Effect.fnUntraced(function* (
  body: WireBody,
  ask: Ask,
): Effect.fn.Return<DecodedBody, DecodeError> {
  const { encoding, source, level, maxPageBytes } = body;
  const isSuspect = body.threadsLost > 0;
  // Keep a suspect body: if a second thread exits on it, the page is quarantined.
  const wire = isTransferable(body) && !isSuspect ? body.wire : Uint8Array.from(body.wire);
  const reply = yield* ask({ wire, encoding, source, level, maxPageBytes }).pipe(
    Effect.catch((lost) =>
      isSuspect
        ? Effect.flatMap(quarantineUndecodable(body, lost), Effect.fail)
        : Effect.fail(lost),
    ),
  );
  if (reply.kind === "failed") return yield* deserializeError(reply.error);
  if (reply.kind === "ready") return yield* new DecodeWorkerExited({ detail: "it started over" });
  const { page, inflateMillis, parseMillis } = reply;
  const { raw, checksum, nextId } = page;
  const rows = unpackRows(page, source, level);
  const bounds = unpackBounds(page);
  return { wire: reply.wire, raw, checksum, nextId, rows, bounds, inflateMillis, parseMillis };
});

/**
 * Small bodies lie in a pool of Node's that they share with others: handing that over is not
 * allowed.
 */
const isTransferable = ({ wire, ownsBuffer }: WireBody): boolean =>
  ownsBuffer && wire.length === wire.buffer.byteLength;

/**
 * Two threads ended over a page: it is inflated here, within its bound and without a look inside,
 * and set rejected as it is.
 */
const quarantineUndecodable = (
  { wire, encoding, maxPageBytes }: WireBody,
  lost: DecodeWorkerExited,
): Effect.Effect<MalformedPage, DecodeError> =>
  Effect.map(inflate(wire, encoding, maxPageBytes), (raw) =>
    malformed(raw, `threads end over it (${lost.detail})`),
  );

interface Thread {
  readonly ask: Ask;
  /** Ends it at once, whatever it does. */
  readonly end: Effect.Effect<void>;
  readonly isOver: () => boolean;
  readonly ready: Effect.Effect<void, DecodeWorkerExited>;
}

const startThread = ({ script = SCRIPT }: DecodeWorkerOptions, onOver: () => void): Thread => {
  const worker = new Worker(script, {
    name: "decode pages",
    // Bodies are all that it needs to know, and where the program's compiled modules are.
    env: compileCache(),
  });
  const ready = Deferred.makeUnsafe<void, DecodeWorkerExited>();
  let isOver = false;
  let why: string | undefined;
  let waiting: ((reply: Effect.Effect<DecodeReply, DecodeWorkerExited>) => void) | undefined;
  const answer = (reply: Effect.Effect<DecodeReply, DecodeWorkerExited>) => {
    const listener = waiting;
    waiting = undefined;
    listener?.(reply);
  };
  worker.on("message", (reply: DecodeReply) => {
    if (reply.kind === "ready") Deferred.doneUnsafe(ready, Effect.void);
    else answer(Effect.succeed(reply));
  });
  worker.on("error", (error) => {
    why = error instanceof Error ? error.message : String(error);
  });
  worker.on("exit", (code) => {
    isOver = true;
    onOver();
    const lost = Effect.fail(
      new DecodeWorkerExited({ detail: why ?? `it exited with code ${code}` }),
    );
    Deferred.doneUnsafe(ready, lost);
    answer(lost);
  });
  return {
    ready: Deferred.await(ready),
    isOver: () => isOver,
    end: Effect.asVoid(Effect.promise(() => worker.terminate())),
    ask: (job) =>
      Effect.callback((resume) => {
        if (isOver) return resume(Effect.fail(new DecodeWorkerExited({ detail: "it was gone" })));
        waiting = resume;
        try {
          worker.postMessage(job, [job.wire.buffer as ArrayBuffer]);
        } catch (cause) {
          answer(Effect.fail(new DecodeWorkerExited({ detail: String(cause) })));
        }
        return Effect.sync(() => {
          waiting = undefined;
        });
      }),
  };
};

/** A thread shares the compile cache of its program through the environment alone. */
const compileCache = (): Readonly<Record<string, string>> => {
  const folder = nodeModule.getCompileCacheDir?.();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
};

/** The package's own file, as source or as built. */
const SCRIPT = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);
