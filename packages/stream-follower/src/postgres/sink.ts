/**
 * The shared sink: PostgreSQL through `@effect/sql-pg`, for several processes and for readers on
 * other machines.
 *
 * A commit writes the page log and, unlike `SinkSqlite`, the current stashes as well, so readers on
 * other machines need no indexer for them. `stash.doc` is the JSON compressed with zstd
 * (`decodeDocument` reads it back). The update of the checkpoint row is the first statement of
 * every transaction: it is the fence, and it makes writers of one stream wait for each other.
 */
import * as PgTypes from "@effect/sql-pg/PgTypes";
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Result from "effect/Result";
import type * as Scope from "effect/Scope";
import type { SqlError } from "effect/sql/SqlError";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { Fenced, type SinkError } from "../Errors.ts";
import type {
  Batch,
  Checkpoint,
  MarketHour,
  PageCommit,
  QuarantineRecord,
  StashChange,
  StreamKey,
} from "../Model.ts";
import {
  type ReplayedRows,
  Sink,
  type SinkService,
  Store,
  type StoreService,
  type StoreStatus,
} from "../Sink.ts";
import {
  connect,
  connectToRead,
  isSqlError,
  kindOf,
  type PostgresConnection,
  sqlState,
  translate,
} from "./schema.ts";
import { PageLog, type PageLogService } from "../PageLog.ts";
import { packBounds } from "../core/bounds.ts";
import { originalId, storableId } from "../core/sql.ts";
import { displayText, stashKey } from "../core/stashKey.ts";
import { logOf, pruneTo } from "./log.ts";
import { statusesOf, storeOf } from "./store.ts";

/** Options of the sink. */
export interface PostgresOptions extends PostgresConnection {
  /** Pages that the journal keeps per stream. Default 10 000; `Infinity` keeps all. */
  readonly keepPages?: number;
}

/** Everything that a database offers. */
export type PostgresService = SinkService & StoreService & PageLogService;

/** Connects, migrates, and gives sink, log and store over the database. */
export const make = (
  options: PostgresOptions,
): Effect.Effect<PostgresService, SinkError, Scope.Scope> =>
  Effect.map(connect(options), (sql) => ({
    ...sinkOf(sql, options.keepPages ?? DEFAULT_KEPT_PAGES),
    ...logOf(sql),
    ...storeOf(sql, (key, seq, rows) => writeRows(sql, key, [{ seq, ...rows }])),
  }));

/** Sink, log and store over a database. */
export const layer = (options: PostgresOptions): Layer.Layer<Sink | Store | PageLog, SinkError> =>
  Layer.effectContext(
    Effect.map(make(options), (service) =>
      Context.make(Sink, service).pipe(Context.add(Store, service), Context.add(PageLog, service)),
    ),
  );

/**
 * Where the streams of a database stand, without writing to it; none where its tables are not made
 * yet.
 */
