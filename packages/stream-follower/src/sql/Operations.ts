/** Status and quarantine of a store: the log, and the tables derived from it. */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { SqlClient } from "effect/sql/SqlClient";
import type { SqlError } from "effect/sql/SqlError";
import type { DriverMissing, SinkError } from "../Errors.ts";
import type { StreamKey } from "../Model.ts";
import type { HolderState } from "../Status.ts";
import type { StoredQuarantine, StoreService, StoreStatus } from "../Sink.ts";
import { type StoreUrl, translate, decodeId, decompress } from "./Database.ts";
import * as Indexer from "./Indexer.ts";
import * as Schema from "./Schema.ts";
import * as StashState from "./StashState.ts";

/** Makes the operations of a store whose log is open. Its derived part is opened when it is used. */
export const makeStore = (url: StoreUrl, log: SqlClient): StoreService => ({
  status: Effect.scoped(Effect.flatMap(openIndex(url), (index) => readStatus(log, index))),
  quarantine: Effect.gen(function* () {
    const index = yield* openIndex(url);
    const pages = yield* log<RecordRow>`SELECT * FROM quarantine ORDER BY id`;
    const rows =
      index === undefined ? [] : yield* index<RecordRow>`SELECT * FROM skipped ORDER BY id`;
    return [...pages, ...rows].map(readRecord);
  }).pipe(Effect.scoped, translate("quarantine")),
  resolve: (record, rows) =>
    Effect.gen(function* () {
      const id = BigInt(record.id);
      const state = yield* orDie(Indexer.open(url, StashState.definition));
      yield* Effect.gen(function* () {
        if (record.indexer !== undefined) yield* state.sql`DELETE FROM skipped WHERE id = ${id}`;
        yield* Indexer.applyPage(state, { ...record, receivedAt: record.firstSeen, rows });
      }).pipe(state.sql.withTransaction);
      // The log may be another file. Its record is deleted last, so the rows may be written twice.
      if (record.indexer === undefined) yield* log`DELETE FROM quarantine WHERE id = ${id}`;
    }).pipe(Effect.scoped, translate("resolve")),
});

const openIndex = (url: StoreUrl): Effect.Effect<SqlClient | undefined, SinkError, Scope.Scope> =>
  orDie(Schema.openToRead(url, "index"));

/** The driver was loaded with the log. */
const orDie = <A, R>(opened: Effect.Effect<A, SinkError | DriverMissing, R>) =>
  Effect.catchTag(opened, "DriverMissing", Effect.die);

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

interface StatusRow extends StreamKey {
  readonly next_id: string;
  readonly owner: string | null;
  readonly holder_state: string | null;
  readonly polled_at: bigint | null;
  readonly oldest: bigint | null;
  readonly seq: bigint;
  readonly epoch: bigint;
  readonly expires_at: bigint;
  readonly received_at: bigint;
  readonly pages: bigint;
  readonly log_bytes: bigint;
  readonly gaps: bigint;
  readonly quarantined: bigint;
}

interface IndexerRow extends StreamKey {
  readonly name: string;
  readonly seq: bigint;
  readonly skipped: bigint;
}

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
    return yield* Effect.forEach(streams, (row) =>
      Effect.map(readIndexStatus(index, row), (derived) => readStatusRow(row, derived)),
    );
  }).pipe(translate("status"));

const readIndexStatus = Effect.fnUntraced(function* (
  index: SqlClient | undefined,
  { realm, seq, source }: StatusRow,
): Effect.fn.Return<Pick<StoreStatus, "indexers" | "rows" | "items">, SqlError> {
  if (index === undefined) return { indexers: [], rows: 0, items: 0 };
  const rows = yield* index<IndexerRow>`
    SELECT i.*, (SELECT count(*) FROM skipped s
      WHERE s.indexer = i.name AND s.source = i.source AND s.realm = i.realm) AS skipped
    FROM indexer i WHERE source = ${source} AND realm = ${realm} ORDER BY name`;
  const indexers = rows.map(({ name, skipped, ...at }) => ({
    name,
    seq: BigInt(at.seq),
    behind: Number(BigInt(seq) - BigInt(at.seq)),
    quarantined: Number(skipped),
  }));
  if (!indexers.some(({ name }) => name === StashState.definition.name)) {
    return { indexers, rows: 0, items: 0 };
  }
  const [counts] = yield* source === "stashes"
    ? index<{ listed: bigint; items: bigint | null }>`
        SELECT count(*) AS listed, CAST(sum(items) AS bigint) AS items FROM stash
        WHERE realm = ${realm} AND public = 1`
    : index<{ listed: bigint; items: null }>`
        SELECT count(*) AS listed, NULL AS items FROM market WHERE realm = ${realm}`;
  return { indexers, rows: Number(counts?.listed ?? 0), items: Number(counts?.items ?? 0) };
});

const readHolder = (
  owner: string,
  { expires_at: until, holder_state: state }: StatusRow,
): NonNullable<StoreStatus["holder"]> => ({
  owner,
  until: Number(until),
  ...(state === null ? {} : (JSON.parse(state) as HolderState)),
});

const readStatusRow = (
  row: StatusRow,
  derived: Pick<StoreStatus, "indexers" | "rows" | "items">,
): StoreStatus => ({
  key: { source: row.source, realm: row.realm },
  nextId: decodeId(row.next_id),
  seq: BigInt(row.seq),
  epoch: Number(row.epoch),
  ...(row.owner === null ? {} : { holder: readHolder(row.owner, row) }),
  pages: Number(row.pages),
  ...derived,
  quarantined: derived.indexers.reduce(
    (sum, indexer) => sum + indexer.quarantined,
    Number(row.quarantined),
  ),
  gaps: Number(row.gaps),
  receivedAt: Number(row.received_at),
  polledAt: row.polled_at === null ? undefined : Number(row.polled_at),
  logBytes: Number(row.log_bytes),
  oldestSeq: row.oldest === null ? undefined : BigInt(row.oldest),
});
