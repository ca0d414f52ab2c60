/**
 * Indexers derive tables from the page log: current stashes, items, prices, exports.
 *
 * An indexer keeps its own position, in the same transaction as its rows. Killed at any moment it
 * goes on where its last transaction ended; deleted, it starts again. `run` drives one indexer over
 * one stream.
 *
 * ```ts
 * import { Effect } from "effect";
 * import { Indexer } from "@game-data/stream-follower";
 * import { SinkSqlite, SqliteState } from "@game-data/stream-follower/sqlite";
 * import { mkdtempSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const path = join(mkdtempSync(join(tmpdir(), "indexer-")), "pages.db");
 * const program = Effect.gen(function* () {
 *   const state = yield* SqliteState.make({ path });
 *   const key = { source: "stashes", realm: "pc" } as const;
 *   return yield* Indexer.run(state, { key, until: "caughtUp" });
 * }).pipe(Effect.provide(SinkSqlite.layer({ path })), Effect.scoped);
 * const { seq } = await Effect.runPromise(program);
 * if (seq !== 0n) throw new Error("an empty log has no pages");
 * ```
 */
import * as Arr from "effect/Array";
import * as Cause from "effect/Cause";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import { type Fenced, type HistoryExpired, IndexerFailed, type SinkError } from "./Errors.ts";
import * as Metrics from "./Metrics.ts";
import { keyName, type StreamKey } from "./Model.ts";
import { type Cell, moved, part } from "./Parts.ts";
import type { Supervised } from "./Supervisor.ts";
import { untilAvailable } from "./core/attempt.ts";
import { type LoggedPage, PageLog, type PageLogService } from "./PageLog.ts";

/** Derives tables from a log. */
export interface Indexer<E extends { readonly isRetryable: boolean } = SinkError | Fenced> {
  /** Its name in the store: `state`, `items`. */
  readonly name: string;
  /** Raised when its tables change their meaning. The store empties them and starts again. */
  readonly version: number;
  /** Number of the last page that it has applied; 0 before the first. */
  readonly position: (key: StreamKey) => Effect.Effect<bigint, E>;
  /**
   * Applies pages that follow its position, and moves the position, in one transaction. Fails with
   * `Fenced` where another process has moved it.
   */
  readonly apply: (
    key: StreamKey,
    pages: Arr.NonEmptyReadonlyArray<LoggedPage>,
    after: bigint,
  ) => Effect.Effect<void, E>;
}

/** Options of a run. */
export interface IndexOptions {
  /** The stream. */
  readonly key: StreamKey;
  /** `caughtUp` ends the run at the end of the log. Default `forever`. */
  readonly until?: "caughtUp" | "forever";
  /** Pages per transaction at most. Default 8. */
  readonly batchPages?: number;
  /** Bytes of compressed bodies per transaction, besides the first page. Default 8 MiB. */
  readonly batchBytes?: number;
  /** Time between looks at the end of the log. Default 200 ms. */
  readonly pollInterval?: Duration.Input;
  /**
   * Reaction to unread pages that were pruned. `skip` continues with the oldest page that is kept.
   * Default `fail`.
   */
  readonly onHistoryExpired?: "fail" | "skip";
}

/** Result of a run. */
export interface IndexSummary {
  /** Pages applied. */
  readonly pages: number;
  /** The position at its end. */
  readonly seq: bigint;
}

/** Runs an indexer over one stream of the log. */
export const run = <E extends { readonly isRetryable: boolean }>(
  indexer: Indexer<E>,
  options: IndexOptions,
): Effect.Effect<IndexSummary, E | SinkError | HistoryExpired, PageLog> =>
  Effect.gen(function* () {
    const log = yield* PageLog;
    const { key } = options;
    const limits = {
      maxPages: options.batchPages ?? 8,
      maxBytes: options.batchBytes ?? 8 * 1024 * 1024,
    };
    const cell = yield* part(key, "indexer", { name: indexer.name });
    const attempt = <A, E2 extends { readonly isRetryable: boolean }>(work: Effect.Effect<A, E2>) =>
      untilAvailable(cell, { operation: "index", deadlineMillis: DEADLINE_MILLIS }, work);
    let pages = 0;
    let seq = yield* indexer.position(key);
    while (true) {
      moved(cell, seq);
      const batch = yield* attempt(readBatch(log, indexer.name, seq, options, limits));
      if (!Arr.isReadonlyArrayNonEmpty(batch)) {
        if (options.until === "caughtUp") return { pages, seq };
        yield* Effect.sleep(options.pollInterval ?? "200 millis");
        continue;
      }
      yield* attempt(indexer.apply(key, batch, seq));
      pages += batch.length;
      seq = Arr.lastNonEmpty(batch).seq;
      yield* Metrics.record(Metrics.indexedPages, key, batch.length, { indexer: indexer.name });
      yield* log.acknowledge(indexer.name, key, seq);
    }
  }).pipe(Effect.withSpan("Indexer.run", { attributes: { indexer: indexer.name } }));

/** Pages are applied within this time, or tried again: a large one takes seconds. */
const DEADLINE_MILLIS = 55_000;

/** Failures at one position before the page after it is applied alone. */
const ISOLATED_AFTER = 5;

/**
 * An indexer as a part of a supervisor: started again after each failure, at one page a time after
 * five at one position. Where it fails even then, it halts with `IndexerFailed`, which names the
 * page.
 */
export const supervised = <R = never>(
  cell: Cell,
  start: (options: Pick<IndexOptions, "batchPages">) => Effect.Effect<unknown, unknown, R>,
): Supervised<IndexerFailed, R> => ({
  cell,
  isDaemon: true,
  onFailure: (cause) => (Cause.squash(cause) instanceof IndexerFailed ? "halt" : "restart"),
  run: ({ failuresHere }) => {
    if (failuresHere <= ISOLATED_AFTER) {
      // Its errors are recorded, and none of them leaves the supervisor.
      return Effect.orDie(start(failuresHere === ISOLATED_AFTER ? { batchPages: 1 } : {}));
    }
    const { lastError, name, seq = 0n } = cell.now;
    const detail = lastError?.message ?? "it ended without a word";
    const stream = keyName(cell.key);
    return Effect.fail(new IndexerFailed({ indexer: name, stream, after: seq, detail }));
  },
});

const readBatch = (
  log: PageLogService,
  name: string,
  after: bigint,
  { key, onHistoryExpired = "fail" }: IndexOptions,
  limits: { readonly maxPages: number; readonly maxBytes: number },
): Effect.Effect<ReadonlyArray<LoggedPage>, SinkError | HistoryExpired> =>
  Effect.catchTag(log.read(key, after, limits), "HistoryExpired", (expired) =>
    onHistoryExpired === "fail"
      ? Effect.fail(expired)
      : Effect.andThen(
          Effect.logWarning(`${keyName(key)}: indexer ${name} skips expired pages`),
          log.read(key, expired.first - 1n, limits),
        ),
  );
