/**
 * Implements sink and lease over one `SqlClient`. The table `stream` has checkpoint, fence, lease.
 *
 * A commit is one transaction. Its first statement moves the row of the stream if the stream is
 * still at the page before and no newer epoch has claimed it; otherwise nothing is written.
 */
import * as Arr from "effect/Array";
import * as Effect from "effect/Effect";
import type { SqlClient } from "effect/sql/SqlClient";
import { zstdCompressSync } from "node:zlib";
import { Fenced } from "../Errors.ts";
import type { LeaseStore } from "../Lease.ts";
import {
  type Checkpoint,
  type GapRecord,
  MAX_RECENT_IDS,
  type Page,
  type PageCommit,
  type QuarantineRecord,
  type StreamKey,
} from "../Model.ts";
import type { Retention } from "../PageLog.ts";
import type { SinkService } from "../Sink.ts";
import { translate, words, decodeId, displayText, encodeId } from "./Database.ts";
import { prune } from "./Log.ts";

/** Columns of the table `stream` from which a checkpoint is made. */
interface StreamRow {
  readonly next_id: string | null;
  readonly seq: bigint;
  readonly epoch: bigint;
  readonly checksum: string;
  readonly received_at: bigint;
}

/** Makes the sink of a store. It keeps whole pages and prunes the log after each commit. */
export const makeSink = (sql: SqlClient, keep: Retention): SinkService => {
  const claim = Effect.fnUntraced(function* ({ realm, source }: StreamKey, epoch: number) {
    const [row] = yield* sql<StreamRow>`
      INSERT INTO stream (source, realm, epoch) VALUES (${source}, ${realm}, ${integer(epoch)})
      ON CONFLICT (source, realm) DO UPDATE SET epoch = excluded.epoch
        WHERE stream.epoch <= excluded.epoch
      RETURNING *`;
    if (row !== undefined) {
      // Omits ids from before the last gap, because the stream may lead to them again.
      const pages = yield* sql<{ requested_id: string }>`
        SELECT requested_id FROM page
        WHERE source = ${source} AND realm = ${realm} AND requested_id IS NOT NULL AND seq > (
          SELECT coalesce(max(seq), 0) FROM gap WHERE source = ${source} AND realm = ${realm})
        ORDER BY seq DESC LIMIT ${BigInt(MAX_RECENT_IDS)}`;
      return readCheckpoint(row, pages.map(({ requested_id: id }) => decodeId(id)).toReversed());
    }
    const [newer] = yield* sql<StreamRow>`
      SELECT * FROM stream WHERE source = ${source} AND realm = ${realm}`;
    const detail = "a newer epoch has claimed the stream";
    return yield* new Fenced({ epoch, fence: Number(newer?.epoch ?? epoch), detail });
  });

  const commit = Effect.fnUntraced(function* ({ page }: PageCommit, epoch: number) {
    const { key, previousSeq } = page;
    const moved = yield* sql`
      UPDATE stream SET next_id = ${encodeId(page.nextId)}, seq = ${page.seq}, epoch = ${integer(epoch)},
        checksum = ${page.checksum}, received_at = ${integer(page.receivedAt)},
        pages = pages + 1, log_bytes = log_bytes + ${integer(page.wire.length)}
      WHERE source = ${key.source} AND realm = ${key.realm} AND epoch <= ${integer(epoch)}
        AND seq = ${previousSeq}
      RETURNING 1 AS moved`;
    if (moved.length === 0) {
      const detail = `the store is not at page ${previousSeq}, or a newer epoch has claimed it`;
      return yield* new Fenced({ epoch, detail });
    }
    yield* sql`INSERT INTO page ${sql.insert(pageRow(page))}`;
    const gaps = page.gaps.map((gap) => gapRow(page, gap));
    if (Arr.isArrayNonEmpty(gaps)) yield* sql`INSERT INTO gap ${sql.insert(gaps)}`;
    // Readers of the log check rows, so this table has only pages that were given up.
    const records = page.quarantine.map((record) => recordRow(page, record, page.tries));
    if (Arr.isArrayNonEmpty(records)) yield* sql`INSERT INTO quarantine ${sql.insert(records)}`;
    // Prunes two pages at most, so that a log shrinks step by step to a smaller retention.
    yield* prune(sql, key, keep, { maxPages: 2 });
  });

  return {
    isPageLog: true,
    claim: (key, epoch) => translate("claim")(claim(key, epoch)),
    commit: (page, epoch) => commit(page, epoch).pipe(sql.withTransaction, translate("commit")),
    polled: ({ realm, source }, at) =>
      sql`UPDATE stream SET polled_at = ${integer(at)} WHERE source = ${source} AND realm = ${realm}`.pipe(
        Effect.asVoid,
        translate("polled"),
      ),
  };
};

