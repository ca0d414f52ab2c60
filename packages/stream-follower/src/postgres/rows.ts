/**
 * Writes rows of pages to a PostgreSQL database: current stashes, markets, quarantine. What the
 * database can never take is found and quarantined; the rest is written.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes";
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { SqlError } from "effect/sql/SqlError";
import { zstdCompressSync } from "node:zlib";
import type { MarketHour, QuarantineRecord, StashChange, StreamKey } from "../Model.ts";
import type { ReplayedRows } from "../Sink.ts";
import { storableId } from "../core/sql.ts";
import { displayText, stashKey } from "../core/stashKey.ts";
import { isSqlError, kindOf, sqlState } from "./schema.ts";

/** Rows with what is known of the page that they came with. */
export interface RowsOfPage extends ReplayedRows {
  readonly seq: bigint;
  readonly receivedAt: number;
  readonly requestedId: string | undefined;
  readonly nextId: string;
}

/**
 * One statement per table, however many rows. A row that comes twice in a batch is folded first:
 * the later one stands.
 */
export const writeRows = Effect.fnUntraced(function* (
  sql: PgClient,
  key: StreamKey,
  pages: ReadonlyArray<RowsOfPage>,
): Effect.fn.Return<void, SqlError> {
  const stashes = new Map<string, Placed<StashChange>>();
  const markets = new Map<string, Placed<MarketHour>>();
  for (const page of pages) {
    for (const change of page.stashes) {
      const firstSeen = stashes.get(change.id)?.[2] ?? page.receivedAt;
      stashes.set(change.id, [page, change, firstSeen]);
    }
    for (const market of page.markets) {
      const names = `${displayText(market.league)} ${displayText(market.marketId)}`;
      markets.set(`${market.hour} ${names}`, [page, market, page.receivedAt]);
    }
  }
  const rejected = [
    ...(yield* bisect(sql, [...stashes.values()], (rows) => upsertStashes(sql, key, rows))),
    ...(yield* bisect(sql, [...markets.values()], (rows) => upsertMarkets(sql, key, rows))),
  ];
  for (const { error, page, row } of rejected) {
    yield* writeRecord(sql, key, page.seq, page.receivedAt, {
      kind: "row",
      requestedId: page.requestedId,
      nextId: page.nextId,
      errorTag: ROW_REJECTED,
      message: `SQLSTATE ${sqlState(error)}: ${error.reason.message}`,
      bytes: Buffer.from(row.json),
      tries: 1,
    });
  }
});

/** A row with the page that it came with, and when the batch first named it. */
type Placed<Row> = readonly [page: RowsOfPage, row: Row, firstSeen: number];

/** A row that the database can never take. */
interface RejectedRow {
  readonly page: RowsOfPage;
  readonly row: { readonly json: string };
  readonly error: SqlError;
}

/**
 * Writes rows in one statement. Where the database rejects one of them for good, halves them under
 * savepoints until the rows to blame are found; the others are written.
 */
const bisect = <Row extends { readonly json: string }>(
  sql: PgClient,
  rows: ReadonlyArray<Placed<Row>>,
  write: (rows: ReadonlyArray<Placed<Row>>) => Effect.Effect<unknown, SqlError>,
): Effect.Effect<ReadonlyArray<RejectedRow>, SqlError> => {
  if (rows.length === 0) return Effect.succeed([]);
  return sql.withTransaction(write(rows)).pipe(
    Effect.as<ReadonlyArray<RejectedRow>>([]),
    Effect.catch((error) => {
      if (!isSqlError(error) || kindOf(error) !== "rowRejected") return Effect.fail(error);
      const [only] = rows;
      if (rows.length === 1 && only !== undefined) {
        return Effect.succeed([{ page: only[0], row: only[1], error }]);
      }
      const half = Math.ceil(rows.length / 2);
      return Effect.zipWith(
        bisect(sql, rows.slice(0, half), write),
        bisect(sql, rows.slice(half), write),
        (first, second) => [...first, ...second],
      );
    }),
  );
};

