/**
 * The shared sink: PostgreSQL through `@effect/sql-pg`, for several processes and for readers on
 * other machines.
 *
 * A commit writes the page log in one statement, and so in one round trip: the update of the
 * checkpoint row is its fence, and a process that is stopped or cut off never holds that row. The
 * current stashes are derived by `PostgresState`.
 */
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import type { SqlError } from "effect/sql/SqlError";
import { zstdCompressSync } from "node:zlib";
import { Fenced, type SinkError } from "../Errors.ts";
import type { Batch, Checkpoint, PageCommit, StreamKey } from "../Model.ts";
import type { Sink, SinkService, Store, StoreService, StoreStatus } from "../Sink.ts";
import { connect, connectToRead, type PostgresConnection, translate } from "./schema.ts";
import type { PageLog, PageLogService, Retention } from "../PageLog.ts";
import { packBounds } from "../core/bounds.ts";
import { checkRetention } from "../core/checkOptions.ts";
import { storedText } from "../core/inflate.ts";
import { type CheckpointRow, checkpointOf, storableId } from "../core/sql.ts";
import { displayText } from "../core/stashKey.ts";
import { storeLayer } from "../core/storeLayer.ts";
import { blobs, numbers, texts } from "./arrays.ts";
import { logOf, prune } from "./log.ts";
import { replay } from "./state.ts";
import { statusesOf, storeOf } from "./store.ts";

/** Options of the sink. */
export interface PostgresOptions extends PostgresConnection {
  /**
   * Pages that the log keeps per stream. Default 10 000, or all where another limit is given;
   * `Infinity` keeps all. For a reader that is behind, twice as many are kept.
   */
  readonly keepPages?: number;
  /**
   * Bytes of pages that the log keeps per stream, 100 MB at least, looked at every 32 commits.
   * Default: any.
   */
  readonly keepBytes?: number;
  /** Age of pages that the log keeps, in milliseconds, looked at as often. Default: any age. */
  readonly keepMillis?: number;
}

/** Everything that a database offers. */
export type PostgresService = SinkService & StoreService & PageLogService;

/** Connects, migrates, and gives sink, log and store over the database. */
export const make = (
  options: PostgresOptions,
): Effect.Effect<PostgresService, SinkError, Scope.Scope> =>
  Effect.suspend(() => {
    checkRetention(options);
    return Effect.map(connect(options), (sql) => ({
      ...sinkOf(sql, keptOf(options)),
      ...logOf(sql),
      ...storeOf(sql, (record, rows) => replay(sql, record, rows)),
    }));
  });

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
export const decodeDocument: (doc: Uint8Array) => string = storedText;

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
      Effect.gen(function* () {
        yield* commit(sql, batch, epoch, kept.pages);
        commits += 1;
        if (commits % COMMITS_BETWEEN_PRUNES > 0) return;
        // The batch is durable: what is not pruned now is pruned next time.
        yield* Effect.ignore(prune(sql, batch.key, kept, {}), { log: "Warn" });
      }).pipe(translate("commit")),
    polled: (key, at) =>
      sql`UPDATE checkpoint SET last_polled_at = ${BigInt(Math.floor(at))}
          WHERE source = ${key.source} AND realm = ${key.realm}`.pipe(
        Effect.asVoid,
        translate("polled"),
      ),
  };
};

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
  return checkpointOf(row);
});

const commit = Effect.fnUntraced(function* (
  sql: PgClient,
  batch: Batch,
  epoch: number,
  keepPages: number,
): Effect.fn.Return<void, Fenced | SqlError> {
  const { key, checkpoint: to, pages } = batch;
  const kept = key.source === "exchange" ? keepPages * HOUR_SECONDS : keepPages;
  const moved = yield* sql.unsafe(COMMIT, [
    key.source,
    key.realm,
    BigInt(epoch),
    batch.previousSeq,
    kept === Infinity ? to.seq : BigInt(kept),
    storableId(to.nextId),
    to.seq,
    to.checksum,
    BigInt(Math.floor(to.receivedAt)),
    ...pageColumns(pages),
    ...gapColumns(pages),
    ...quarantineColumns(pages),
  ]);
  if (moved.length > 0) return;
  return yield* new Fenced({
    epoch,
    detail: `the store is no longer at page ${batch.previousSeq}, or a newer epoch has claimed it`,
  });
});

const HOUR_SECONDS = 3600;

/**
 * Every part but `cut` reads `moved`: where the checkpoint is another one, nothing is written. The
 * slowest reader is waited for until the log is twice as long as it should be.
 */