/** Converts to a bigint, because both databases take integers as bigints. */
const integer = (value: number): bigint => BigInt(Math.floor(value));

const readCheckpoint = (row: StreamRow, recentIds: ReadonlyArray<string>): Checkpoint | undefined =>
  row.next_id === null
    ? undefined
    : {
        nextId: decodeId(row.next_id),
        seq: BigInt(row.seq),
        epoch: Number(row.epoch),
        checksum: row.checksum,
        receivedAt: Number(row.received_at),
        recentIds,
      };

const pageRow = (page: Page) => ({
  ...page.key,
  seq: page.seq,
  requested_id: page.requestedId === undefined ? null : encodeId(page.requestedId),
  next_id: encodeId(page.nextId),
  received_at: integer(page.receivedAt),
  encoding: page.encoding,
  wire_bytes: integer(page.wire.length),
  raw_bytes: integer(page.rawBytes),
  checksum: page.checksum,
  row_count: integer(page.rowCount),
  follows_gap: page.gaps.length > 0 ? 1n : 0n,
  body: page.wire,
});

const gapRow = ({ key, seq }: Page, { from, kind, to }: GapRecord) => ({
  ...key,
  seq,
  kind,
  from_id: encodeId(from),
  to_id: encodeId(to),
});

/** The columns that the tables `quarantine` and `skipped` share. */
const recordRow = (
  page: Pick<Page, "key" | "seq" | "requestedId" | "nextId" | "receivedAt">,
  { bytes, errorTag, message }: QuarantineRecord,
  tries: number,
) => ({
  ...page.key,
  seq: page.seq,
  requested_id: page.requestedId === undefined ? null : encodeId(page.requestedId),
  next_id: encodeId(page.nextId),
  error_tag: errorTag,
  message: displayText(message).slice(0, 1000),
  first_seen: integer(page.receivedAt),
  tries: integer(tries),
  bytes_zstd: zstdCompressSync(bytes),
});

/** Keeps a row of a page, or the whole page, in the table `skipped` of an indexer. */
export const insertSkipped = (
  sql: SqlClient,
  indexer: string,
  page: Parameters<typeof recordRow>[0],
  record: QuarantineRecord,
) =>
  sql`INSERT INTO skipped ${sql.insert({
    ...recordRow(page, record, 1),
    indexer,
    place: record.place === undefined ? null : BigInt(record.place),
  })}`;

/** Makes the lease of a store, timed by the database's clock. Taking the lease raises the fence. */
export const makeLeaseStore = (sql: SqlClient): LeaseStore => {
  const { now } = words(sql);
  const isHolder = ({ realm, source }: StreamKey, owner: string) =>
    sql`source = ${source} AND realm = ${realm} AND owner = ${owner}`;
  return {
    take: ({ realm, source }, owner, ttl) =>
      sql<{ epoch: bigint }>`
        INSERT INTO stream (source, realm, owner, epoch, expires_at)
        VALUES (${source}, ${realm}, ${owner}, 1, ${now} + ${integer(ttl)})
        ON CONFLICT (source, realm) DO UPDATE
          SET owner = excluded.owner, holder_state = NULL, epoch = stream.epoch + 1,
            expires_at = excluded.expires_at
          WHERE stream.owner IS NULL OR stream.owner = excluded.owner OR stream.expires_at <= ${now}
        RETURNING epoch`.pipe(
        Effect.map(([row]) => (row === undefined ? undefined : Number(row.epoch))),
        translate("lease"),
      ),
    renew: (key, owner, { epoch, state, ttlMillis }) =>
      sql`UPDATE stream
          SET expires_at = ${now} + ${integer(ttlMillis)}, holder_state = ${JSON.stringify(state)}
          WHERE ${isHolder(key, owner)} AND epoch = ${integer(epoch)} RETURNING 1 AS renewed`.pipe(
        Effect.map((rows) => rows.length === 1),
        translate("lease"),
      ),
    release: (key, owner) =>
      sql`UPDATE stream SET owner = NULL WHERE ${isHolder(key, owner)}`.pipe(
        Effect.asVoid,
        translate("lease"),
      ),
  };
};
