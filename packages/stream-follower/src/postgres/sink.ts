/**
 * The shared sink: PostgreSQL through `@effect/sql-pg`, for several processes and for readers on
 * other machines.
 *
 * The same tables as `SinkSqlite`; `stash.doc` is the JSON compressed with zstd (`decodeDocument` reads it
 * back). The update of the checkpoint row is the first statement of every transaction: it is the
 * fence, and it makes writers of one stream wait for each other.
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
import { connect, connectToRead, type PostgresConnection, translate } from "./schema.ts";
import { statusesOf, storeOf } from "./store.ts";

/** Options of the sink. */
export interface PostgresOptions extends PostgresConnection {
  /** Pages that the journal keeps per stream. Default 10 000; `Infinity` keeps all. */
  readonly keepPages?: number;
}

/** Connects, migrates, and gives sink and store over the database. */
export const make = (
  options: PostgresOptions,
): Effect.Effect<SinkService & StoreService, SinkError, Scope.Scope> =>
  Effect.map(connect(options), (sql) => ({
    ...sinkOf(sql, options.keepPages ?? DEFAULT_KEPT_PAGES),
    ...storeOf(sql, (key, seq, rows) => writeRows(sql, key, [{ seq, ...rows }])),
  }));

/** Sink and store over a database. */
export const layer = (options: PostgresOptions): Layer.Layer<Sink | Store, SinkError> =>
  Layer.effectContext(
    Effect.map(make(options), (service) =>
      Context.make(Sink, service).pipe(Context.add(Store, service)),
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
    nextId: row.next_id,
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
    UPDATE checkpoint SET next_id = ${to.nextId}, seq = ${to.seq}, epoch = ${BigInt(epoch)},
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
    batch.pages.map(({ page, stashes, markets }) => ({ seq: page.seq, stashes, markets })),
  );
  yield* writeJournal(sql, key, batch.pages);
  for (const page of batch.pages) yield* writeRejected(sql, key, page);
  if (keepPages !== Infinity) {
    const kept = key.source === "exchange" ? keepPages * HOUR_SECONDS : keepPages;
    yield* sql`DELETE FROM page WHERE source = ${key.source} AND realm = ${key.realm} AND seq <= ${to.seq - BigInt(kept)}`;
  }
});

const HOUR_SECONDS = 3600;

type Numbered = ReplayedRows & { readonly seq: bigint };

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
      markets.set(`${market.hour} ${market.league} ${market.marketId}`, [seq, market]);
    }
  }
  if (stashes.size > 0) yield* upsertStashes(sql, key, [...stashes.values()]);
  if (markets.size > 0) yield* upsertMarkets(sql, key, [...markets.values()]);
});

const arrayOf = (values: ReadonlyArray<unknown>, oid: number) =>
  Result.getOrThrow(PgTypes.array(values, oid));
const texts = (values: ReadonlyArray<string | null>) => arrayOf(values, PgTypes.OID.text);
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
    `INSERT INTO stash AS s (id, realm, seq, public, account, name, type, league, items, doc)
     SELECT id, $1, seq, public, account, name, type, league, items, doc
     FROM unnest($2::text[], $3::bigint[], $4::boolean[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bytea[])
       AS t (id, seq, public, account, name, type, league, items, doc)
     ON CONFLICT (id) DO UPDATE SET realm = excluded.realm, seq = excluded.seq, public = excluded.public,
       account = excluded.account, name = excluded.name, type = excluded.type, league = excluded.league,
       items = excluded.items, doc = excluded.doc
     WHERE excluded.seq >= s.seq`,
    [
      key.realm,
      texts(rows.map(([, change]) => change.id)),
      numbers(rows.map(([seq]) => seq)),
      arrayOf(
        rows.map(([, change]) => change.isPublic),
        PgTypes.OID.bool,
      ),
      column((change) => withoutNul(change.account)),
      column((change) => withoutNul(change.name)),
      column((change) => withoutNul(change.type)),
      column((change) => withoutNul(change.league)),
      numbers(rows.map(([, change]) => BigInt(change.itemCount))),
      arrayOf(docs, PgTypes.OID.bytea),
    ],
  );
};

/** PostgreSQL's text cannot hold U+0000; the document keeps it. */
const withoutNul = (text: string | null): string | null => text?.replaceAll("\u0000", "") ?? null;

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
      texts(rows.map(([, market]) => market.league)),
      texts(rows.map(([, market]) => market.marketId)),
      numbers(rows.map(([seq]) => seq)),
      texts(rows.map(([, market]) => market.json)),
    ],
  );

const writeJournal = (sql: PgClient, key: StreamKey, pages: ReadonlyArray<PageCommit>) =>
  sql.unsafe(
    `INSERT INTO page (source, realm, seq, requested_id, next_id, checksum, rows, bytes, received_at)
     SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[])`,
    [
      key.source,
      key.realm,
      numbers(pages.map(({ page }) => page.seq)),
      texts(pages.map(({ page }) => page.requestedId ?? null)),
      texts(pages.map(({ page }) => page.nextId)),
      texts(pages.map(({ page }) => page.checksum)),
      numbers(pages.map(({ page }) => BigInt(page.rows.length))),
      numbers(pages.map(({ page }) => BigInt(page.raw.length))),
      numbers(pages.map(({ page }) => BigInt(Math.floor(page.receivedAt)))),
    ],
  );

const writeRejected = Effect.fnUntraced(function* (
  sql: PgClient,
  key: StreamKey,
  { page, quarantine }: PageCommit,
): Effect.fn.Return<void, SqlError> {
  for (const { kind, from, to } of page.gaps) {
    yield* sql`INSERT INTO gap (source, realm, seq, kind, from_id, to_id)
      VALUES (${key.source}, ${key.realm}, ${page.seq}, ${kind}, ${from}, ${to})`;
  }
  for (const record of quarantine) {
    yield* sql`INSERT INTO quarantine
        (source, realm, seq, kind, requested_id, next_id, error_tag, message, bytes_zstd, first_seen, tries)
      VALUES (${key.source}, ${key.realm}, ${page.seq}, ${record.kind}, ${record.requestedId ?? null}, ${record.nextId},
        ${record.errorTag}, ${withoutNul(record.message)}, ${zstdCompressSync(record.bytes)},
        ${BigInt(Math.floor(page.receivedAt))}, ${record.tries})`;
  }
});
