/** Writes the rows of a stream anew from the log of a PostgreSQL database. */
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import type { SqlError } from "effect/sql/SqlError";
import type { HistoryExpired, SinkError } from "../Errors.ts";
import type { StashChange, StreamKey } from "../Model.ts";
import type { LoggedPage } from "../PageLog.ts";
import { indexedPage } from "../core/indexedPage.ts";
import { readChange } from "../core/readRow.ts";
import { read } from "./log.ts";
import { ROW_REJECTED, type RowsOfPage, writeRecord, writeRows } from "./rows.ts";
import { translate } from "./schema.ts";

/** Rebuilds a stream; returns the number of pages read. */
export const rebuild = (
  sql: PgClient,
  key: StreamKey,
): Effect.Effect<number, SinkError | HistoryExpired> =>
  sql
    .withTransaction(
      Effect.gen(function* () {
        // Every commit begins with this row: followers wait until the rows are whole again.
        yield* sql`SELECT 1 FROM checkpoint WHERE source = ${key.source} AND realm = ${key.realm} FOR UPDATE`;
        yield* key.source === "stashes"
          ? sql`DELETE FROM stash WHERE realm = ${key.realm}`
          : sql`DELETE FROM market WHERE realm = ${key.realm}`;
        yield* sql`DELETE FROM quarantine
          WHERE source = ${key.source} AND realm = ${key.realm} AND error_tag = ${ROW_REJECTED}`;
        const first = yield* sql<{ seq: bigint | null }>`
          SELECT min(seq) AS seq FROM page WHERE source = ${key.source} AND realm = ${key.realm} AND body IS NOT NULL`;
        let after = BigInt(first[0]?.seq ?? 1n) - 1n;
        let count = 0;
        while (true) {
          const pages = yield* read(sql, key, after, {});
          const last = pages.at(-1);
          if (last === undefined) return count;
          yield* writeRows(sql, key, yield* Effect.forEach(pages, (page) => rowsOf(sql, page)));
          count += pages.length;
          after = last.seq;
        }
      }),
    )
    .pipe(translate("rebuild"));

const rowsOf = Effect.fnUntraced(function* (
  sql: PgClient,
  page: LoggedPage,
): Effect.fn.Return<RowsOfPage, SinkError | SqlError> {
  const { changes, key, markets, nextId, receivedAt, requestedId, seq } = yield* indexedPage(page);
  const stashes: Array<StashChange> = [];
  for (const change of changes) {
    const found = readChange(change, () => true);
    if (found === undefined) continue;
    if (!("message" in found)) stashes.push(found);
    else {
      yield* writeRecord(sql, key, seq, receivedAt, {
        kind: "row",
        requestedId,
        nextId,
        errorTag: ROW_REJECTED,
        message: found.message,
        bytes: Buffer.from(found.json),
        tries: 1,
      });
    }
  }
  return { seq, receivedAt, requestedId, nextId, stashes, markets };
});
