/**
 * Quarantined records: `list` reads them, `replay` tries their bytes again with this version, `drop`
 * gives one up. They run beside a follower or without one.
 */
import * as Effect from "effect/Effect";
import type { SinkError } from "./Errors.ts";
import { keyName, type Row, type StreamKey } from "./Model.ts";
import { readRows } from "./readPage.ts";
import { Store, type StoredQuarantine } from "./Sink.ts";

/** Reads the records that were not replayed. */
export const list: Effect.Effect<
  ReadonlyArray<StoredQuarantine>,
  SinkError,
  Store
> = Effect.flatMap(Store, (store) => store.quarantine);

/** Result of a replay. */
export interface ReplayReport {
  /** Records whose rows were all applied. */
  readonly replayed: number;
  /** Records that are still not readable, and stay. */
  readonly remaining: number;
  /** Rows applied. */
  readonly rows: number;
}

/**
 * Tries every record again, or those of one stream. A row is written under the number of its page, so
 * it does not replace a newer one. A record with a row that still fails stays as it is.
 */
export const replay = Effect.fn("Quarantine.replay")(function* (
  key?: StreamKey,
): Effect.fn.Return<ReplayReport, SinkError, Store> {
  const store = yield* Store;
  let replayed = 0;
  let remaining = 0;
  let count = 0;
  for (const record of yield* store.quarantine) {
    if (key !== undefined && keyName(record.key) !== keyName(key)) continue;
    const rows = yield* readRecord(record);
    if (rows === undefined) remaining += 1;
    else {
      yield* store.resolve(record, rows);
      replayed += 1;
      count += rows.length;
    }
  }
  return { replayed, remaining, rows: count };
});

/** Removes a record without applying it. Its bytes stay in the page log as long as its page does. */
export const drop = (record: StoredQuarantine): Effect.Effect<void, SinkError, Store> =>
  Effect.flatMap(Store, (store) => store.resolve(record, []));

/** Returns the rows of a record if all of them are valid. */
const readRecord = ({
  bytes,
  key: { source },
  kind,
}: StoredQuarantine): Effect.Effect<ReadonlyArray<Row> | undefined> => {
  const page = kind === "row" ? pageAround(bytes, source) : bytes;
  return readRows(page, source).pipe(
    Effect.map((rows) => (rows.every(({ error }) => error === undefined) ? rows : undefined)),
    Effect.orElseSucceed(() => undefined),
  );
};

/** Puts a single row into a page, because rows are read from pages. */
const pageAround = (row: Uint8Array, source: StreamKey["source"]): Uint8Array => {
  const head =
    source === "stashes" ? '{"next_change_id":"x","stashes":[' : '{"next_change_id":0,"markets":[';
  return Buffer.concat([Buffer.from(head), row, Buffer.from("]}")]);
};
