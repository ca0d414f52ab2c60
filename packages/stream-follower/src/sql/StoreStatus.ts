/** Reads the status of each stream in a store: its log, its lease, and its derived tables. */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { SqlClient } from "effect/sql/SqlClient";
import type { SinkError } from "../Errors.ts";
import type { LogPosition } from "../PageLog.ts";
import type { HolderState } from "../Status.ts";
import { translate } from "./Database.ts";
import { type PositionRow, readPosition } from "./Log.ts";
import * as StashState from "./StashState.ts";

/** The status of a stream in a store. Times are milliseconds since 1970. */
export interface StoreStatus extends Omit<LogPosition, "bytes">, IndexStatus {
  /** The fence: the highest epoch that has claimed the stream. */
  readonly epoch: number;
  /** The process that holds the lease, until when, and its state at the last renewal. */
  readonly holder?:
    | (Partial<HolderState> & { readonly owner: string; readonly until: number })
    | undefined;
  /** Number of pages that were ever committed, pruned pages included. */
  readonly pages: number;
  /** Pages and rows that could not be applied and were not replayed. */
  readonly quarantined: number;
  readonly gaps: number;
  /** Arrival time of the last page. */
  readonly receivedAt: number;
  /** Time of the last poll at the end of the stream. */
  readonly polledAt: number | undefined;
  /** Seconds since the last page arrived, or since the end of the stream was last polled. */
  readonly lagSeconds: number;
  /** Bytes of the bodies in the log. */
  readonly logBytes: number;
}

interface IndexStatus {
  /** Listed stashes, or markets, in the derived tables. */
  readonly rows: number;
  /** Items in the listed stashes. */
  readonly items: number;
  readonly indexers: ReadonlyArray<IndexerStatus>;
}

/** Progress of an indexer in the log of a stream. */
export interface IndexerStatus {
  readonly name: string;
  /** Number of the last page that the indexer has applied. */
  readonly seq: bigint;
  /** Distance to the end of the log: pages, or seconds of history for the exchange. */
  readonly behind: number;
  /** Number of pages and rows that the indexer could not apply. */
  readonly quarantined: number;
  /** Why the indexer's tables do not match the log. Absent if they match. */
  readonly reason?: string | undefined;
}

type Integers<Name extends string> = Readonly<Record<Name, bigint>>;

interface StreamRow
  extends
    PositionRow,
    Integers<"epoch" | "expires_at" | "received_at" | "pages" | "gaps" | "quarantined"> {
  readonly owner: string | null;
  readonly holder_state: string | null;
  readonly polled_at: bigint | null;
}

interface IndexerRow extends Integers<"seq" | "skipped"> {
  readonly name: string;
  readonly next_id: string | null;
}

export const readStatus = (
  log: SqlClient,
  index: SqlClient | undefined,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  Effect.gen(function* () {
    const streams = yield* log<StreamRow>`
      SELECT s.*,
        (SELECT min(seq) FROM page p WHERE p.source = s.source AND p.realm = s.realm) AS oldest,
        (SELECT count(*) FROM gap g WHERE g.source = s.source AND g.realm = s.realm) AS gaps,
        (SELECT count(*) FROM quarantine q WHERE q.source = s.source AND q.realm = s.realm)
          AS quarantined
      FROM stream s WHERE next_id IS NOT NULL ORDER BY source, realm`;
    const now = yield* Clock.currentTimeMillis;
    return yield* Effect.forEach(streams, (row) =>
      Effect.map(readIndex(log, index, row), (derived) => makeStatus(row, derived, now)),
    );
  }).pipe(translate("status"));

const readIndex = Effect.fnUntraced(function* (
  log: SqlClient,
  index: SqlClient | undefined,
  { realm, seq, source }: StreamRow,
) {
  const nothing: IndexStatus = { indexers: [], rows: 0, items: 0 };
  if (index === undefined) return nothing;
  const found = yield* index<IndexerRow>`
    SELECT i.*, (SELECT count(*) FROM skipped s
      WHERE s.indexer = i.name AND s.source = i.source AND s.realm = i.realm) AS skipped
    FROM indexer i WHERE source = ${source} AND realm = ${realm} ORDER BY name`;
  const indexers = yield* Effect.forEach(found, ({ name, next_id, skipped, ...row }) =>
    Effect.gen(function* () {
      const [end, at] = [BigInt(seq), BigInt(row.seq)];
      const [page] = yield* log<{ next_id: string }>`SELECT next_id FROM page
        WHERE source = ${source} AND realm = ${realm} AND seq = ${at}`;
      // A follower may have written the page after `end` was read.
      const isAhead = at > end && page === undefined;
      const isOther = next_id !== null && page !== undefined && page.next_id !== next_id;
      const reason = isAhead
        ? `it has applied page ${at}, and the log ends at page ${end}: it waits for the pages`
        : `page ${at} of the log is not the page that it has applied: build its tables again`;
      const progress = {
        seq: at,
        behind: Math.max(0, Number(end - at)),
        quarantined: Number(skipped),
      };
      return { name, ...progress, ...((isAhead || isOther) && { reason }) };
    }),
  );
  if (!indexers.some(({ name }) => name === StashState.definition.name)) {
    return { ...nothing, indexers };
  }
  const [counts] = yield* source === "stashes"
    ? index<{ listed: bigint; items: bigint | null }>`
        SELECT count(*) AS listed, CAST(sum(items) AS bigint) AS items FROM stash
        WHERE realm = ${realm} AND public = 1`
    : index<{ listed: bigint; items: null }>`
        SELECT count(*) AS listed, NULL AS items FROM market WHERE realm = ${realm}`;
  return { indexers, rows: Number(counts?.listed ?? 0), items: Number(counts?.items ?? 0) };
});

const makeStatus = (row: StreamRow, derived: IndexStatus, now: number): StoreStatus => {
  const { holder_state: state, owner } = row;
  const receivedAt = Number(row.received_at);
  const polledAt = row.polled_at === null ? undefined : Number(row.polled_at);
  const until = Number(row.expires_at);
  const { bytes: logBytes, ...position } = readPosition(row);
  return {
    ...position,
    epoch: Number(row.epoch),
    ...(owner !== null && {
      holder: { owner, until, ...(JSON.parse(state ?? "{}") as Partial<HolderState>) },
    }),
    pages: Number(row.pages),
    ...derived,
    quarantined: derived.indexers.reduce(
      (sum, indexer) => sum + indexer.quarantined,
      Number(row.quarantined),
    ),
    gaps: Number(row.gaps),
    receivedAt,
    polledAt,
    lagSeconds: Math.max(0, (now - Math.max(receivedAt, polledAt ?? 0)) / 1000),
    logBytes,
  };
};
