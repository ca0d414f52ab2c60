/**
 * The default store: the page log in one SQLite file, through `node:sqlite`, without a native
 * build.
 *
 * A commit writes pages as they came over the wire, rejected rows, gaps and the checkpoint in one
 * transaction. Current stashes are derived by `SqliteState`; a store of your own over the log is an
 * `Indexer`. Tables: `checkpoint`, `page`, `quarantine`, `gap`, `reader`, `lease`. Read them with
 * any SQLite program while the follower runs.
 */
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import type { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { Fenced, type SinkError } from "../Errors.ts";
import type { Batch, Checkpoint, PageCommit, StreamKey } from "../Model.ts";
import type { PageLog, PageLogService, Retention } from "../PageLog.ts";
import type { Sink, SinkService, Store, StoreService, StoreStatus } from "../Sink.ts";
import { packBounds } from "../core/bounds.ts";
import { checkRetention } from "../core/checkOptions.ts";
import { type CheckpointRow, checkpointOf, storableId } from "../core/sql.ts";
import { storeLayer } from "../core/storeLayer.ts";
import { makeLog, makePruner } from "./log.ts";
import {
  attempt,
  indexPath,
  INDEX,
  LOG,
  openFile,
  openToRead,
  requireSameFile,
  transact,
  prepareAll,
} from "./schema.ts";
import { openStatuses, storeOf } from "./store.ts";

/** Options of the store. */
export interface SqliteOptions {
  /** The file; `:memory:` for none. Derived tables are in `PATH.index`. */
  readonly path: string;
  /**
   * Bytes of pages that the log keeps per stream: 100 MB at least. Default 20 GB; `Infinity` keeps
   * all.
   */
  readonly keepBytes?: number;
  /** Age of pages that the log keeps, in milliseconds. Default: any age. */
  readonly keepMillis?: number;
}

/** Everything that a file offers. */
export type SqliteService = SinkService & StoreService & PageLogService;

/** Opens the file. */
export const make = (
  options: SqliteOptions,
): Effect.Effect<SqliteService, SinkError, Scope.Scope> =>
  Effect.suspend(() => {
    checkRetention(options);
    const { keepBytes: bytes = KEPT_BYTES, keepMillis: millis = Infinity, path } = options;
    return Effect.map(openFile(path, LOG), (db) => ({
      ...sinkOf(db, { bytes, millis }),
      ...makeLog(db),
      ...storeOf(db, path),
    }));
  });

/** Sink, log and store of a file. */
export const layer = (options: SqliteOptions): Layer.Layer<Sink | Store | PageLog, SinkError> =>
  storeLayer(make(options));

/** Status of the streams of a file, without writing to it; none where there is no file. */
export const readStatus = (
  options: Pick<SqliteOptions, "path">,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const log = yield* openToRead(options.path, LOG);
      if (log === undefined) return [];
      const index = yield* openToRead(indexPath(options.path), INDEX);
      return yield* openStatuses(log, index);
    }),
  );

const KEPT_BYTES = 20e9;

/**
 * Frames of the journal, of 16 KiB, at which the follower's own connection moves them into the file
 * and waits for the disk. An indexer's connection does so at 1,000 frames when it acknowledges, on
 * its own thread; without one, 30 MB stop the event loop for a tenth of a second, 64 MB for a
 * quarter.
 */
const WRITER_CHECKPOINT_FRAMES = 1800;

const CHECKPOINTS = {
  raise: `INSERT INTO checkpoint (source, realm, epoch) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET epoch = excluded.epoch WHERE checkpoint.epoch <= excluded.epoch`,
  standing: `SELECT next_id, CAST(seq AS TEXT) AS seq, epoch, last_checksum, last_event_at
     FROM checkpoint WHERE source = ? AND realm = ?`,
  advance: `UPDATE checkpoint SET next_id = ?, seq = ?, epoch = ?, last_checksum = ?, last_event_at = ?,
       pages = pages + ?, changes = changes + ?, log_bytes = log_bytes + ?, quarantined = quarantined + ?, gaps = gaps + ?
     WHERE source = ? AND realm = ? AND epoch <= ? AND seq = ?`,
  polled: "UPDATE checkpoint SET last_polled_at = ? WHERE source = ? AND realm = ?",
};