const upsertStashes = (sql: PgClient, key: StreamKey, rows: ReadonlyArray<Placed<StashChange>>) => {
  const column = (pick: (change: StashChange) => string | null) =>
    texts(rows.map(([, change]) => (change.isPublic ? pick(change) : null)));
  const docs = rows.map(([, change]) => (change.isPublic ? zstdCompressSync(change.json) : null));
  return sql.unsafe(
    `INSERT INTO stash AS s (key, id, realm, seq, public, account, name, type, league, items, doc, first_seen, last_seen)
     SELECT key, id, $1, seq, public, account, name, type, league, items, doc, first_seen, last_seen
     FROM unnest($2::text[], $3::bigint[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bytea[], $11::bytea[],
       $12::bigint[], $13::bigint[])
       AS t (id, seq, public, account, name, type, league, items, doc, key, first_seen, last_seen)
     ON CONFLICT (key) DO UPDATE SET realm = excluded.realm, seq = excluded.seq, public = excluded.public,
       account = excluded.account, name = excluded.name, type = excluded.type, league = excluded.league,
       items = excluded.items, doc = excluded.doc, last_seen = excluded.last_seen
     WHERE excluded.seq >= s.seq`,
    [
      key.realm,
      texts(rows.map(([, change]) => displayText(change.id))),
      numbers(rows.map(([{ seq }]) => seq)),
      arrayOf(
        rows.map(([, change]) => change.isPublic),
        PgTypes.OID.bool,
      ),
      column((change) => columnText(change.account)),
      column((change) => columnText(change.name)),
      column((change) => columnText(change.type)),
      column((change) => columnText(change.league)),
      numbers(rows.map(([, change]) => BigInt(change.itemCount))),
      arrayOf(docs, PgTypes.OID.bytea),
      arrayOf(
        rows.map(([, change]) => stashKey(change.id)),
        PgTypes.OID.bytea,
      ),
      numbers(rows.map(([, , firstSeen]) => BigInt(Math.floor(firstSeen)))),
      numbers(rows.map(([{ receivedAt }]) => BigInt(Math.floor(receivedAt)))),
    ],
  );
};

/**
 * Text of a column that is indexed: without U+0000 and lone surrogates, and short enough for an
 * index row. The document keeps it as it came.
 */
const columnText = (text: string | null): string | null =>
  text === null ? null : displayText(text).slice(0, 256);

const upsertMarkets = (sql: PgClient, key: StreamKey, rows: ReadonlyArray<Placed<MarketHour>>) =>
  sql.unsafe(
    `INSERT INTO market AS m (realm, hour, league, market_id, seq, doc)
     SELECT $1, hour, league, market_id, seq, doc
     FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[]) AS t (hour, league, market_id, seq, doc)
     ON CONFLICT (realm, hour, league, market_id) DO UPDATE SET seq = excluded.seq, doc = excluded.doc
     WHERE excluded.seq >= m.seq`,
    [
      key.realm,
      numbers(rows.map(([, market]) => BigInt(market.hour))),
      texts(rows.map(([, market]) => displayText(market.league))),
      texts(rows.map(([, market]) => displayText(market.marketId))),
      numbers(rows.map(([{ seq }]) => seq)),
      texts(rows.map(([, market]) => displayText(market.json))),
    ],
  );

/** The error tag of a row that the database can never take. */
export const ROW_REJECTED = "RowRejected";

/** Quarantines a record. */
export const writeRecord = (
  sql: PgClient,
  { realm, source }: StreamKey,
  seq: bigint,
  receivedAt: number,
  record: QuarantineRecord,
) =>
  sql`INSERT INTO quarantine
        (source, realm, seq, kind, requested_id, next_id, error_tag, message, bytes_zstd, first_seen, tries)
      VALUES (${source}, ${realm}, ${seq}, ${record.kind},
        ${record.requestedId === undefined ? null : storableId(record.requestedId)}, ${storableId(record.nextId)},
        ${record.errorTag}, ${displayText(record.message)}, ${zstdCompressSync(record.bytes)},
        ${BigInt(Math.floor(receivedAt))}, ${record.tries})`;

/** Values of one column, for `unnest`. */
const arrayOf = (values: ReadonlyArray<unknown>, oid: number) =>
  Result.getOrThrow(PgTypes.array(values, oid));
export const texts = (values: ReadonlyArray<string | null>) => arrayOf(values, PgTypes.OID.text);
export const blobs = (values: ReadonlyArray<Uint8Array>) => arrayOf(values, PgTypes.OID.bytea);
export const numbers = (values: ReadonlyArray<bigint>) => arrayOf(values, PgTypes.OID.int8);
