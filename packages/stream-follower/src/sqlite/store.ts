/** Status and quarantine of a SQLite store. */
import type * as Effect from "effect/Effect";
import type { DatabaseSync } from "node:sqlite";
import type { SinkError } from "../Errors.ts";
import type { ExchangeRealm, StreamKey, StreamSource } from "../Model.ts";
import type { ReplayedRows, StoreService, StoreStatus } from "../Sink.ts";
import { type QuarantineRow, recordOf } from "../core/sql.ts";
import { attempt, transact } from "./schema.ts";

/** The store over a file; `writeRows` is the sink's own way to write rows. */
export const storeOf = (
  db: DatabaseSync,
  writeRows: (key: StreamKey, seq: bigint, rows: ReplayedRows) => void,
): StoreService => {
  const pending = db.prepare(
    "SELECT *, CAST(seq AS TEXT) AS seq FROM quarantine WHERE replayed = 0 ORDER BY id",
  );
  const mark = db.prepare("UPDATE quarantine SET replayed = 1 WHERE id = ?");
  return {
    status: statusesOf(db),
    quarantine: attempt("quarantine", () =>
      (pending.all() as unknown as Array<QuarantineRow>).map(recordOf),
    ),
    resolve: (record, rows) =>
      attempt("resolve", () =>
        transact(db, () => {
          writeRows(record.key, record.seq, rows);
          mark.run(record.id);
        }),
      ),
  };
};

/** Where the streams of a file stand. */
export const statusesOf = (
  db: DatabaseSync,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  attempt("status", () => {
    const status = db.prepare(
      `SELECT source, realm, next_id, CAST(seq AS TEXT) AS seq, epoch, pages, last_event_at, last_polled_at,
       CASE source WHEN 'stashes' THEN (SELECT count(*) FROM stash s WHERE s.realm = c.realm AND s.public = 1)
         ELSE (SELECT count(*) FROM market m WHERE m.realm = c.realm) END AS row_count,
       CASE source WHEN 'stashes' THEN (SELECT coalesce(sum(items), 0) FROM stash s WHERE s.realm = c.realm) ELSE 0 END AS items,
       (SELECT count(*) FROM quarantine q WHERE q.source = c.source AND q.realm = c.realm AND q.replayed = 0) AS quarantined,
       (SELECT count(*) FROM gap g WHERE g.source = c.source AND g.realm = c.realm) AS gaps
     FROM checkpoint c WHERE next_id IS NOT NULL ORDER BY source, realm`,
    );
    return (status.all() as unknown as Array<StatusRow>).map(statusOf);
  });

interface StatusRow {
  readonly source: StreamSource;
  readonly realm: ExchangeRealm;
  readonly next_id: string;
  readonly seq: string;
  readonly epoch: number;
  readonly pages: number;
  readonly last_event_at: number;
  readonly last_polled_at: number | null;
  readonly row_count: number;
  readonly items: number;
  readonly quarantined: number;
  readonly gaps: number;
}

const statusOf = (row: StatusRow): StoreStatus => ({
  key: { source: row.source, realm: row.realm },
  nextId: row.next_id,
  seq: BigInt(row.seq),
  epoch: row.epoch,
  pages: row.pages,
  rows: row.row_count,
  items: row.items,
  quarantined: row.quarantined,
  gaps: row.gaps,
  receivedAt: row.last_event_at,
  polledAt: row.last_polled_at ?? undefined,
});
