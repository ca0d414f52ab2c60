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
import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import { Fenced, type HistoryExpired, IndexerFailed, type SinkError } from "./Errors.ts";
import * as Metrics from "./Metrics.ts";
import { keyName, type StreamKey, ofStream } from "./Model.ts";
import { type Cell, moved, part } from "./Parts.ts";
import type { Supervised } from "./Supervisor.ts";
import { sinkError, untilAvailable } from "./core/attempt.ts";
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
   * `Fenced` where another process has moved it; the run then goes on from there.
   */
  readonly apply: (
    key: StreamKey,
    pages: Arr.NonEmptyReadonlyArray<LoggedPage>,
    after: bigint,
  ) => Effect.Effect<void, E>;
  /**
   * Sets a page aside that it cannot apply: keeps its text in the quarantine with `detail`, and
   * moves the position past it, in one transaction. Without it no page is skipped.
   */
  readonly skip?: (
    key: StreamKey,
    page: LoggedPage,
    after: bigint,
    detail: string,
  ) => Effect.Effect<void, E>;
}

/** Options of a run. */
export interface IndexOptions {
  /** The stream. */
  readonly key: StreamKey;
  /** `caughtUp` ends the run at the end of the log. Default `forever`. */
  readonly until?: "caughtUp" | "forever";
  /** Pages per transaction at most, of 8 MiB compressed besides the first. Default 8. */
  readonly batchPages?: number;
  /** Time between looks at the end of the log. Default 200 ms. */
  readonly pollInterval?: Duration.Input;
  /**
   * Reaction to unread pages that were pruned. `skip` continues with the oldest page that is kept.
   * Default `fail`.
   */
  readonly onHistoryExpired?: "fail" | "skip";
  /** The page after `after` is set aside and not applied. See `supervised`. */
  readonly skip?: PoisonPage | undefined;
}

/** A page that an indexer cannot apply. */
export interface PoisonPage {
  /** The position at which the indexer stands. */
  readonly after: bigint;
  /** What happened at each attempt. */
  readonly detail: string;
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
      maxBytes: 8 * 1024 * 1024,
    };
    const cell = yield* part(key, "indexer", { name: indexer.name });
    const attempt = <A, E2 extends { readonly isRetryable: boolean }>(work: Effect.Effect<A, E2>) =>
      untilAvailable(cell, { operation: "index", deadlineMillis: DEADLINE_MILLIS }, work);
    let pages = 0;
    const position = attempt(Effect.suspend(() => indexer.position(key)));
    let seq = yield* position;
    yield* attempt(requireWithinLog(log, indexer.name, key, seq));
    const acknowledge = acknowledger((at) =>
      attempt(Effect.suspend(() => log.acknowledge(indexer.name, key, at))),
    );
    // From the beginning on it is a reader whom pruning waits for.
    yield* acknowledge(seq, 0, true);
    while (true) {
      moved(cell, seq);
      const read = yield* attempt(
        Effect.suspend(() => readBatch(log, { name: indexer.name, after: seq, limits }, options)),
      );
      if (!Arr.isReadonlyArrayNonEmpty(read)) {
        yield* acknowledge(seq, 0, options.until === "caughtUp");
        if (options.until === "caughtUp") return { pages, seq };
        yield* Effect.sleep(options.pollInterval ?? "200 millis");
        continue;
      }
      const batch = seq === options.skip?.after ? Arr.of(Arr.headNonEmpty(read)) : read;
      const step = Effect.suspend(() =>
        seq === options.skip?.after && indexer.skip !== undefined
          ? indexer.skip(key, Arr.headNonEmpty(read), seq, options.skip.detail)
          : indexer.apply(key, batch, seq),
      );
      const fenced = yield* attempt(unlessMoved(step));
      if (fenced !== undefined) {
        const now = yield* position;
        if (now === seq) return yield* Effect.fail(fenced);
        seq = now;
        continue;
      }
      pages += batch.length;
      seq = Arr.lastNonEmpty(batch).seq;
      yield* Metrics.record(Metrics.indexedPages, key, batch.length, { indexer: indexer.name });
      const bytes = batch.reduce((sum, { body }) => sum + body.length, 0);
      yield* acknowledge(seq, bytes, false);
    }
  }).pipe(Effect.withSpan("Indexer.run", { attributes: { indexer: indexer.name } }));

