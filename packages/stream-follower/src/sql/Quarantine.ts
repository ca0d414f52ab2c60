/**
 * Lists and replays records that could not be applied. `list` reads the records of a store,
 * `replay` tries their bytes again with this version, `drop` removes a record. Runs beside a
 * follower.
 */
import * as Effect from "effect/Effect";
import type { DriverMissing, SinkError } from "../Errors.ts";
import { keyName, type QuarantineRecord, type Row, type StreamKey } from "../Model.ts";
import { readRows } from "../readPage.ts";
import { decodeId, decompress, type StoreUrl, translate } from "./Database.ts";
import * as Indexer from "./Indexer.ts";
import * as Schema from "./Schema.ts";
import * as StashState from "./StashState.ts";
import { insertSkipped } from "./Store.ts";

export interface StoredQuarantine extends QuarantineRecord {
  /** Number of the record, unique among the records of one indexer. */
  readonly id: number;
  /** Name of the indexer that did not apply the record. Absent for a page that the follower gave up. */
  readonly indexer?: string | undefined;
  /** Whether the record is a whole page, or one stash or market of a page. */
  readonly kind: "page" | "row";
  readonly key: StreamKey;
  /** Number of the page, the change id of its request, and the id that the page leads to. */
  readonly seq: bigint;
  readonly requestedId: string | undefined;
  readonly nextId: string;
  /** Arrival time of the page, in milliseconds since 1970. */
  readonly firstSeen: number;
  /** Requests that the follower sent for the page; 1 if the record is of an indexer. */
  readonly tries: number;
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

/** The tables with pages that the follower gave up, and with records of indexers. */
const OF_FOLLOWER = ["log", "quarantine"] as const;
const OF_INDEXERS = ["index", "skipped"] as const;

/** Reads the records of a store that were not replayed. */
export const list = (
  url: StoreUrl,
): Effect.Effect<ReadonlyArray<StoredQuarantine>, SinkError | DriverMissing> =>
  Effect.gen(function* () {
    const rows: Array<RecordRow> = [];
    for (const [part, table] of [OF_FOLLOWER, OF_INDEXERS]) {
      const sql = yield* Schema.openToRead(url, part);
      if (sql === undefined) continue;
      rows.push(...(yield* sql<RecordRow>`SELECT * FROM ${sql(table)} ORDER BY id`));
    }
    return rows.map(readRecord);
  }).pipe(Effect.scoped, translate("quarantine"));

const readRecord = (row: RecordRow): StoredQuarantine => ({
  id: Number(row.id),
  ...(row.indexer !== undefined && { indexer: row.indexer }),
  ...(row.place == null ? { kind: "page" } : { kind: "row", place: Number(row.place) }),
  key: { source: row.source, realm: row.realm },
  seq: BigInt(row.seq),
  requestedId: row.requested_id === null ? undefined : decodeId(row.requested_id),
  nextId: decodeId(row.next_id),
  errorTag: row.error_tag,
  message: row.message,
  bytes: decompress(row.bytes_zstd),
  firstSeen: Number(row.first_seen),
  tries: Number(row.tries),
});

/** The records that a replay tries. */
export interface ReplayOptions {
  /** Default: all streams of the store. */
  readonly key?: StreamKey | undefined;
  /** Indexers that receive their records. Default `StashState.definition` alone. */
  readonly indexers?: ReadonlyArray<Indexer.IndexerDefinition>;
}

/** What a replay has applied, and what is in quarantine after it. */
export interface ReplayReport {
  readonly replayed: number;
  /** Records that are unreadable, rejected again, or of an indexer outside `indexers`. */
  readonly remaining: number;
  /** Rows of the replayed records. */
  readonly rows: number;
  /** Names of the indexers outside `indexers` that have remaining records. */
  readonly otherIndexers: ReadonlyArray<string>;
}

/**
 * Tries every record again, or the records of one stream. Only the indexer of a record applies the
 * record. A page that the follower gave up is applied by all `indexers`, and becomes a record of
 * each other indexer of its stream. A row is written under the number of its page, so it does not
 * replace a newer row. A record with a row that still fails stays as it is.
 */
export const replay = Effect.fn("Quarantine.replay")(function* (
  url: StoreUrl,
  { indexers = [StashState.definition], key }: ReplayOptions = {},
): Effect.fn.Return<ReplayReport, SinkError | DriverMissing> {
  const records = Effect.map(list(url), (all) =>
    key === undefined ? all : all.filter((record) => keyName(record.key) === keyName(key)),
  );
  const applied = { replayed: 0, rows: 0 };
  for (const record of yield* records) {
    const receivers = indexers.filter(({ name }) => name === (record.indexer ?? name));
    const rows = receivers.length === 0 ? undefined : yield* readBytes(record);
    if (rows === undefined || !(yield* apply(url, record, rows, receivers))) continue;
    // The log may be another file, so the record is deleted last, and rows may be written twice.
    yield* drop(url, record);
    applied.replayed += 1;
    applied.rows += rows.length;
  }
  const remaining = yield* records;
  const others = new Set(remaining.flatMap(({ indexer }) => indexer ?? []));
  for (const { name } of indexers) others.delete(name);
  return { ...applied, remaining: remaining.length, otherIndexers: [...others] };
});

/** Removes a record without applying it. The page log keeps its bytes until the page is pruned. */
export const drop = (
  url: StoreUrl,
  { id, indexer }: StoredQuarantine,
): Effect.Effect<void, SinkError | DriverMissing> =>
  Effect.gen(function* () {
    const [part, table] = indexer === undefined ? OF_FOLLOWER : OF_INDEXERS;
    const sql = yield* Schema.open(url, part);
    yield* sql`DELETE FROM ${sql(table)} WHERE id = ${BigInt(id)}`;
  }).pipe(Effect.scoped, translate("drop"));

/** Returns the rows of a record if all of them are valid. */
const readBytes = ({ bytes, key: { source }, kind }: StoredQuarantine) => {
  const [head, tail] = PAGE_AROUND[source];
  const page =
    kind === "row" ? Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail)]) : bytes;
  return readRows(page, source).pipe(
    Effect.map((rows) => (rows.every(({ error }) => error === undefined) ? rows : undefined)),
    Effect.orElseSucceed(() => undefined),
  );
};