const sinkOf = (db: DatabaseSync, keep: Retention): SinkService => {
  const sql = prepareAll(db, CHECKPOINTS);
  const write = writer(db);
  const prune = makePruner(db);

  const claim = (key: StreamKey, epoch: number): Checkpoint | undefined => {
    const raised = sql.raise.run(key.source, key.realm, epoch).changes !== 0;
    const row = sql.standing.get(key.source, key.realm) as unknown as CheckpointRow;
    if (!raised) {
      const detail = "a newer epoch has claimed the stream";
      throw new Fenced({ epoch, fence: Number(row.epoch), detail });
    }
    return checkpointOf(row);
  };

  const commit = (batch: Batch, epoch: number): void => {
    const { key, checkpoint: to, pages } = batch;
    const at = [
      storableId(to.nextId),
      to.seq,
      epoch,
      to.checksum,
      Math.floor(to.receivedAt),
    ] as const;
    const sums = sumsOf(pages);
    const where = [key.source, key.realm, epoch, batch.previousSeq] as const;
    if (sql.advance.run(...at, ...sums, ...where).changes === 0) {
      throw new Fenced({
        epoch,
        detail: `the store is no longer at page ${batch.previousSeq}, or a newer epoch has claimed it`,
      });
    }
    for (const page of pages) write(key, page);
    // Twice as many as were appended: a log that grew while pruning waited for a reader shrinks
    // again.
    prune(key, keep, { maxPages: pages.length * 2 });
  };

  return {
    level: "envelope",
    claim: (key, epoch) =>
      attempt("claim", () => {
        db.exec(`PRAGMA wal_autocheckpoint = ${WRITER_CHECKPOINT_FRAMES}`);
        return transact(db, () => claim(key, epoch));
      }),
    commit: (batch, epoch) => attempt("commit", () => transact(db, () => commit(batch, epoch))),
    polled: (key, at) =>
      attempt("polled", () => {
        requireSameFile(db);
        sql.polled.run(Math.floor(at), key.source, key.realm);
      }),
  };
};

/** What a batch adds to the counters of its stream. */
const sumsOf = (pages: Batch["pages"]) => {
  const sum = (of: (commit: PageCommit) => number) =>
    pages.reduce((total, commit) => total + of(commit), 0);
  return [
    pages.length,
    sum(({ page }) => page.rows.length),
    sum(({ page }) => page.wire.length),
    sum(({ quarantine }) => quarantine.length),
    sum(({ page }) => page.gaps.length),
  ] as const;
};

const WRITES = {
  insert: `INSERT INTO page (source, realm, seq, requested_id, next_id, received_at, encoding, wire_bytes, raw_bytes,
       checksum, changes, listed, state, bounds, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  gap: "INSERT INTO gap (source, realm, seq, kind, from_id, to_id) VALUES (?, ?, ?, ?, ?, ?)",
  reject: `INSERT INTO quarantine
       (source, realm, seq, place, kind, requested_id, next_id, error_tag, message, bytes_zstd, first_seen, tries)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
};

const writer = (db: DatabaseSync) => {
  const sql = prepareAll(db, WRITES);
  return (key: StreamKey, { page, stashes, quarantine }: PageCommit): void => {
    const { source, realm } = key;
    const { seq } = page;
    const receivedAt = Math.floor(page.receivedAt);
    const isRead = page.raw.length > 0;
    sql.insert.run(
      source,
      realm,
      seq,
      page.requestedId === undefined ? null : storableId(page.requestedId),
      storableId(page.nextId),
      receivedAt,
      page.encoding,
      page.wire.length,
      page.raw.length,
      page.checksum,
      page.rows.length,
      stashes.reduce((count, { isPublic }) => count + (isPublic ? 1 : 0), 0),
      isRead ? "ok" : "unread",
      packBounds(page.bounds, page.rows),
      page.wire,
    );
    for (const { kind, from, to } of page.gaps) {
      sql.gap.run(source, realm, seq, kind, storableId(from), storableId(to));
    }
    for (const [index, record] of quarantine.entries()) {
      sql.reject.run(
        source,
        realm,
        seq,
        record.place ?? -1 - index,
        record.kind,
        record.requestedId === undefined ? null : storableId(record.requestedId),
        storableId(record.nextId),
        record.errorTag,
        record.message,
        zstdCompressSync(record.bytes),
        receivedAt,
        record.tries,
      );
    }
  };
};
