/** Status and quarantine of a store: the log, and the tables derived from it. */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { SqlClient } from "effect/sql/SqlClient";
import type { SqlError } from "effect/sql/SqlError";
import type { SinkError } from "../Errors.ts";
import { keyName, type Row, type StreamKey } from "../Model.ts";
import type { StoredQuarantine, StoreService, StoreStatus } from "../Sink.ts";
import { type StoreUrl, translate } from "./Database.ts";
import * as Indexer from "./Indexer.ts";
import * as Schema from "./Schema.ts";
import * as StashState from "./StashState.ts";
import { decodeId, decompress } from "./text.ts";

interface StatusRow extends StreamKey {
  readonly next_id: string;
  readonly seq: bigint;
  readonly epoch: bigint;
  readonly owner: string | null;
  readonly expires_at: bigint;
  readonly received_at: bigint;
  readonly polled_at: bigint | null;
  readonly pages: bigint;
  readonly log_bytes: bigint;
  readonly oldest: bigint | null;
  readonly gaps: bigint;
  readonly quarantined: bigint;
}

interface IndexerRow extends StreamKey {
  readonly name: string;
  readonly seq: bigint;
  readonly skipped: bigint;
}

interface RecordRow extends StreamKey {
  readonly id: bigint;
  readonly indexer?: string;
  readonly seq: bigint;
  readonly place?: bigint | null;
  readonly requested_id: string | null;
  readonly next_id: string;
  readonly error_tag: string;
  readonly message: string;
  readonly first_seen: bigint;
  readonly tries: bigint;
  readonly bytes_zstd: Uint8Array;
}

/** Makes the operations of a store whose log is open. Its derived part is opened when it is used. */
export const makeStore = (url: StoreUrl, log: SqlClient): StoreService => ({
  status: Effect.scoped(Effect.flatMap(openIndex(url), (index) => readStatus(log, index))),
  quarantine: Effect.scoped(
    Effect.flatMap(openIndex(url), (index) =>
      Effect.all([
        log<RecordRow>`SELECT * FROM quarantine ORDER BY id`,
        index === undefined
          ? Effect.succeed([])
          : index<RecordRow>`SELECT * FROM skipped ORDER BY id`,
      ]),
    ),
  ).pipe(
    Effect.map((rows) => rows.flat().map(readRecord)),
    translate("quarantine"),
  ),
  resolve: (record, rows) =>
    withState(url, (state) =>
      Effect.gen(function* () {
        yield* apply(state, record, rows).pipe(state.sql.withTransaction);
        // The log may be another file, so a record of the follower is removed afterwards. Its rows may
        // be written twice.
        if (record.indexer === undefined) {
          yield* log`DELETE FROM quarantine WHERE id = ${BigInt(record.id)}`;
        }
      }).pipe(translate("resolve")),
    ),
  retried: ({ id, indexer }) =>
    indexer === undefined
      ? Effect.asVoid(log`UPDATE quarantine SET tries = tries + 1 WHERE id = ${BigInt(id)}`).pipe(
          translate("retried"),
        )
      : withState(url, ({ sql }) =>
          Effect.asVoid(sql`UPDATE skipped SET tries = tries + 1 WHERE id = ${BigInt(id)}`).pipe(
            translate("retried"),
          ),
        ),
});

/** The driver was loaded with the log. */
const openIndex = (url: StoreUrl): Effect.Effect<SqlClient | undefined, SinkError, Scope.Scope> =>
  Effect.catchTag(Schema.openToRead(url, "index"), "DriverMissing", Effect.die);

const withState = <A, E>(
  url: StoreUrl,
  use: (state: Indexer.Indexer) => Effect.Effect<A, E>,
): Effect.Effect<A, E | SinkError> =>
  Effect.scoped(
    Effect.flatMap(
      Effect.catchTag(Indexer.open(url, StashState.definition), "DriverMissing", Effect.die),
      use,
    ),
  );

const apply = Effect.fnUntraced(function* (
  state: Indexer.Indexer,
  record: StoredQuarantine,
  rows: ReadonlyArray<Row>,
) {
  const { sql } = state;
  if (record.indexer !== undefined) {
    yield* sql`DELETE FROM skipped WHERE id = ${BigInt(record.id)}`;
  }
  yield* Indexer.applyPage(state, {
    key: record.key,
    seq: record.seq,
    receivedAt: record.firstSeen,
    requestedId: record.requestedId,
    nextId: record.nextId,
    rows,
  });
});