const COMMIT = `
  WITH cut AS (
    SELECT greatest($7::bigint - 2 * $5::bigint, least($7::bigint - $5::bigint, min(seq))) AS seq
    FROM reader WHERE source = $1 AND realm = $2
  ), moved AS (
    UPDATE checkpoint SET next_id = $6, seq = $7::bigint, epoch = $3::bigint, last_checksum = $8,
      last_event_at = $9::bigint, pages = pages + cardinality($10::bigint[]),
      pruned_to = greatest(pruned_to, (SELECT max(seq) FROM page WHERE source = $1 AND realm = $2 AND seq <= (SELECT seq FROM cut)))
    WHERE source = $1 AND realm = $2 AND epoch <= $3::bigint AND seq = $4::bigint RETURNING 1
  ), pruned AS (
    DELETE FROM page WHERE source = $1 AND realm = $2 AND seq <= (SELECT seq FROM cut) AND EXISTS (SELECT FROM moved)
  ), pages AS (
    INSERT INTO page (source, realm, seq, requested_id, next_id, checksum, rows, bytes, received_at, encoding, state,
      wire_bytes, bounds, body)
    SELECT $1, $2, t.* FROM moved, unnest($10::bigint[], $11::text[], $12::text[], $13::text[], $14::bigint[],
      $15::bigint[], $16::bigint[], $17::text[], $18::text[], $19::bigint[], $20::bytea[], $21::bytea[]) AS t
  ), gaps AS (
    INSERT INTO gap (source, realm, seq, kind, from_id, to_id)
    SELECT $1, $2, t.* FROM moved, unnest($22::bigint[], $23::text[], $24::text[], $25::text[]) AS t
  ), rejected AS (
    INSERT INTO quarantine (source, realm, tries, seq, kind, requested_id, next_id, error_tag, message, bytes_zstd,
      first_seen, place)
    SELECT $1, $2, t.* FROM moved, unnest($26::bigint[], $27::bigint[], $28::text[], $29::text[], $30::text[],
      $31::text[], $32::text[], $33::bytea[], $34::bigint[], $35::bigint[]) AS t
  ) SELECT 1 AS moved FROM moved`;

const pageColumns = (commits: ReadonlyArray<PageCommit>) => {
  const pages = commits.map(({ page }) => page);
  return [
    numbers(pages.map(({ seq }) => seq)),
    texts(pages.map(({ requestedId }) => storableOrNull(requestedId))),
    texts(pages.map(({ nextId }) => storableId(nextId))),
    texts(pages.map(({ checksum }) => checksum)),
    numbers(pages.map(({ rows }) => BigInt(rows.length))),
    numbers(pages.map(({ raw }) => BigInt(raw.length))),
    numbers(pages.map(({ receivedAt }) => BigInt(Math.floor(receivedAt)))),
    texts(pages.map(({ encoding }) => encoding)),
    texts(pages.map(({ raw }) => (raw.length > 0 ? "ok" : "unread"))),
    numbers(pages.map(({ wire }) => BigInt(wire.length))),
    blobs(pages.map(({ bounds, rows }) => packBounds(bounds, rows))),
    blobs(pages.map(({ wire }) => wire)),
  ];
};

const gapColumns = (commits: ReadonlyArray<PageCommit>) => {
  const gaps = commits.flatMap(({ page }) => page.gaps.map((gap) => ({ ...gap, seq: page.seq })));
  return [
    numbers(gaps.map(({ seq }) => seq)),
    texts(gaps.map(({ kind }) => kind)),
    texts(gaps.map(({ from }) => storableId(from))),
    texts(gaps.map(({ to }) => storableId(to))),
  ];
};

const quarantineColumns = (commits: ReadonlyArray<PageCommit>) => {
  const records = commits.flatMap(({ page, quarantine }) =>
    quarantine.map((record) => ({ ...record, seq: page.seq, receivedAt: page.receivedAt })),
  );
  return [
    numbers(records.map(({ tries }) => BigInt(tries))),
    numbers(records.map(({ seq }) => seq)),
    texts(records.map(({ kind }) => kind)),
    texts(records.map(({ requestedId }) => storableOrNull(requestedId))),
    texts(records.map(({ nextId }) => storableId(nextId))),
    texts(records.map(({ errorTag }) => errorTag)),
    texts(records.map(({ message }) => displayText(message))),
    blobs(records.map(({ bytes }) => zstdCompressSync(bytes))),
    numbers(records.map(({ receivedAt }) => BigInt(Math.floor(receivedAt)))),
    numbers(records.map(({ place = -1 }) => BigInt(place))),
  ];
};

const storableOrNull = (id: string | undefined) => (id === undefined ? null : storableId(id));
