/** Status and quarantine of a PostgreSQL store. */
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import type { SqlError } from "effect/sql/SqlError";
import type { ExchangeRealm, StreamSource } from "../Model.ts";
import type { SinkError } from "../Errors.ts";
import type { ReplayedRows, StoredQuarantine, StoreService, StoreStatus } from "../Sink.ts";
import { translate } from "./schema.ts";
import { originalId, type QuarantineRow, recordOf } from "../core/sql.ts";

/** The store over a pool; `writeRows` is the sink's own way to write rows. */
export const storeOf = (
  sql: PgClient,
  writeRows: (record: StoredQuarantine, rows: ReplayedRows) => Effect.Effect<void, SqlError>,
): StoreService => ({
  status: statusesOf(sql),
  quarantine: Effect.map(
    sql<QuarantineRow>`SELECT * FROM quarantine WHERE NOT replayed ORDER BY id`,
    (rows) => rows.map(recordOf),
  ).pipe(translate("quarantine")),
  resolve: (record, rows) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          yield* writeRows(record, rows);
          yield* sql`UPDATE quarantine SET replayed = true WHERE id = ${BigInt(record.id)}`;
        }),
      )
      .pipe(translate("resolve")),
});

/** Reads the status of the streams of a database. */
export const statusesOf = (sql: PgClient): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  Effect.map(
    sql<StatusRow>`
      SELECT source, realm, next_id, seq, epoch, pages, last_event_at, last_polled_at,
        CASE source WHEN 'stashes' THEN (SELECT count(*) FROM stash s WHERE s.realm = c.realm AND s.public)
          ELSE (SELECT count(*) FROM market m WHERE m.realm = c.realm) END AS row_count,
        CASE source WHEN 'stashes'
          THEN (SELECT coalesce(sum(items), 0)::bigint FROM stash s WHERE s.realm = c.realm) ELSE 0 END AS items,
        (SELECT count(*) FROM quarantine q WHERE q.source = c.source AND q.realm = c.realm AND NOT q.replayed) AS quarantined,
        (SELECT count(*) FROM gap g WHERE g.source = c.source AND g.realm = c.realm) AS gaps,
        (SELECT min(p.seq) FROM page p WHERE p.source = c.source AND p.realm = c.realm AND p.body IS NOT NULL) AS oldest,
        (SELECT coalesce(sum(p.wire_bytes), 0)::bigint FROM page p
          WHERE p.source = c.source AND p.realm = c.realm) AS log_bytes
      FROM checkpoint c WHERE next_id IS NOT NULL ORDER BY source, realm`,
    (rows) =>
      rows.map((row) => ({
        key: { source: row.source, realm: row.realm },
        nextId: originalId(row.next_id),
        seq: BigInt(row.seq),
        epoch: Number(row.epoch),
        pages: Number(row.pages),
        rows: Number(row.row_count),
        items: Number(row.items),
        quarantined: Number(row.quarantined),
        gaps: Number(row.gaps),
        receivedAt: Number(row.last_event_at),
        polledAt: row.last_polled_at === null ? undefined : Number(row.last_polled_at),
        logBytes: Number(row.log_bytes),
        oldestSeq: row.oldest === null ? undefined : BigInt(row.oldest),
      })),
  ).pipe(translate("status"));

interface StatusRow {
  readonly source: StreamSource;
  readonly realm: ExchangeRealm;
  readonly next_id: string;
  readonly seq: bigint;
  readonly epoch: bigint;
  readonly pages: bigint;
  readonly last_event_at: bigint;
  readonly last_polled_at: bigint | null;
  readonly row_count: bigint;
  readonly items: bigint;
  readonly quarantined: bigint;
  readonly gaps: bigint;
  readonly oldest: bigint | null;
  readonly log_bytes: bigint;
}