/**
 * Tells the log how far the reader is: now, or once a second and once for `ACKNOWLEDGED_BYTES`. It is
 * a write to the log's own file, which the follower's commits wait for; and in SQLite it moves the
 * journal into that file, which the follower does itself where nobody else has.
 */
const acknowledger = <E>(tell: (seq: bigint) => Effect.Effect<void, E>) => {
  let told: bigint | undefined;
  let toldAt = 0;
  let bytes = 0;
  return Effect.fnUntraced(function* (seq: bigint, read: number, isNow: boolean) {
    const now = yield* Clock.currentTimeMillis;
    bytes += read;
    const isDue = now - toldAt >= ACKNOWLEDGED_MILLIS || bytes >= ACKNOWLEDGED_BYTES;
    if (seq === told || !(isNow || isDue)) return;
    yield* tell(seq);
    [told, toldAt, bytes] = [seq, now, 0];
  });
};

const ACKNOWLEDGED_MILLIS = 1000;
const ACKNOWLEDGED_BYTES = 16 * 1024 * 1024;

/** A log that was made anew ends before what an indexer has applied of the one before. */
const requireWithinLog = Effect.fnUntraced(function* (
  log: PageLogService,
  name: string,
  key: StreamKey,
  seq: bigint,
): Effect.fn.Return<void, SinkError> {
  if (seq === 0n) return;
  const end = ofStream(yield* log.positions, key)?.seq ?? 0n;
  if (end >= seq) return;
  const text = `the log ends at ${end}, and ${name} has applied ${seq}: the log was made anew; rebuild`;
  return yield* sinkError("index", "corrupt", text);
});

/** Returns the error where another process has moved the position meanwhile. */
const unlessMoved = <E extends { readonly isRetryable: boolean }>(
  step: Effect.Effect<void, E>,
): Effect.Effect<E | undefined, E> =>
  step.pipe(
    Effect.as(undefined),
    Effect.catch((error) => (error instanceof Fenced ? Effect.succeed(error) : Effect.fail(error))),
  );

/** Pages are applied within this time, or tried again: a large one takes seconds. */
const DEADLINE_MILLIS = 55_000;

/** Failures at one position before the page after it is applied alone. */
const ISOLATED_AFTER = 5;

/** How a supervisor starts an indexer. */
export type StartOptions = Pick<IndexOptions, "batchPages" | "skip">;

/**
 * An indexer as a part of a supervisor: started again after each failure, at one page a time after
 * five at one position that waiting does not mend. Where it fails even then, `halt` fails with
 * `IndexerFailed`, which names the page, and `skip` has the indexer set it aside and go on.
 */
export const supervised = <R = never>(
  cell: Cell,
  start: (options: StartOptions) => Effect.Effect<unknown, unknown, R>,
  onPoison: "halt" | "skip" = "halt",
): Supervised<IndexerFailed, R> => ({
  cell,
  isDaemon: true,
  onFailure: (cause) => (Cause.squash(cause) instanceof IndexerFailed ? "halt" : "restart"),
  run: ({ failuresHere }) => {
    const { lastError, name, seq = 0n } = cell.now;
    const detail = lastError?.message ?? "it ended without a word";
    // A page that cannot even be set aside halts.
    const isGivenUp = failuresHere > ISOLATED_AFTER + (onPoison === "skip" ? 1 : 0);
    if (isGivenUp) {
      const stream = keyName(cell.key);
      return Effect.fail(new IndexerFailed({ indexer: name, stream, after: seq, detail }));
    }
    // Its errors are recorded, and none of them leaves the supervisor.
    return Effect.orDie(
      start({
        ...(failuresHere < ISOLATED_AFTER ? {} : { batchPages: 1 }),
        ...(failuresHere > ISOLATED_AFTER ? { skip: { after: seq, detail } } : {}),
      }),
    );
  },
});

interface Reading {
  readonly name: string;
  readonly after: bigint;
  readonly limits: { readonly maxPages: number; readonly maxBytes: number };
}

const readBatch = (
  log: PageLogService,
  { after, limits, name }: Reading,
  { key, onHistoryExpired = "fail" }: IndexOptions,
): Effect.Effect<ReadonlyArray<LoggedPage>, SinkError | HistoryExpired> =>
  Effect.catchTag(log.read(key, after, limits), "HistoryExpired", (expired) =>
    onHistoryExpired === "fail"
      ? Effect.fail(expired)
      : Effect.andThen(
          Effect.logWarning(`${keyName(key)}: indexer ${name} skips expired pages`),
          log.read(key, expired.first - 1n, limits),
        ),
  );
