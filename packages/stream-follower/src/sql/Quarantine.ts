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

export interface StoredQuarantine extends QuarantineRecord {
  /** Number of the record, unique among the records of one indexer. */
  readonly id: number;
  /** Name of the indexer that rejected the record. Absent for a page that the follower gave up. */
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
  /** Requests that the follower sent for the page; 1 if an indexer rejected the record. */
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

/** Reads the records of a store that were not replayed. */
export const list = (
  url: StoreUrl,
): Effect.Effect<ReadonlyArray<StoredQuarantine>, SinkError | DriverMissing> =>
  Effect.gen(function* () {
    const rows: Array<RecordRow> = [];
    for (const [part, table] of [
      ["log", "quarantine"],
      ["index", "skipped"],
    ] as const) {
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

/** Numbers of records and rows that a replay has tried. */
export interface ReplayReport {
  /** Records whose rows were all applied. */
  readonly replayed: number;
  /** Records that are still unreadable, and are kept. */
  readonly remaining: number;
  readonly rows: number;
}

/**
 * Tries every record again, or the records of one stream. A row is written under the number of its
 * page, so it does not replace a newer row. A record with a row that still fails stays as it is.
 */
export const replay = Effect.fn("Quarantine.replay")(function* (
  url: StoreUrl,
  key?: StreamKey,
): Effect.fn.Return<ReplayReport, SinkError | DriverMissing> {
  const report = { replayed: 0, remaining: 0, rows: 0 };
  for (const record of yield* list(url)) {
    if (key !== undefined && keyName(record.key) !== keyName(key)) continue;
    const rows = yield* readBytes(record);
    if (rows !== undefined) yield* resolve(url, record, rows);
    report[rows === undefined ? "remaining" : "replayed"] += 1;
    report.rows += rows?.length ?? 0;
  }
  return report;
});

/** Removes a record without applying it. The page log keeps its bytes until the page is pruned. */
export const drop = (
  url: StoreUrl,
  record: StoredQuarantine,
): Effect.Effect<void, SinkError | DriverMissing> => resolve(url, record, []);

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

/** Applies the rows of a record under the number of its page, and removes the record. */
const resolve = (url: StoreUrl, record: StoredQuarantine, rows: ReadonlyArray<Row>) =>
  Effect.gen(function* () {
    const { firstSeen: receivedAt, indexer } = record;
    const id = BigInt(record.id);
    const state = yield* Indexer.open(url, StashState.definition);
    yield* Effect.gen(function* () {
      if (indexer !== undefined) yield* state.sql`DELETE FROM skipped WHERE id = ${id}`;
      yield* Indexer.applyPage(state, { ...record, receivedAt, rows });
    }).pipe(state.sql.withTransaction);
    if (indexer !== undefined) return;
    // The log may be another file, so its record is deleted last, and rows may be written twice.
    const log = yield* Schema.open(url, "log");
    yield* log`DELETE FROM quarantine WHERE id = ${id}`;
  }).pipe(Effect.scoped, translate("resolve"));
