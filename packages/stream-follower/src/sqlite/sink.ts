/**
 * The default sink: one SQLite file through Node's own `node:sqlite`, no native build.
 *
 * Tables: `checkpoint`, `stash` (a row per stash, `doc` its JSON; unlisted ones stay as
 * tombstones), `market`, `page` (journal of applied pages), `gap`, `quarantine`, `lease`. Read them
 * with any SQLite program while the follower runs. The file's version is SQLite's `user_version`; a
 * newer file than this program is refused.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import type { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { Fenced, type SinkError } from "../Errors.ts";
import type { Batch, Checkpoint, PageCommit, StreamKey } from "../Model.ts";
import {
  type ReplayedRows,
  Sink,
  type SinkService,
  Store,
  type StoreService,
  type StoreStatus,
} from "../Sink.ts";
import { marketJson } from "../workers/transferPage.ts";
import { attempt, openFile, openToRead, transact } from "./schema.ts";
import { statusesOf, storeOf } from "./store.ts";

/** Options of the sink. */
export interface SqliteOptions {
  /** The file; `:memory:` for none. */
  readonly path: string;
  /** Pages that the journal keeps per stream. Default 10 000; `Infinity` keeps all. */
  readonly keepPages?: number;
}

/** Opens the file and gives sink and store over it. */
export const make = (
  options: SqliteOptions,
): Effect.Effect<SinkService & StoreService, SinkError, Scope.Scope> =>
  Effect.map(openFile(options.path), (db) => {
    const write = writer(db, options.keepPages ?? DEFAULT_KEPT_PAGES);
    return { ...sinkOf(db, write), ...storeOf(db, write.rows) };
  });

/** Sink and store over a file. */
export const layer = (options: SqliteOptions): Layer.Layer<Sink | Store, SinkError> =>
  Layer.effectContext(
    Effect.map(make(options), (service) =>
      Context.make(Sink, service).pipe(Context.add(Store, service)),
    ),
  );