export const readStatus = (
  options: PostgresConnection,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  Effect.scoped(
    Effect.flatMap(connectToRead(options), (sql) =>
      sql === undefined ? Effect.succeed([]) : statusesOf(sql),
    ),
  );

/** The JSON text of a `stash.doc`. */
export const decodeDocument = (doc: Uint8Array): string => zstdDecompressSync(doc).toString("utf8");

const DEFAULT_KEPT_PAGES = 10_000;

const sinkOf = (sql: PgClient, keepPages: number): SinkService => ({
  claim: (key, epoch) => claim(sql, key, epoch).pipe(translate("claim")),
  commit: (batch, epoch) =>
    sql.withTransaction(commit(sql, batch, epoch, keepPages)).pipe(translate("commit")),
  polled: (key, at) =>
    sql`UPDATE checkpoint SET last_polled_at = ${BigInt(Math.floor(at))}
        WHERE source = ${key.source} AND realm = ${key.realm}`.pipe(
      Effect.asVoid,
      translate("polled"),
    ),
});

interface CheckpointRow {
  readonly next_id: string | null;
  readonly seq: bigint;
  readonly epoch: bigint;
  readonly last_checksum: string;
  readonly last_event_at: bigint;
}

const claim = Effect.fnUntraced(function* (
  sql: PgClient,
  key: StreamKey,
  epoch: number,
): Effect.fn.Return<Checkpoint | undefined, Fenced | SqlError> {
  const [row] = yield* sql<CheckpointRow>`
    INSERT INTO checkpoint AS c (source, realm, epoch) VALUES (${key.source}, ${key.realm}, ${BigInt(epoch)})
    ON CONFLICT (source, realm) DO UPDATE SET epoch = excluded.epoch WHERE c.epoch <= excluded.epoch
    RETURNING next_id, seq, epoch, last_checksum, last_event_at`;
  if (row === undefined) {
    const [standing] = yield* sql<{ epoch: bigint }>`
      SELECT epoch FROM checkpoint WHERE source = ${key.source} AND realm = ${key.realm}`;
    const fence = Number(standing?.epoch ?? epoch);
    return yield* new Fenced({ epoch, fence, detail: "a newer epoch has claimed the stream" });
  }
  if (row.next_id === null) return undefined;
  return {
    nextId: originalId(row.next_id),
    seq: BigInt(row.seq),
    epoch: Number(row.epoch),
    checksum: row.last_checksum,
    receivedAt: Number(row.last_event_at),
  };
});

const commit = Effect.fnUntraced(function* (
  sql: PgClient,
  batch: Batch,
  epoch: number,
  keepPages: number,
): Effect.fn.Return<void, Fenced | SqlError> {
  const { key, checkpoint: to } = batch;
  const moved = yield* sql`
    UPDATE checkpoint SET next_id = ${storableId(to.nextId)}, seq = ${to.seq}, epoch = ${BigInt(epoch)},
      last_checksum = ${to.checksum}, last_event_at = ${BigInt(Math.floor(to.receivedAt))}, pages = pages + ${batch.pages.length}
    WHERE source = ${key.source} AND realm = ${key.realm} AND epoch <= ${BigInt(epoch)} AND seq = ${batch.previousSeq}
    RETURNING 1 AS moved`;
  if (moved.length === 0) {
    return yield* new Fenced({
      epoch,
      detail: `the store no longer stands at page ${batch.previousSeq}, or a newer epoch has claimed it`,
    });
  }
  yield* writeRows(
    sql,
    key,
    batch.pages.map(({ page, stashes, markets }) => {
      const { nextId, receivedAt, requestedId, seq } = page;
      return { seq, stashes, markets, nextId, receivedAt, requestedId };
    }),
  );
  yield* writeJournal(sql, key, batch.pages);
  for (const page of batch.pages) yield* writeRejected(sql, key, page);
  if (keepPages !== Infinity) {
    const kept = key.source === "exchange" ? keepPages * HOUR_SECONDS : keepPages;
    yield* pruneTo(sql, key, to.seq - BigInt(kept));
  }
});

const HOUR_SECONDS = 3600;

type Numbered = ReplayedRows & {
  readonly seq: bigint;
  readonly receivedAt?: number;
  readonly requestedId?: string | undefined;
  readonly nextId?: string;
};

/**
 * One statement per table, however many rows. A row that comes twice in a batch is folded first:
 * the later one stands.
 */
const writeRows = Effect.fnUntraced(function* (
  sql: PgClient,
  key: StreamKey,
  pages: ReadonlyArray<Numbered>,
): Effect.fn.Return<void, SqlError> {
  const stashes = new Map<string, readonly [bigint, StashChange]>();
  const markets = new Map<string, readonly [bigint, MarketHour]>();
  for (const { seq, stashes: changes, markets: hours } of pages) {
    for (const change of changes) stashes.set(change.id, [seq, change]);
    for (const market of hours) {
      const names = `${displayText(market.league)} ${displayText(market.marketId)}`;
      markets.set(`${market.hour} ${names}`, [seq, market]);
    }
  }
  const rejected = [
    ...(yield* bisect(sql, [...stashes.values()], (rows) => upsertStashes(sql, key, rows))),
    ...(yield* bisect(sql, [...markets.values()], (rows) => upsertMarkets(sql, key, rows))),
  ];
  for (const { error, row, seq } of rejected) {
    const page = pages.find((each) => each.seq === seq);
    yield* writeRecord(sql, key, seq, page?.receivedAt ?? 0, {
      kind: "row",
      requestedId: page?.requestedId,
      nextId: page?.nextId ?? "",
      errorTag: "RowRejected",
      message: `SQLSTATE ${sqlState(error)}: ${error.reason.message}`,
      bytes: Buffer.from(row.json),
      tries: 1,
    });
  }
});

/** A row that the database can never take. */
interface RejectedRow {
  readonly seq: bigint;
  readonly row: { readonly json: string };
  readonly error: SqlError;
}

/**
 * Writes rows in one statement. Where the database rejects one of them for good, halves them under
 * savepoints until the rows to blame are found; the others are written.
 */
const bisect = <Row extends { readonly json: string }>(
  sql: PgClient,
  rows: ReadonlyArray<readonly [bigint, Row]>,
  write: (rows: ReadonlyArray<readonly [bigint, Row]>) => Effect.Effect<unknown, SqlError>,
): Effect.Effect<ReadonlyArray<RejectedRow>, SqlError> => {
  if (rows.length === 0) return Effect.succeed([]);
  return sql.withTransaction(write(rows)).pipe(
    Effect.as<ReadonlyArray<RejectedRow>>([]),
    Effect.catch((error) => {
      if (!isSqlError(error) || kindOf(error) !== "rowRejected") return Effect.fail(error);
      const [only] = rows;
      if (rows.length === 1 && only !== undefined) {
        return Effect.succeed([{ seq: only[0], row: only[1], error }]);
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

const arrayOf = (values: ReadonlyArray<unknown>, oid: number) =>
  Result.getOrThrow(PgTypes.array(values, oid));
const texts = (values: ReadonlyArray<string | null>) => arrayOf(values, PgTypes.OID.text);
const blobs = (values: ReadonlyArray<Uint8Array>) => arrayOf(values, PgTypes.OID.bytea);
const numbers = (values: ReadonlyArray<bigint>) => arrayOf(values, PgTypes.OID.int8);

const upsertStashes = (
  sql: PgClient,
  key: StreamKey,
  rows: ReadonlyArray<readonly [bigint, StashChange]>,
) => {
  const column = (pick: (change: StashChange) => string | null) =>
    texts(rows.map(([, change]) => (change.isPublic ? pick(change) : null)));
  const docs = rows.map(([, change]) => (change.isPublic ? zstdCompressSync(change.json) : null));
  return sql.unsafe(
    `INSERT INTO stash AS s (key, id, realm, seq, public, account, name, type, league, items, doc)
     SELECT key, id, $1, seq, public, account, name, type, league, items, doc
     FROM unnest($2::text[], $3::bigint[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bytea[], $11::bytea[])
       AS t (id, seq, public, account, name, type, league, items, doc, key)
     ON CONFLICT (key) DO UPDATE SET realm = excluded.realm, seq = excluded.seq, public = excluded.public,
       account = excluded.account, name = excluded.name, type = excluded.type, league = excluded.league,
       items = excluded.items, doc = excluded.doc
     WHERE excluded.seq >= s.seq`,
    [
      key.realm,
      texts(rows.map(([, change]) => displayText(change.id))),
      numbers(rows.map(([seq]) => seq)),
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
    ],
  );
};

/**
 * Text of a column that is indexed: without U+0000 and lone surrogates, and short enough for an
 * index row. The document keeps it as it came.
 */
const columnText = (text: string | null): string | null =>
  text === null ? null : displayText(text).slice(0, 256);

const upsertMarkets = (
  sql: PgClient,
  key: StreamKey,
  rows: ReadonlyArray<readonly [bigint, MarketHour]>,
) =>
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
      numbers(rows.map(([seq]) => seq)),
      texts(rows.map(([, market]) => displayText(market.json))),
    ],
  );

const writeJournal = (sql: PgClient, key: StreamKey, pages: ReadonlyArray<PageCommit>) =>
  sql.unsafe(
    `INSERT INTO page (source, realm, seq, requested_id, next_id, checksum, rows, bytes, received_at, encoding, state,
       wire_bytes, bounds, body)
     SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[],
       $10::text[], $11::text[], $12::bigint[], $13::bytea[], $14::bytea[])`,
    [
      key.source,
      key.realm,
      numbers(pages.map(({ page }) => page.seq)),
      texts(
        pages.map(({ page: { requestedId } }) =>
          requestedId === undefined ? null : storableId(requestedId),
        ),
      ),
      texts(pages.map(({ page }) => storableId(page.nextId))),
      texts(pages.map(({ page }) => page.checksum)),
      numbers(pages.map(({ page }) => BigInt(page.rows.length))),
      numbers(pages.map(({ page }) => BigInt(page.raw.length))),
      numbers(pages.map(({ page }) => BigInt(Math.floor(page.receivedAt)))),
      texts(pages.map(({ page }) => page.encoding)),
      texts(pages.map(({ page }) => (page.raw.length > 0 ? "ok" : "unread"))),
      numbers(pages.map(({ page }) => BigInt(page.wire.length))),
      blobs(pages.map(({ page }) => packBounds(page.bounds, page.rows))),
      blobs(pages.map(({ page }) => page.wire)),
    ],
  );

const writeRejected = Effect.fnUntraced(function* (
  sql: PgClient,
  key: StreamKey,
  { page, quarantine }: PageCommit,
): Effect.fn.Return<void, SqlError> {
  for (const { kind, from, to } of page.gaps) {
    yield* sql`INSERT INTO gap (source, realm, seq, kind, from_id, to_id)
      VALUES (${key.source}, ${key.realm}, ${page.seq}, ${kind}, ${storableId(from)}, ${storableId(to)})`;
  }
  for (const record of quarantine) yield* writeRecord(sql, key, page.seq, page.receivedAt, record);
});

const writeRecord = (
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
