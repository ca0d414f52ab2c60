/**
 * Runs queries on threads of their own, each within a deadline.
 *
 * The thread that serves may also follow the stream, and holds its lease: a query that takes long
 * must not hold it up. A query that is not done in time is answered as `late`, and its thread is
 * replaced. SQLite ends a running statement only at its end, so a replaced thread may live on for
 * as long; `MOST_ENDING` of them are waited for before another is started.
 */
/* oxlint-disable unicorn/require-post-message-target-origin -- threads have no origin */
import { Worker } from "node:worker_threads";
import type { Filters } from "./Parameters.ts";
import type { Queries } from "./queries.ts";
import type { Place } from "./watch.ts";

/** A message to a thread. */
export type Request =
  | { readonly kind: "query"; readonly name: keyof Queries; readonly input: unknown }
  | {
      readonly kind: "openWatch";
      readonly id: number;
      readonly filters: Filters;
      readonly after: Place | undefined;
    }
  | { readonly kind: "stepWatch" | "closeWatch"; readonly id: number };

/** Why a query was late: its deadline, or the bound on what waits, of its asker or of all. */
export type Late = "deadline" | "ownBound" | "bound";

/** The answer to a request. */
export type Answer =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "refused"; readonly parameter: string; readonly detail: string }
  | { readonly kind: "failed"; readonly detail: string }
  | { readonly kind: "late"; readonly why: Late };

/** Options of a pool. */
export interface QueryPoolOptions {
  /** The file of the index. */
  readonly path: string;
  readonly threads: number;
  /** The time that one query may take, from when a thread begins it. */
  readonly deadlineMillis: number;
  /** Requests that wait for a thread at most. */
  readonly mostWaiting: number;
  /** Requests of one asker that wait at most. Default: `mostWaiting`. */
  readonly mostWaitingOfOne?: number;
}

interface Job {
  readonly request: Request;
  readonly settle: (answer: Answer) => void;
}

const LATE: Answer = { kind: "late", why: "deadline" };

/** Replaced threads that may still be at their last statement. */
const MOST_ENDING = 4;

/** Some threads over one index. */
export class QueryPool {
  private readonly threads = new Set<Thread>();
  /** What waits, by asker. The first asker is served next, and then goes to the end. */
  private readonly waiting = new Map<string, Array<Job>>();
  private waits = 0;
  private readonly options: QueryPoolOptions;
  private ending = 0;
  private isClosed = false;

  constructor(options: QueryPoolOptions) {
    this.options = options;
    for (let count = 0; count < options.threads; count += 1) this.start();
  }

  /** Waits until every thread has loaded its code. */
  async ready(): Promise<void> {
    await Promise.all(Array.from(this.threads, ({ ready }) => ready));
  }

  /** Runs a request; never rejects. Askers are served in turn: one that asks much waits for itself. */
  run(request: Request, asker = ""): Promise<Answer> {
    const { mostWaiting, mostWaitingOfOne = mostWaiting } = this.options;
    const own = this.waiting.get(asker) ?? [];
    if (own.length >= mostWaitingOfOne) return Promise.resolve({ kind: "late", why: "ownBound" });
    if (this.isClosed || this.waits >= mostWaiting)
      return Promise.resolve({ kind: "late", why: "bound" });
    return new Promise((settle) => {
      own.push({ request, settle });
      this.waiting.set(asker, own);
      this.waits += 1;
      this.next();
    });
  }

  /** Ends the threads; what still waits is late. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (let job = this.take(); job !== undefined; job = this.take()) job.settle(LATE);
    await Promise.all(Array.from(this.threads, (thread) => thread.end()));
  }

  private next(): void {
    for (const thread of this.threads) {
      if (!thread.isIdle) continue;
      const job = this.take();
      if (job === undefined) return;
      thread.run(job);
    }
  }

  private take(): Job | undefined {
    for (const [asker, jobs] of this.waiting) {
      this.waiting.delete(asker);
      const job = jobs.shift();
      if (jobs.length > 0) this.waiting.set(asker, jobs);
      this.waits -= 1;
      return job;
    }
    return undefined;
  }

  private start(): void {
    const { deadlineMillis, path } = this.options;
    const thread = new Thread(path, deadlineMillis, {
      idle: () => this.next(),
      over: (ended) => this.replace(thread, ended),
    });
    this.threads.add(thread);
  }

  private replace(thread: Thread, ended: Promise<unknown>): void {
    if (!this.threads.delete(thread) || this.isClosed) return;
    this.ending += 1;
    if (this.ending <= MOST_ENDING) this.start();
    void ended.then(() => {
      this.ending -= 1;
      if (this.threads.size < this.options.threads && !this.isClosed) this.start();
      return undefined;
    });
  }
}

interface ThreadEvents {
  readonly idle: () => void;
  /** It takes no more requests; `ended` resolves when it has left. */
  readonly over: (ended: Promise<unknown>) => void;
}

/** One thread and what it runs. */
class Thread {
  readonly ready: Promise<void>;
  private readonly worker: Worker;
  private readonly events: ThreadEvents;
  private readonly deadlineMillis: number;
  private isReady = false;
  private job: Job | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(path: string, deadlineMillis: number, events: ThreadEvents) {
    this.deadlineMillis = deadlineMillis;
    this.events = events;
    this.worker = new Worker(new URL("./queryThread.ts", import.meta.url), {
      name: "queries",
      workerData: { path },
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.worker.on("message", (message: Answer | { readonly kind: "ready" }) => {
      if (message.kind === "ready") {
        this.isReady = true;
        resolve();
      } else this.settle(message);
      this.events.idle();
    });
    this.worker.on("error", ({ message }) => {
      this.settle({ kind: "failed", detail: message });
      this.events.over(this.end());
      resolve();
    });
  }

  get isIdle(): boolean {
    return this.isReady && this.job === undefined;
  }

  run(job: Job): void {
    this.job = job;
    this.timer = setTimeout(() => {
      this.settle(LATE);
      this.events.over(this.end());
    }, this.deadlineMillis);
    this.worker.postMessage(job.request);
  }

  async end(): Promise<void> {
    this.isReady = false;
    this.settle(LATE);
    await this.worker.terminate();
  }

  private settle(answer: Answer): void {
    clearTimeout(this.timer);
    const { job } = this;
    this.job = undefined;
    job?.settle(answer);
  }
}