/** Reads the status of every stream. */
export const readStatus = (
  log: SqlClient,
  index: SqlClient | undefined,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  Effect.gen(function* () {
    const streams = yield* log<StatusRow>`
      SELECT s.*,
        (SELECT min(seq) FROM page p WHERE p.source = s.source AND p.realm = s.realm) AS oldest,
        (SELECT count(*) FROM gap g WHERE g.source = s.source AND g.realm = s.realm) AS gaps,
        (SELECT count(*) FROM quarantine q WHERE q.source = s.source AND q.realm = s.realm)
          AS quarantined
      FROM stream s WHERE next_id IS NOT NULL ORDER BY source, realm`;
    const indexers =
      index === undefined
        ? []
        : yield* index<IndexerRow>`
            SELECT i.*, (SELECT count(*) FROM skipped s
              WHERE s.indexer = i.name AND s.source = i.source AND s.realm = i.realm) AS skipped
            FROM indexer i WHERE source <> '' ORDER BY name`;
    return yield* Effect.forEach(streams, (row) =>
      Effect.map(countRows(index, indexers, row), (counts) => readStatusRow(row, indexers, counts)),
    );
  }).pipe(translate("status"));

const countRows = Effect.fnUntraced(function* (
  index: SqlClient | undefined,
  indexers: ReadonlyArray<IndexerRow>,
  { realm, source }: StreamKey,
): Effect.fn.Return<{ readonly rows: number; readonly items: number }, SqlError> {
  const hasState = indexers.some(({ name }) => name === StashState.definition.name);
  if (index === undefined || !hasState) return { rows: 0, items: 0 };
  const [row] = yield* source === "stashes"
    ? index<{ rows: bigint; items: bigint | null }>`
        SELECT count(*) AS rows, CAST(sum(items) AS bigint) AS items FROM stash
        WHERE realm = ${realm} AND public = 1`
    : index<{ rows: bigint; items: null }>`
        SELECT count(*) AS rows, NULL AS items FROM market WHERE realm = ${realm}`;
  return { rows: Number(row?.rows ?? 0), items: Number(row?.items ?? 0) };
});

const readStatusRow = (
  row: StatusRow,
  all: ReadonlyArray<IndexerRow>,
  counts: { readonly rows: number; readonly items: number },
): StoreStatus => {
  const key = { source: row.source, realm: row.realm };
  const seq = BigInt(row.seq);
  const indexers = all
    .filter((indexer) => keyName(indexer) === keyName(key))
    .map(({ name, skipped, ...at }) => ({
      name,
      seq: BigInt(at.seq),
      behind: Number(seq - BigInt(at.seq)),
      quarantined: Number(skipped),
    }));
  const skipped = indexers.reduce((sum, { quarantined }) => sum + quarantined, 0);
  return {
    key,
    nextId: decodeId(row.next_id),
    seq,
    epoch: Number(row.epoch),
    ...(row.owner === null ? {} : { holder: { owner: row.owner, until: Number(row.expires_at) } }),
    pages: Number(row.pages),
    ...counts,
    quarantined: Number(row.quarantined) + skipped,
    gaps: Number(row.gaps),
    receivedAt: Number(row.received_at),
    polledAt: row.polled_at === null ? undefined : Number(row.polled_at),
    logBytes: Number(row.log_bytes),
    oldestSeq: row.oldest === null ? undefined : BigInt(row.oldest),
    indexers,
  };
};

const readRecord = (row: RecordRow): StoredQuarantine => ({
  id: Number(row.id),
  ...(row.indexer === undefined ? {} : { indexer: row.indexer }),
  key: { source: row.source, realm: row.realm },
  seq: BigInt(row.seq),
  ...(row.place == null ? { kind: "page" } : { kind: "row", place: Number(row.place) }),
  requestedId: row.requested_id === null ? undefined : decodeId(row.requested_id),
  nextId: decodeId(row.next_id),
  errorTag: row.error_tag,
  message: row.message,
  bytes: decompress(row.bytes_zstd),
  firstSeen: Number(row.first_seen),
  tries: Number(row.tries),
});
