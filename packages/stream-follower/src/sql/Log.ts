/** Implements `PageLogService` over one `SqlClient`. */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { SqlClient } from "effect/sql/SqlClient";
import { HistoryExpired } from "../Errors.ts";
import { keyName, type StreamKey } from "../Model.ts";
import type {
  LoggedPage,
  LogPosition,
  PageLogService,
  PruneReport,
  Retention,
} from "../PageLog.ts";
import { isPostgres, translate, decodeId } from "./Database.ts";

interface PageRow {
  readonly seq: bigint | null;
  readonly requested_id: string | null;
  readonly next_id: string;
  readonly received_at: bigint;
  readonly encoding: string;
  readonly raw_bytes: bigint;
  readonly checksum: string;
  readonly row_count: bigint;
  readonly follows_gap: bigint;
  readonly body: Uint8Array;
  readonly pruned_to: bigint;
  readonly last: bigint;
}

/** Columns of the table `stream` from which a `LogPosition` is made. */
export interface PositionRow extends StreamKey {
  readonly next_id: string;
  readonly seq: bigint;
  readonly log_bytes: bigint;
  readonly oldest: bigint | null;
}

export const makePageLog = (sql: SqlClient): PageLogService => {
  const next = Effect.fnUntraced(function* (key: StreamKey, after: bigint) {
    const { realm, source } = key;
    // Reads `pruned_to` with the page, because a prune between two statements would hide pages.
    const [row] = yield* sql<PageRow>`
      SELECT page.*, stream.pruned_to, stream.seq AS last FROM stream LEFT JOIN page
        ON page.source = stream.source AND page.realm = stream.realm AND page.seq = (
          SELECT min(seq) FROM page
          WHERE source = ${source} AND realm = ${realm} AND seq > ${after})
      WHERE stream.source = ${source} AND stream.realm = ${realm}`;
    if (row === undefined) return undefined;
    if (after < BigInt(row.pruned_to)) {
      const first = BigInt(row.seq ?? BigInt(row.last) + 1n);
      return yield* new HistoryExpired({ stream: keyName(key), position: after, first });
    }
    return row.seq === null ? undefined : readPageRow(key, row, BigInt(row.seq));
  });

  const positions = sql<PositionRow>`
    SELECT stream.*, (SELECT min(page.seq) FROM page
      WHERE page.source = stream.source AND page.realm = stream.realm) AS oldest
    FROM stream WHERE next_id IS NOT NULL ORDER BY source, realm`;

  const acknowledge = Effect.fnUntraced(function* (name: string, key: StreamKey, seq: bigint) {
    const seen_at = BigInt(yield* Clock.currentTimeMillis);
    yield* sql`INSERT INTO reader ${sql.insert({ name, ...key, seq, seen_at })}
      ON CONFLICT (name, source, realm) DO UPDATE SET seq = excluded.seq, seen_at = excluded.seen_at`;
  });

  return {
    positions: Effect.map(positions, (rows) => rows.map(readPosition)).pipe(translate("positions")),
    next: (key, after) => translate("read")(next(key, after)),
    acknowledge: (name, key, seq) => translate("acknowledge")(acknowledge(name, key, seq)),
    prune: (key, keep, options) =>
      prune(sql, key, keep, options).pipe(sql.withTransaction, translate("prune")),
    check: (deep) => translate("check")(check(sql, deep)),
  };
};

export const readPosition = (row: PositionRow): LogPosition => ({
  key: { source: row.source, realm: row.realm },
  nextId: decodeId(row.next_id),
  oldestSeq: row.oldest === null ? undefined : BigInt(row.oldest),
  seq: BigInt(row.seq),
  bytes: Number(row.log_bytes),
});

const readPageRow = (key: StreamKey, row: PageRow, seq: bigint): LoggedPage => ({
  key,
  seq,
  requestedId: row.requested_id === null ? undefined : decodeId(row.requested_id),
  nextId: decodeId(row.next_id),
  receivedAt: Number(row.received_at),
  followsGap: Number(row.follows_gap) === 1,
  encoding: row.encoding,
  body: row.body,
  rawBytes: Number(row.raw_bytes),
  checksum: row.checksum,
  rowCount: Number(row.row_count),
});