/** JSON text to put before and after a row, which makes a page of the row. */
const PAGE_AROUND = {
  stashes: ['{"next_change_id":"x","stashes":[', "]}"],
  exchange: ['{"next_change_id":0,"markets":[', "]}"],
} as const;

/** Applies a record. Returns `false` if its indexer rejects the row again. */
const apply = Effect.fnUntraced(
  function* (
    url: StoreUrl,
    record: StoredQuarantine,
    rows: ReadonlyArray<Row>,
    definitions: ReadonlyArray<Indexer.IndexerDefinition>,
  ) {
    const page = { ...record, receivedAt: record.firstSeen, rows };
    const rejected: Array<string> = [];
    const reject = (_: number, message: string) => Effect.sync(() => void rejected.push(message));
    for (const definition of definitions) {
      const indexer = yield* Indexer.open(url, definition);
      const { sql } = indexer;
      // Rows that an indexer rejects of a page become records of their own, as in its run.
      const write =
        record.kind === "page"
          ? Indexer.applyPage(indexer, page)
          : indexer.apply(page, { sql, reject });
      yield* sql.withTransaction(write);
    }
    if (record.indexer === undefined) yield* keepForOthers(url, page, definitions);
    return rejected.length === 0;
  },
  Effect.scoped,
  translate("replay"),
);

/** Keeps a page that the follower gave up for the indexers of its stream that did not receive it. */
const keepForOthers = Effect.fnUntraced(function* (
  url: StoreUrl,
  page: StoredQuarantine & { readonly receivedAt: number },
  receivers: ReadonlyArray<Indexer.IndexerDefinition>,
) {
  const sql = yield* Schema.open(url, "index");
  const { realm, source } = page.key;
  const indexers = yield* sql<{ name: string }>`
    SELECT name FROM indexer WHERE source = ${source} AND realm = ${realm}`;
  for (const { name } of indexers) {
    if (receivers.some((receiver) => receiver.name === name)) continue;
    yield* insertSkipped(sql, name, page, page);
  }
});
