/** Status and quarantine of a SQLite store: the log, and the tables derived from it. */
import * as Effect from "effect/Effect";
import type { DatabaseSync } from "node:sqlite";
import type { SinkError } from "../Errors.ts";
import type { ExchangeRealm, StreamKey, StreamSource } from "../Model.ts";
import type { IndexerStatus, StoredQuarantine, StoreService, StoreStatus } from "../Sink.ts";
import { originalId, type QuarantineRow, recordOf } from "../core/sql.ts";
import { make as makeState } from "./state.ts";
import { attempt, INDEX, openToRead } from "./schema.ts";

/** The store over a log; `index` is the file of derived tables. */
export const storeOf = (db: DatabaseSync, index: string): StoreService => {
  const pending = db.prepare(
    "SELECT *, CAST(seq AS TEXT) AS seq FROM quarantine WHERE resolved_at IS NULL ORDER BY id",
  );
  const mark = db.prepare(
    "UPDATE quarantine SET resolved_at = ? WHERE id = ? AND resolved_at IS NULL",
  );
  const less = db.prepare(
    "UPDATE checkpoint SET quarantined = quarantined - 1 WHERE source = ? AND realm = ?",
  );
  const withIndex = <A>(read: (found: DatabaseSync | undefined) => Effect.Effect<A, SinkError>) =>
    Effect.scoped(Effect.flatMap(openToRead(index, INDEX), read));
  return {
    status: withIndex((found) => openStatuses(db, found)),
    quarantine: withIndex((found) =>
      attempt("quarantine", () => {
        const ofLog = (pending.all() as unknown as Array<QuarantineRow>).map(recordOf);
        return found === undefined ? ofLog : [...ofLog, ...ofIndex(found)];
      }),
    ),
    resolve: (record, rows) =>
      Effect.scoped(
        Effect.gen(function* () {
          const state = yield* makeState({ path: index, indexPath: index });
          // Two files have no common transaction: the rows first, which may be written twice.
          yield* state.replay(record, rows);
          if (record.indexer !== undefined) return;
          yield* attempt("resolve", () => {
            if (mark.run(Date.now(), record.id).changes === 1) {
              less.run(record.key.source, record.key.realm);
            }
          });
        }),
      ),
  };
};

const ofIndex = (db: DatabaseSync): ReadonlyArray<StoredQuarantine> =>
  (
    db
      .prepare(
        "SELECT *, CAST(seq AS TEXT) AS seq FROM quarantine WHERE resolved_at IS NULL ORDER BY id",
      )
      .all() as unknown as Array<QuarantineRow>
  ).map(recordOf);

/** Status of every stream. Every figure is a column; nothing is counted. */
export const openStatuses = (
  log: DatabaseSync,
  index: DatabaseSync | undefined,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  attempt("status", () => {
    const streams = log
      .prepare(
        `SELECT source, realm, next_id, CAST(seq AS TEXT) AS seq, epoch, pages, changes, log_bytes, last_event_at,
           last_polled_at, quarantined, gaps,
           (SELECT CAST(min(p.seq) AS TEXT) FROM page p WHERE p.source = c.source AND p.realm = c.realm) AS oldest
         FROM checkpoint c WHERE next_id IS NOT NULL ORDER BY source, realm`,
      )
      .all() as unknown as Array<StatusRow>;
    const indexers = (index
      ?.prepare("SELECT *, CAST(seq AS TEXT) AS seq FROM indexer ORDER BY name")
      .all() ?? []) as unknown as Array<IndexerRow>;
    return streams.map((row) => statusOf(row, indexers));
  });

interface StatusRow {
  readonly source: StreamSource;
  readonly realm: ExchangeRealm;
  readonly next_id: string;
  readonly seq: string;
  readonly epoch: number;
  readonly pages: number;
  readonly changes: number;
  readonly log_bytes: number;
  readonly last_event_at: number;
  readonly last_polled_at: number | null;
  readonly quarantined: number;
  readonly gaps: number;
  readonly oldest: string | null;
}

interface IndexerRow {
  readonly name: string;
  readonly source: StreamSource;
  readonly realm: ExchangeRealm;
  readonly seq: string;
  readonly listed: number;
  readonly items: number;
  readonly quarantined: number;
}

const statusOf = (row: StatusRow, all: ReadonlyArray<IndexerRow>): StoreStatus => {
  const key: StreamKey = { source: row.source, realm: row.realm };
  const indexers = all
    .filter(({ realm, source }) => realm === key.realm && source === key.source)
    .map((each): IndexerStatus => ({
      name: each.name,
      seq: BigInt(each.seq),
      behind: Number(BigInt(row.seq) - BigInt(each.seq)),
      listed: each.listed,
      items: each.items,
      quarantined: each.quarantined,
    }));
  const state = indexers.find(({ name }) => name === "state");
  return {
    key,
    nextId: originalId(row.next_id),
    seq: BigInt(row.seq),
    epoch: row.epoch,
    pages: row.pages,
    rows: state?.listed ?? 0,
    items: state?.items ?? 0,
    quarantined: row.quarantined + indexers.reduce((sum, each) => sum + each.quarantined, 0),
    gaps: row.gaps,
    receivedAt: row.last_event_at,
    polledAt: row.last_polled_at ?? undefined,
    changes: row.changes,
    logBytes: row.log_bytes,
    oldestSeq: row.oldest === null ? undefined : BigInt(row.oldest),
    indexers,
  };
};
