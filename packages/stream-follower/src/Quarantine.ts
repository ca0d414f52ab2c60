/**
 * Quarantined records: `list` reads them, `replay` tries their bytes again with today's decoder,
 * `drop` gives one up.
 *
 * A replayed row is written under the number of the page that it came with, so a newer appearance
 * of the same stash stands. Run a replay beside a follower or without one; both go through the
 * store's transactions.
 */
import * as Effect from "effect/Effect";
import * as Decode from "./Decode.ts";
import { MalformedPage, type SinkError } from "./Errors.ts";
import { keyName, type StreamKey } from "./Model.ts";
import { type ReplayedRows, Store, type StoredQuarantine } from "./Sink.ts";
import { blankPage } from "./core/blankPage.ts";
import { readPage } from "./core/readPage.ts";

/** Records that are not replayed yet. */
export const list: Effect.Effect<
  ReadonlyArray<StoredQuarantine>,
  SinkError,
  Store
> = Effect.flatMap(Store, (store) => store.quarantine);

/** Result of a replay. */
export interface ReplayReport {
  /** Records whose every row was applied. */
  readonly replayed: number;
  /** Records that are still unreadable, and stay. */
  readonly remaining: number;
  /** Rows applied. */
  readonly rows: number;
}

/**
 * Tries every record again, or those of one stream. A record with a row that still fails stays as
 * it is. A broker keeps no rows: there it fails with `SinkError` of kind `incompatible` at the first
 * record that is readable now.
 */
export const replay = (
  level: Decode.DecodeLevel = "items",
  key?: StreamKey,
): Effect.Effect<ReplayReport, SinkError, Store> =>
  Effect.gen(function* () {
    const store = yield* Store;
    let replayed = 0;
    let remaining = 0;
    let rows = 0;
    for (const record of yield* store.quarantine) {
      if (key !== undefined && keyName(record.key) !== keyName(key)) continue;
      const won = rowsOf(record, level);
      if (won === undefined) {
        remaining += 1;
        yield* store.retried?.(record) ?? Effect.void;
        continue;
      }
      yield* store.resolve(record, won);
      replayed += 1;
      rows += won.stashes.length + won.markets.length;
    }
    return { replayed, remaining, rows };
  });

/**
 * Resolves a record without applying anything: its rows stay out of the store. The bytes remain in
 * the page log as long as the page does.
 */
export const drop = (record: StoredQuarantine): Effect.Effect<void, SinkError, Store> =>
  Effect.flatMap(Store, (store) => store.resolve(record, { stashes: [], markets: [] }));

const rowsOf = (record: StoredQuarantine, level: Decode.DecodeLevel): ReplayedRows | undefined => {
  const { key, nextId, requestedId, seq } = record;
  const raw = record.kind === "row" ? wrapped(record) : record.bytes;
  const read = readPage(raw, key.source, level);
  if (read instanceof MalformedPage) return undefined;
  const at = { key, requestedId, nextId, seq, receivedAt: record.firstSeen };
  const page = blankPage({ ...at, raw, rows: read.rows });
  const { markets, quarantine, stashes } = Decode.commitOf(page);
  return quarantine.length > 0 ? undefined : { stashes, markets };
};

/** A single row, put back into the page that it was taken from. */
const wrapped = (record: StoredQuarantine): Uint8Array => {
  const member = record.key.source === "stashes" ? "stashes" : "markets";
  const id = record.key.source === "stashes" ? JSON.stringify(record.nextId) : record.nextId;
  const head = Buffer.from(`{"next_change_id":${id},"${member}":[`);
  return Buffer.concat([head, record.bytes, Buffer.from("]}")]);
};
