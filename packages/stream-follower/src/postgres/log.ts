/** Reads and prunes the page log of a PostgreSQL database. */
import type { PgClient } from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import type { SqlError } from "effect/sql/SqlError";
import { HistoryExpired } from "../Errors.ts";
import { keyName, type StreamKey } from "../Model.ts";
import type { LoggedPage, PageLogService, PruneReport, Retention } from "../PageLog.ts";
import { type LoggedRow, mostUnread, pageOf, positionOf, type PositionRow } from "../core/sql.ts";
import { translate } from "./schema.ts";

/** Every stream, where it stands, and what its log keeps. */
export const streamsOf = (sql: PgClient) =>
  sql`SELECT c.*, (SELECT min(p.seq) FROM page p WHERE p.source = c.source AND p.realm = c.realm) AS oldest,
      (SELECT coalesce(sum(p.wire_bytes), 0)::bigint FROM page p
        WHERE p.source = c.source AND p.realm = c.realm) AS log_bytes
    FROM checkpoint c WHERE next_id IS NOT NULL`;

/** The log of a database. */
export const logOf = (sql: PgClient): PageLogService => ({
  positions: Effect.map(sql<PositionRow>`${streamsOf(sql)} ORDER BY source, realm`, (rows) =>
    rows.map(positionOf),
  ).pipe(translate("positions")),
  read: (key, after, options = {}) => read(sql, key, after, options).pipe(translate("read")),
  acknowledge: (reader, key, seq) =>
    sql`INSERT INTO reader (name, source, realm, seq) VALUES (${reader}, ${key.source}, ${key.realm}, ${seq})
        ON CONFLICT (name, source, realm) DO UPDATE SET seq = excluded.seq, seen_at = now()`.pipe(
      Effect.asVoid,
      translate("acknowledge"),
    ),
  // The database checks itself; of the checkpoint's counters, pages is the one that it stores.
  check: () =>
    Effect.map(
      sql<{ stream: string; told: bigint; counted: bigint }>`
        SELECT stream, told, counted FROM (
          SELECT source || '/' || realm AS stream, pages AS told, CASE source WHEN 'stashes' THEN seq
            ELSE greatest(pages, (SELECT count(*) FROM page p WHERE p.source = c.source AND p.realm = c.realm)) END AS counted
          FROM checkpoint c) AS each WHERE told <> counted`,
      (rows) =>
        rows.map(
          ({ counted, stream, told }) =>
            `the checkpoint of ${stream} says pages ${told}, its tables say ${counted}`,
        ),
    ).pipe(translate("check")),
  prune: (key, keep, options = {}) => prune(sql, key, keep, options).pipe(translate("prune")),
});

/** Reads pages; see `PageLogService.read`. */
const read = Effect.fnUntraced(function* (
  sql: PgClient,
  key: StreamKey,
  after: bigint,
  { maxBytes = 8 * 1024 * 1024, maxPages = 8 }: { maxPages?: number; maxBytes?: number },
): Effect.fn.Return<ReadonlyArray<LoggedPage>, SqlError | HistoryExpired> {
  // Lengths have a column of their own, so the running sum reads no body.
  const rows = yield* sql<LoggedRow>`
    SELECT p.seq, requested_id, next_id, received_at, encoding, bytes AS raw_bytes, checksum, rows AS changes, state, bounds, body,
      EXISTS (SELECT 1 FROM gap g WHERE g.source = p.source AND g.realm = p.realm AND g.seq = p.seq) AS gap
    FROM page p JOIN (
      SELECT seq, sum(wire_bytes) OVER (ORDER BY seq) AS sum, row_number() OVER (ORDER BY seq) AS n
      FROM (SELECT seq, wire_bytes FROM page
            WHERE source = ${key.source} AND realm = ${key.realm} AND seq > ${after} AND body IS NOT NULL
            ORDER BY seq LIMIT ${maxPages}) AS next
    ) AS taken USING (seq)
    WHERE p.source = ${key.source} AND p.realm = ${key.realm} AND (taken.n = 1 OR taken.sum <= ${maxBytes})
    ORDER BY p.seq`;
  const first = rows[0] === undefined ? undefined : BigInt(rows[0].seq);
  const expired = yield* expiredAt(sql, key, after, first);
  if (expired !== undefined) return yield* expired;
  return rows.map((row) => pageOf(key, row));
});

/** Whether pages right after a position are no longer there. */
const expiredAt = Effect.fnUntraced(function* (
  sql: PgClient,
  key: StreamKey,
  after: bigint,
  first: bigint | undefined,
): Effect.fn.Return<HistoryExpired | undefined, SqlError> {
  // Stash pages are numbered without holes. Hours may be missing: pruning notes what it deleted.
  if (key.source === "stashes" && first === after + 1n) return undefined;
  const [row] = yield* sql<{ seq: bigint; pruned: bigint }>`
    SELECT seq, pruned_to AS pruned FROM checkpoint WHERE source = ${key.source} AND realm = ${key.realm}`;
  if (row === undefined || BigInt(row.pruned) <= after) return undefined;
  const begins = first ?? BigInt(row.seq) + 1n;
  return new HistoryExpired({ stream: keyName(key), position: after, first: begins });
});

/** Deletes what a retention does not keep, in one statement: no row is held over a round trip. */
export const prune = Effect.fnUntraced(function* (
  sql: PgClient,
  key: StreamKey,
  { bytes: most = Infinity, millis = Infinity }: Retention,
  options: { readonly dryRun?: boolean; readonly force?: boolean },
): Effect.fn.Return<PruneReport, SqlError> {
  const nothing = { pages: 0, bytes: 0, isAheadOfReaders: false };
  if (most === Infinity && millis === Infinity) return nothing;
  const before = BigInt(Math.floor(millis === Infinity ? -1 : Date.now() - millis));
  const [limit, limitUnread] = [most, mostUnread(most)].map((bytes) =>
    bytes === Infinity ? 2n ** 61n : BigInt(Math.floor(bytes)),
  );
  const where = sql`source = ${key.source} AND realm = ${key.realm}`;
  const [slowest] = yield* sql<{
    seq: bigint | null;
  }>`SELECT min(seq) AS seq FROM reader WHERE ${where}`;
  const readTo = slowest?.seq ?? null;
  const [found] = yield* sql<{
    pages: bigint;
    bytes: bigint;
    last: bigint | null;
    unread: boolean;
  }>`
    SELECT count(*) AS pages, coalesce(sum(wire_bytes), 0)::bigint AS bytes, max(seq) AS last,
      coalesce(bool_or(seq > ${readTo}::bigint), false) AS unread
    FROM (SELECT seq, wire_bytes, received_at, sum(wire_bytes) OVER (ORDER BY seq DESC) AS newer FROM page WHERE ${where}) AS p
    WHERE (newer > ${limit} OR received_at < ${before})
      AND (${options.force === true} OR ${readTo}::bigint IS NULL OR seq <= ${readTo}::bigint OR newer > ${limitUnread})`;
  if (found === undefined || found.last === null) return nothing;
  if (options.dryRun !== true) {
    yield* sql`WITH gone AS (DELETE FROM page WHERE ${where} AND seq <= ${found.last})
      UPDATE checkpoint SET pruned_to = greatest(pruned_to, ${found.last}) WHERE ${where}`;
  }
  return {
    pages: Number(found.pages),
    bytes: Number(found.bytes),
    isAheadOfReaders: found.unread,
  };
});
