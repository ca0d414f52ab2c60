/** Status and quarantine of a PostgreSQL store. */
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import type { SinkError } from "../Errors.ts";
import type { ReplayedRows, StoredQuarantine, StoreService, StoreStatus } from "../Sink.ts";
import { streamsOf } from "./log.ts";
import { translate } from "./schema.ts";
import {
  type IndexerRow,
  type QuarantineRow,
  recordOf,
  statusOf,
  type StatusRow,
} from "../core/sql.ts";

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
  retried: ({ id }) =>
    Effect.asVoid(sql`UPDATE quarantine SET tries = tries + 1 WHERE id = ${BigInt(id)}`).pipe(
      translate("retried"),
    ),
});

/** Reads the status of the streams of a database. */
export const statusesOf = (sql: PgClient): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  Effect.map(
    sql<StatusRow & { readonly indexers: ReadonlyArray<IndexerRow> }>`
      SELECT c.*, coalesce((SELECT json_agg(i ORDER BY name) FROM indexer i WHERE i.source = c.source AND i.realm = c.realm),
          '[]') AS indexers,
        (SELECT count(*) FROM quarantine q WHERE q.source = c.source AND q.realm = c.realm AND NOT q.replayed) AS quarantined,
        (SELECT count(*) FROM gap g WHERE g.source = c.source AND g.realm = c.realm) AS gaps
      FROM (${streamsOf(sql)}) AS c ORDER BY source, realm`,
    // An indexer is JSON here: its numbers are far below 2^53.
    (rows) => rows.map(({ indexers, ...row }) => statusOf(row, indexers)),
  ).pipe(translate("status"));
