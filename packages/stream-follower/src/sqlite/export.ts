/** Rows of a SQLite store for exports: one snapshot, row by row. */
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { SinkError } from "../Errors.ts";
import {
  type ExportFilter,
  type ExportKind,
  type ExportRow,
  type ExportStash,
  rowsOfStash,
} from "../core/exportRows.ts";
import { idOfKey } from "../core/stashKey.ts";
import { attempt, indexPath, INDEX, openToRead } from "./schema.ts";

/** The rows of a file, in a read transaction that ends with the stream. */
export const rows = (
  path: string,
  kind: ExportKind,
  filter: ExportFilter,
): Stream.Stream<ExportRow, SinkError> =>
  Stream.unwrap(
    Effect.flatMap(openToRead(indexPath(path), INDEX), (db) =>
      attempt("export", () => {
        if (db === undefined) return Stream.empty;
        db.exec("BEGIN");
        const { league = null, realm, since = 0n } = filter;
        if (kind === "markets") {
          const found = db
            .prepare(
              `SELECT realm, hour, league, market_id AS market, doc AS json FROM market
               WHERE realm = ? AND (? IS NULL OR league = ?) AND seq > ? ORDER BY hour, league, market_id`,
            )
            .iterate(realm, league, league, since);
          return Stream.fromIterable(found as unknown as Iterable<ExportRow>);
        }
        const stashes = db
          .prepare(
            `SELECT key, odd_id, realm, seq, account, name, type, league, items, first_seen AS firstSeen,
               last_seen AS lastSeen, doc FROM stash JOIN stash_doc USING (no)
             WHERE realm = ? AND (? IS NULL OR league = ?) AND seq > ? ORDER BY no`,
          )
          .iterate(realm, league, league, since) as unknown as Iterable<StashRecord>;
        return Stream.fromIterable(rowsOf(kind, stashes));
      }),
    ),
  );

interface StashRecord extends Omit<ExportStash, "id"> {
  readonly key: Uint8Array;
  readonly odd_id: string | null;
}

function* rowsOf(kind: "stashes" | "items", stashes: Iterable<StashRecord>): Generator<ExportRow> {
  for (const { key, odd_id: odd, ...stash } of stashes) {
    yield* rowsOfStash(kind, { id: idOfKey(key, odd), ...stash });
  }
}
