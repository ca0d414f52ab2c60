/** Rows of the SQL stores as this package's own values: the same tables in both. */
import type { Checkpoint, ExchangeRealm, StreamKey, StreamSource } from "../Model.ts";
import type { LoggedPage, LogPosition } from "../PageLog.ts";
import type { IndexerStatus, StoredQuarantine, StoreStatus } from "../Sink.ts";
import { unpackBounds } from "./bounds.ts";
import { inflateStored } from "./inflate.ts";

/** A whole number as a driver gives it: SQLite as text where it may be wide. */
type Whole = bigint | number | string;

/** A checkpoint; without `next_id` it is a claim alone. */
export interface CheckpointRow {
  readonly next_id: string | null;
  readonly seq: Whole;
  readonly epoch: Whole;
  readonly last_checksum: string;
  readonly last_event_at: Whole;
}

export const checkpointOf = (row: CheckpointRow): Checkpoint | undefined =>
  row.next_id === null
    ? undefined
    : {
        nextId: originalId(row.next_id),
        seq: BigInt(row.seq),
        epoch: Number(row.epoch),
        checksum: row.last_checksum,
        receivedAt: Number(row.last_event_at),
      };

/** A page of the log. */
export interface LoggedRow {
  readonly seq: Whole;
  readonly requested_id: string | null;
  readonly next_id: string;
  readonly received_at: Whole;
  readonly encoding: string;
  readonly raw_bytes: Whole;
  readonly checksum: string;
  readonly changes: number;
  readonly state: LoggedPage["state"];
  readonly bounds: Uint8Array;
  readonly body: Uint8Array;
  readonly gap: boolean | number;
}

export const pageOf = (key: StreamKey, row: LoggedRow): LoggedPage => ({
  key,
  seq: BigInt(row.seq),
  requestedId: row.requested_id === null ? undefined : originalId(row.requested_id),
  nextId: originalId(row.next_id),
  receivedAt: Number(row.received_at),
  followsGap: Boolean(row.gap),
  state: row.state,
  encoding: row.encoding,
  body: row.body,
  rawBytes: Number(row.raw_bytes),
  checksum: row.checksum,
  rows: row.changes,
  bounds: unpackBounds(row.bounds),
});

/** A stream, and where it stands. */
export interface PositionRow {
  readonly source: StreamSource;
  readonly realm: ExchangeRealm;
  readonly next_id: string;
  readonly seq: Whole;
  readonly oldest: Whole | null;
  readonly log_bytes: Whole;
}

export const positionOf = (row: PositionRow): LogPosition => ({
  key: { source: row.source, realm: row.realm },
  nextId: originalId(row.next_id),
  oldestSeq: row.oldest === null ? undefined : BigInt(row.oldest),
  seq: BigInt(row.seq),
  bytes: Number(row.log_bytes),
});

/** A stream with its counters. */
export interface StatusRow extends PositionRow {
  readonly epoch: Whole;
  readonly pages: Whole;
  readonly changes?: number;
  readonly last_event_at: Whole;
  readonly last_polled_at: Whole | null;
  readonly quarantined: Whole;
  readonly gaps: Whole;
}

/** The position and counters of an indexer. */
export interface IndexerRow extends Omit<IndexerStatus, "seq" | "behind"> {
  readonly seq: Whole;
}

export const statusOf = (row: StatusRow, all: ReadonlyArray<IndexerRow>): StoreStatus => {
  const { bytes: logBytes, ...position } = positionOf(row);
  const indexers = all.map(({ items, listed, name, quarantined, ...at }): IndexerStatus => {
    const seq = BigInt(at.seq);
    return { name, seq, behind: Number(position.seq - seq), listed, items, quarantined };
  });
  const state = indexers.find(({ name }) => name === "state");
  return {
    ...position,
    epoch: Number(row.epoch),
    pages: Number(row.pages),
    rows: state?.listed ?? 0,
    items: state?.items ?? 0,
    quarantined: Number(row.quarantined),
    gaps: Number(row.gaps),
    receivedAt: Number(row.last_event_at),
    polledAt: row.last_polled_at === null ? undefined : Number(row.last_polled_at),
    ...(row.changes === undefined ? {} : { changes: row.changes }),
    logBytes,
    indexers,
  };
};

/** A row of the quarantine table; the drivers differ in how they give wide integers. */
export interface QuarantineRow {
  readonly id: bigint | number;
  readonly source: StreamSource;
  readonly realm: ExchangeRealm;
  readonly seq: bigint | string;
  readonly kind: StoredQuarantine["kind"];
  readonly requested_id: string | null;
  readonly next_id: string;
  readonly error_tag: string;
  readonly message: string;
  readonly bytes_zstd: Uint8Array;
  readonly first_seen: bigint | number;
  readonly tries: number;
  readonly place?: number | null;
  readonly indexer?: string | null;
}

/** The record of a row. */
export const recordOf = (row: QuarantineRow): StoredQuarantine => ({
  id: Number(row.id),
  key: { source: row.source, realm: row.realm },
  seq: BigInt(row.seq),
  kind: row.kind,
  requestedId: row.requested_id === null ? undefined : originalId(row.requested_id),
  nextId: originalId(row.next_id),
  errorTag: row.error_tag,
  message: row.message,
  bytes: inflateStored(row.bytes_zstd),
  firstSeen: Number(row.first_seen),
  tries: row.tries,
  ...(typeof row.place !== "number" || row.place < 0 ? {} : { place: row.place }),
  ...(typeof row.indexer !== "string" ? {} : { indexer: row.indexer }),
});

/**
 * A change id as text that every database keeps as it is. U+0000 is refused by PostgreSQL, and lone
 * surrogates become U+FFFD on the way to UTF-8; such an id is stored as its JSON text.
 */
export const storableId = (id: string): string =>
  id.isWellFormed() && !id.includes("\u0000") && !id.startsWith(JSON_PREFIX)
    ? id
    : `${JSON_PREFIX}${JSON.stringify(id)}`;

/** The id of a stored text. */
const originalId = (text: string): string =>
  text.startsWith(JSON_PREFIX) ? (JSON.parse(text.slice(JSON_PREFIX.length)) as string) : text;

const JSON_PREFIX = "json:";

/**
 * Bytes up to which a log that should keep `most` waits for a reader that is behind: twice as many,
 * or 100 MB more where that is no match for one burst.
 */
export const mostUnread = (most: number): number => most + Math.max(most, 100_000_000);
