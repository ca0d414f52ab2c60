/**
 * The shared sink: PostgreSQL through `@effect/sql-pg`, for several processes and for readers on
 * other machines.
 *
 * A commit writes the page log and, unlike `SinkSqlite`, the current stashes as well, so readers on
 * other machines need no indexer for them. `stash.doc` is the JSON compressed with zstd
 * (`decodeDocument` reads it back). The update of the checkpoint row is the first statement of
 * every transaction: it is the fence, and it makes writers of one stream wait for each other.
 */
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import type { SqlError } from "effect/sql/SqlError";
import { zstdDecompressSync } from "node:zlib";
import { Fenced, type HistoryExpired, type SinkError } from "../Errors.ts";
import type { Batch, Checkpoint, PageCommit, StreamKey } from "../Model.ts";
import type { Sink, SinkService, Store, StoreService, StoreStatus } from "../Sink.ts";
import { connect, connectToRead, type PostgresConnection, translate } from "./schema.ts";
import type { PageLog, PageLogService, Retention } from "../PageLog.ts";
import { packBounds } from "../core/bounds.ts";
import { originalId, storableId } from "../core/sql.ts";
import { storeLayer } from "../core/storeLayer.ts";
import { logOf, prune, pruneTo } from "./log.ts";
import { rebuild } from "./rebuild.ts";
import { blobs, numbers, texts, writeRecord, writeRows } from "./rows.ts";
import { statusesOf, storeOf } from "./store.ts";

/** Options of the sink. */
export interface PostgresOptions extends PostgresConnection {
  /**
   * Pages that the log keeps per stream. Default 10 000, or all where another limit is given;
   * `Infinity` keeps all.
   */
  readonly keepPages?: number;
  /** Bytes of pages that the log keeps per stream, looked at every 32 commits. Default: any. */
  readonly keepBytes?: number;
  /** Age of pages that the log keeps, in milliseconds, looked at as often. Default: any age. */
  readonly keepMillis?: number;
}

/** Everything that a database offers. */
export interface PostgresService extends SinkService, StoreService, PageLogService {
  /**
   * Writes the current stashes, or markets, of a stream anew from the log, in one transaction that
   * followers wait for. Returns the pages read. What the log no longer has is lost: look at
   * `positions` first.
   */
  readonly rebuild: (key: StreamKey) => Effect.Effect<number, SinkError | HistoryExpired>;
}

/** Connects, migrates, and gives sink, log and store over the database. */
export const make = (
  options: PostgresOptions,
): Effect.Effect<PostgresService, SinkError, Scope.Scope> =>
  Effect.map(connect(options), (sql) => ({
    ...sinkOf(sql, keptOf(options)),
    ...logOf(sql),
    ...storeOf(sql, ({ firstSeen: receivedAt, key, nextId, requestedId, seq }, rows) =>
      writeRows(sql, key, [{ seq, receivedAt, requestedId, nextId, ...rows }]),
    ),
    rebuild: (key: StreamKey) => rebuild(sql, key),
  }));

/** Sink, log and store over a database. */
export const layer = (options: PostgresOptions): Layer.Layer<Sink | Store | PageLog, SinkError> =>
  storeLayer(make(options));

/**
 * Reads the status of the streams of a database without writing to it. Empty if its tables do not
 * exist yet.
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

/** Limits of the log. */
interface Kept extends Retention {
  readonly pages: number;
}

const keptOf = ({ keepBytes, keepMillis, keepPages }: PostgresOptions): Kept => {
  const bytes = keepBytes ?? Infinity;
  const millis = keepMillis ?? Infinity;
  const isLimited = bytes !== Infinity || millis !== Infinity;
  return { bytes, millis, pages: keepPages ?? (isLimited ? Infinity : DEFAULT_KEPT_PAGES) };
};

/** Bytes and age are summed over all pages of the log: not with every commit. */
const COMMITS_BETWEEN_PRUNES = 32;

const sinkOf = (sql: PgClient, kept: Kept): SinkService => {
  let commits = 0;
  return {
    claim: (key, epoch) => claim(sql, key, epoch).pipe(translate("claim")),
    commit: (batch, epoch) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            yield* commit(sql, batch, epoch, kept.pages);
            commits += 1;
            if (commits % COMMITS_BETWEEN_PRUNES === 0) yield* prune(sql, batch.key, kept, {});
          }),
        )
        .pipe(translate("commit")),
    polled: (key, at) =>
      sql`UPDATE checkpoint SET last_polled_at = ${BigInt(Math.floor(at))}
          WHERE source = ${key.source} AND realm = ${key.realm}`.pipe(
        Effect.asVoid,
        translate("polled"),
      ),
  };
};

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
