/** Quarantine records as the SQL stores keep them: one table in both, with the bytes compressed. */
import type { ExchangeRealm, StreamSource } from "../Model.ts";
import type { StoredQuarantine } from "../Sink.ts";
import { inflateStored } from "./inflate.ts";

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
export const originalId = (text: string): string =>
  text.startsWith(JSON_PREFIX) ? (JSON.parse(text.slice(JSON_PREFIX.length)) as string) : text;

const JSON_PREFIX = "json:";