interface PruneOptions {
  /** Maximum number of pages to delete. Default: no limit. */
  readonly maxPages?: number;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

interface StoredPage {
  readonly seq: bigint;
  readonly wire_bytes: bigint;
  readonly received_at: bigint;
}

interface LogSize {
  readonly log_bytes: bigint;
  /** Position of the slowest reader, or null without readers. */
  readonly slowest: bigint | null;
}

/** Deletes the oldest pages beyond the retention, within the caller's transaction. */
export const prune = Effect.fnUntraced(function* (
  sql: SqlClient,
  key: StreamKey,
  { bytes = Infinity, millis = Infinity }: Retention,
  { dryRun = false, force = false, maxPages = 2 ** 31 }: PruneOptions = {},
) {
  const ofStream = sql`source = ${key.source} AND realm = ${key.realm}`;
  const [log] = yield* sql<LogSize>`
    SELECT log_bytes, (SELECT min(seq) FROM reader WHERE ${ofStream}) AS slowest
    FROM stream WHERE ${ofStream}`;
  if (log === undefined || (Number(log.log_bytes) <= bytes && millis === Infinity)) return NOTHING;
  const oldest = yield* sql<StoredPage>`
    SELECT seq, wire_bytes, received_at FROM page WHERE ${ofStream}
    ORDER BY seq LIMIT ${BigInt(maxPages)}`;
  const limits = { bytes, force, oldestAt: (yield* Clock.currentTimeMillis) - millis };
  const { prunedTo, ...report } = planPrune(oldest, log, limits);
  if (prunedTo === undefined || dryRun) return report;
  yield* sql`DELETE FROM page WHERE ${ofStream} AND seq <= ${prunedTo}`;
  yield* sql`UPDATE stream SET pruned_to = ${prunedTo},
    log_bytes = log_bytes - ${BigInt(report.bytes)} WHERE ${ofStream}`;
  return report;
});

const NOTHING: PruneReport = { pages: 0, bytes: 0, isAheadOfReaders: false };

/** Returns how many of the oldest pages are beyond the retention, and up to which page to prune. */
const planPrune = (
  oldest: ReadonlyArray<StoredPage>,
  { log_bytes, slowest }: LogSize,
  limits: { readonly bytes: number; readonly oldestAt: number; readonly force: boolean },
) => {
  let prunedTo: bigint | undefined;
  let { bytes, isAheadOfReaders, pages } = NOTHING;
  for (const { received_at, seq, wire_bytes } of oldest) {
    const remaining = Number(log_bytes) - bytes;
    if (remaining <= limits.bytes && Number(received_at) >= limits.oldestAt) break;
    const isUnread = slowest !== null && BigInt(seq) > BigInt(slowest);
    if (isUnread && !limits.force && remaining <= unreadLimit(limits.bytes)) break;
    isAheadOfReaders ||= isUnread;
    pages += 1;
    bytes += Number(wire_bytes);
    prunedTo = seq;
  }
  return { pages, bytes, isAheadOfReaders, prunedTo };
};

/**
 * Returns the size of the log, in bytes, up to which pruning waits for a reader that is behind:
 * twice the retention, or 100 MB more if the retention is smaller than one burst of pages.
 */
const unreadLimit = (keepBytes: number): number => keepBytes + Math.max(keepBytes, 100_000_000);

const MAX_PROBLEMS = 20;

/** Returns the problems that SQLite finds in its file, and none for PostgreSQL. */
export const checkFile = Effect.fnUntraced(function* (sql: SqlClient, deep: boolean) {
  if (isPostgres(sql)) return [];
  const pragma = deep ? "integrity_check" : "quick_check";
  const rows = yield* sql.unsafe<Record<string, string>>(`PRAGMA ${pragma}(${MAX_PROBLEMS})`);
  return rows.map((row) => row[pragma]!).filter((text) => text !== "ok");
});

const check = Effect.fnUntraced(function* (sql: SqlClient, deep: boolean) {
  const problems = yield* checkFile(sql, deep);
  // The counters below cannot be trusted if the file is damaged.
  if (problems.length > 0) return problems;
  // Stash pages are numbered without gaps, hours of the exchange are not.
  const rows = yield* sql<StreamKey & { readonly pages: bigint; readonly seq: bigint }>`
    SELECT * FROM stream WHERE source = 'stashes' AND pages <> seq`;
  return rows.map((row) => `${keyName(row)} says pages ${row.pages}, but is at page ${row.seq}`);
});
