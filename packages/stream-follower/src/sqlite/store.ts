/** Status and quarantine of a SQLite store: the log, and the tables derived from it. */
import * as Effect from "effect/Effect";
import type { DatabaseSync } from "node:sqlite";
import type { SinkError } from "../Errors.ts";
import type { StoredQuarantine, StoreService, StoreStatus } from "../Sink.ts";
import {
  type IndexerRow,
  type QuarantineRow,
  recordOf,
  statusOf,
  type StatusRow,
} from "../core/sql.ts";
import { STREAMS } from "./log.ts";
import { make as makeState } from "./state.ts";
import { attempt, INDEX, indexPath, openToRead } from "./schema.ts";

/** The store over the log of a path. */
export const storeOf = (db: DatabaseSync, path: string): StoreService => {
  const mark = db.prepare(
    "UPDATE quarantine SET resolved_at = ? WHERE id = ? AND resolved_at IS NULL",
  );
  const less = db.prepare(
    "UPDATE checkpoint SET quarantined = quarantined - 1 WHERE source = ? AND realm = ?",
  );
  const withIndex = <A>(read: (found: DatabaseSync | undefined) => Effect.Effect<A, SinkError>) =>
    Effect.scoped(Effect.flatMap(openToRead(indexPath(path), INDEX), read));
  return {
    status: withIndex((found) => openStatuses(db, found)),
    quarantine: withIndex((found) =>
      attempt("quarantine", () => [
        ...openRecords(db),
        ...(found === undefined ? [] : openRecords(found)),
      ]),
    ),
    resolve: (record, rows) =>
      Effect.scoped(
        Effect.gen(function* () {
          const state = yield* makeState({ path });
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
    retried: ({ id, indexer }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const of = indexer === undefined ? db : (yield* makeState({ path })).db;
          const count = "UPDATE quarantine SET tries = tries + 1 WHERE id = ?";
          yield* attempt("retried", () => void of.prepare(count).run(id));
        }),
      ),
  };
};

/** The records of a file that are not resolved. */
const openRecords = (db: DatabaseSync): ReadonlyArray<StoredQuarantine> =>
  (
    db
      .prepare(
        "SELECT *, CAST(seq AS TEXT) AS seq FROM quarantine WHERE resolved_at IS NULL ORDER BY id",
      )
      .all() as unknown as Array<QuarantineRow>
  ).map(recordOf);

/** Status of every stream. */
export const openStatuses = (
  log: DatabaseSync,
  index: DatabaseSync | undefined,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  attempt("status", () => {
    const streams = log.prepare(STREAMS).all() as unknown as Array<StatusRow>;
    const indexers = (index
      ?.prepare("SELECT *, CAST(seq AS TEXT) AS seq FROM indexer ORDER BY name")
      .all() ?? []) as unknown as Array<IndexerRow & Pick<StatusRow, "source" | "realm">>;
    return streams.map((row) => {
      const ours = indexers.filter((one) => one.realm === row.realm && one.source === row.source);
      const rejected = ours.reduce((sum, { quarantined }) => sum + quarantined, 0);
      return statusOf({ ...row, quarantined: Number(row.quarantined) + rejected }, ours);
    });
  });