/** Where the streams of a file stand, without writing to it; none where there is no file. */
export const readStatus = (
  options: Pick<SqliteOptions, "path">,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  Effect.scoped(
    Effect.flatMap(openToRead(options.path), (db) =>
      db === undefined ? Effect.succeed([]) : statusesOf(db),
    ),
  );

const DEFAULT_KEPT_PAGES = 10_000;

const isFenced = (cause: unknown): cause is Fenced => cause instanceof Fenced;

const sinkOf = (db: DatabaseSync, write: Writer): SinkService => {
  const raise = db.prepare(
    `INSERT INTO checkpoint (source, realm, epoch) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET epoch = excluded.epoch WHERE checkpoint.epoch <= excluded.epoch`,
  );
  const standing = db.prepare(
    `SELECT next_id, CAST(seq AS TEXT) AS seq, epoch, last_page_sha256, last_event_at
     FROM checkpoint WHERE source = ? AND realm = ?`,
  );
  const advance = db.prepare(
    `UPDATE checkpoint SET next_id = ?, seq = ?, epoch = ?, last_page_sha256 = ?, last_event_at = ?, pages = pages + ?
     WHERE source = ? AND realm = ? AND epoch <= ? AND seq = ?`,
  );
  const polled = db.prepare(
    "UPDATE checkpoint SET last_polled_at = ? WHERE source = ? AND realm = ?",
  );

  const claim = (key: StreamKey, epoch: number): Checkpoint | undefined => {
    const raised = raise.run(key.source, key.realm, epoch).changes !== 0;
    const row = standing.get(key.source, key.realm) as unknown as CheckpointRow;
    if (!raised) {
      const detail = "a newer epoch has claimed the stream";
      throw new Fenced({ epoch, fence: row.epoch, detail });
    }
    return row.next_id === null
      ? undefined
      : {
          nextId: row.next_id,
          seq: BigInt(row.seq),
          epoch: row.epoch,
          sha256: row.last_page_sha256,
          receivedAt: row.last_event_at,
        };
  };

  const commit = (batch: Batch, epoch: number): void => {
    const { key, checkpoint: to } = batch;
    const moved = advance.run(
      to.nextId,
      to.seq,
      epoch,
      to.sha256,
      to.receivedAt,
      batch.pages.length,
      key.source,
      key.realm,
      epoch,
      batch.previousSeq,
    );
    if (moved.changes === 0) {
      throw new Fenced({
        epoch,
        detail: `the store no longer stands at page ${batch.previousSeq}, or a newer epoch has claimed it`,
      });
    }
    for (const page of batch.pages) write.page(key, page);
    write.prune(key, to.seq);
  };

  return {
    claim: (key, epoch) => attempt("claim", () => transact(db, () => claim(key, epoch)), isFenced),
    commit: (batch, epoch) =>
      attempt("commit", () => transact(db, () => commit(batch, epoch)), isFenced),
    polled: (key, at) =>
      attempt("polled", () => void polled.run(Math.floor(at), key.source, key.realm)),
  };
};

interface CheckpointRow {
  readonly next_id: string | null;
  readonly seq: string;
  readonly epoch: number;
  readonly last_page_sha256: string;
  readonly last_event_at: number;
}

interface Writer {
  readonly page: (key: StreamKey, commit: PageCommit) => void;
  readonly prune: (key: StreamKey, seq: bigint) => void;
  readonly rows: (key: StreamKey, seq: bigint, rows: ReplayedRows) => void;
}

const writer = (db: DatabaseSync, keepPages: number): Writer => {
  const journal = db.prepare(
    `INSERT INTO page (source, realm, seq, requested_id, next_id, sha256, rows, bytes, received_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const forget = db.prepare("DELETE FROM page WHERE source = ? AND realm = ? AND seq <= ?");
  const upsert = db.prepare(
    `INSERT INTO stash (id, realm, seq, public, account, name, type, league, items, doc)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET realm = excluded.realm, seq = excluded.seq, public = excluded.public,
       account = excluded.account, name = excluded.name, type = excluded.type, league = excluded.league,
       items = excluded.items, doc = excluded.doc
     WHERE excluded.seq >= stash.seq`,
  );
  const market = db.prepare(
    `INSERT INTO market (realm, hour, league, market_id, seq, doc) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET seq = excluded.seq, doc = excluded.doc WHERE excluded.seq >= market.seq`,
  );
  const gap = db.prepare(
    "INSERT INTO gap (source, realm, seq, kind, from_id, to_id) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const quarantine = db.prepare(
    `INSERT INTO quarantine
       (source, realm, seq, kind, requested_id, next_id, error_tag, message, bytes_zstd, first_seen, tries)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  const rows: Writer["rows"] = (key, seq, { stashes, markets }) => {
    for (const stash of stashes) {
      if (stash.isPublic) {
        const { account, name, type, league, itemCount, json } = stash;
        upsert.run(stash.id, key.realm, seq, 1, account, name, type, league, itemCount, json);
      } else upsert.run(stash.id, key.realm, seq, 0, null, null, null, null, 0, null);
    }
    for (const one of markets) {
      market.run(key.realm, one.hour, one.league, one.marketId, seq, marketJson(one));
    }
  };

  return {
    rows,
    page: (key, { page, stashes, markets, quarantine: rejected }) => {
      const { seq, requestedId, nextId, sha256, receivedAt } = page;
      const size = page.raw.length;
      const count = page.rows.length;
      const { source, realm } = key;
      journal.run(source, realm, seq, requestedId ?? null, nextId, sha256, count, size, receivedAt);
      rows(key, seq, { stashes, markets });
      for (const record of page.gaps) {
        gap.run(source, realm, seq, record.kind, record.from, record.to);
      }
      for (const record of rejected) {
        quarantine.run(
          source,
          realm,
          seq,
          record.kind,
          record.requestedId ?? null,
          record.nextId,
          record.errorTag,
          record.message,
          zstdCompressSync(record.bytes),
          receivedAt,
          record.tries,
        );
      }
    },
    prune: (key, seq) => {
      if (keepPages === Infinity) return;
      const kept = key.source === "exchange" ? keepPages * HOUR_SECONDS : keepPages;
      forget.run(key.source, key.realm, seq - BigInt(kept));
    },
  };
};

const HOUR_SECONDS = 3600;
