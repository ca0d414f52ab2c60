/** Status and quarantine of a PostgreSQL store. */
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import type { ExchangeRealm, StreamSource } from "../Model.ts";
import type { SinkError } from "../Errors.ts";
import type { ReplayedRows, StoredQuarantine, StoreService, StoreStatus } from "../Sink.ts";
import { translate } from "./schema.ts";
import { originalId, type QuarantineRow, recordOf } from "../core/sql.ts";

/** The store over a pool; `resolve` is the state indexer's way to write rows. */
export const storeOf = (
  sql: PgClient,
  resolve: (record: StoredQuarantine, rows: ReplayedRows) => Effect.Effect<void, SinkError>,
): StoreService => ({
  status: statusesOf(sql),
  quarantine: Effect.map(
    sql<QuarantineRow>`SELECT * FROM quarantine WHERE NOT replayed ORDER BY id`,
    (rows) => rows.map(recordOf),
  ).pipe(translate("quarantine")),
  resolve,
});

/** Reads the status of the streams of a database. */
export const statusesOf = (sql: PgClient): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  Effect.map(
    sql<StatusRow>`
      SELECT source, realm, next_id, seq, epoch, pages, last_event_at, last_polled_at,
        coalesce((SELECT json_agg(i ORDER BY name) FROM indexer i WHERE i.source = c.source AND i.realm = c.realm),
          '[]') AS indexers,
        (SELECT count(*) FROM quarantine q WHERE q.source = c.source AND q.realm = c.realm AND NOT q.replayed) AS quarantined,
        (SELECT count(*) FROM gap g WHERE g.source = c.source AND g.realm = c.realm) AS gaps,
        (SELECT min(p.seq) FROM page p WHERE p.source = c.source AND p.realm = c.realm AND p.body IS NOT NULL) AS oldest,
        (SELECT coalesce(sum(p.wire_bytes), 0)::bigint FROM page p
          WHERE p.source = c.source AND p.realm = c.realm) AS log_bytes
      FROM checkpoint c WHERE next_id IS NOT NULL ORDER BY source, realm`,
    (rows) => rows.map((row) => statusOf(row)),
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
  readonly indexers: ReadonlyArray<IndexerRow>;
  readonly quarantined: bigint;
  readonly gaps: bigint;
  readonly oldest: bigint | null;
  readonly log_bytes: bigint;
}

/** An indexer as JSON: its numbers are far below 2^53. */
interface IndexerRow {
  readonly name: string;
  readonly seq: number;
  readonly listed: number;
  readonly items: number;
  readonly quarantined: number;
}

const statusOf = (row: StatusRow): StoreStatus => {
  const indexers = row.indexers.map(({ items, listed, name, quarantined, seq }) => ({
    name,
    listed,
    items,
    quarantined,
    seq: BigInt(seq),
    behind: Number(row.seq) - seq,
  }));
  const state = indexers.find(({ name }) => name === "state");
  return {
    key: { source: row.source, realm: row.realm },
    nextId: originalId(row.next_id),
    seq: BigInt(row.seq),
    epoch: Number(row.epoch),
    pages: Number(row.pages),
    rows: state?.listed ?? 0,
    items: state?.items ?? 0,
    quarantined: Number(row.quarantined),
    gaps: Number(row.gaps),
    receivedAt: Number(row.last_event_at),
    polledAt: row.last_polled_at === null ? undefined : Number(row.last_polled_at),
    logBytes: Number(row.log_bytes),
    oldestSeq: row.oldest === null ? undefined : BigInt(row.oldest),
    indexers,
  };
};
