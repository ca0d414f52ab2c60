/** Reading and pruning the page log of a SQLite file. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { HistoryExpired } from "../Errors.ts";
import { keyName, type StreamKey } from "../Model.ts";
import type { LoggedPage, PageLogService, PruneReport, Retention } from "../PageLog.ts";
import { type LoggedRow, mostUnread, pageOf, positionOf, type PositionRow } from "../core/sql.ts";
import { attempt, transact, prepareAll } from "./schema.ts";

/** Every stream, and where it stands. Every figure is a column; nothing is counted. */
export const STREAMS = `SELECT c.*, CAST(seq AS TEXT) AS seq,
    (SELECT CAST(min(p.seq) AS TEXT) FROM page p WHERE p.source = c.source AND p.realm = c.realm) AS oldest
  FROM checkpoint c WHERE next_id IS NOT NULL ORDER BY source, realm`;

const READING = {
  positions: STREAMS,
  read: `SELECT CAST(seq AS TEXT) AS seq, requested_id, next_id, received_at, encoding,
       raw_bytes, checksum, changes, state, bounds, body,
       EXISTS (SELECT 1 FROM gap g WHERE g.source = p.source AND g.realm = p.realm AND g.seq = p.seq) AS gap
     FROM page p WHERE p.source = ? AND p.realm = ? AND p.seq > ? ORDER BY p.seq LIMIT ?`,
  oldest: `SELECT CAST(min(seq) AS TEXT) AS seq FROM page WHERE source = ? AND realm = ?`,
  count: "SELECT count(*) AS kept FROM page WHERE source = ? AND realm = ?",
  end: `SELECT CAST(seq AS TEXT) AS seq, pages FROM checkpoint WHERE source = ? AND realm = ?`,
  acknowledge: `INSERT INTO reader (name, source, realm, seq, seen_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET seq = excluded.seq, seen_at = excluded.seen_at`,
};

/** The log of a file. */
export const makeLog = (db: DatabaseSync): PageLogService => {
  const sql = prepareAll(db, READING);
  const prune = makePruner(db);

  const pagesAfter = (
    key: StreamKey,
    after: bigint,
    maxPages: number,
    maxBytes: number,
  ): ReadonlyArray<LoggedPage> => {
    const pages: Array<LoggedPage> = [];
    let bytes = 0;
    for (const row of sql.read.iterate(key.source, key.realm, after, maxPages)) {
      const page = pageOf(key, row as unknown as LoggedRow);
      bytes += page.body.length;
      if (pages.length > 0 && bytes > maxBytes) break;
      pages.push(page);
    }
    return pages;
  };

  return {
    positions: attempt("positions", () =>
      (sql.positions.all() as unknown as Array<PositionRow>).map(positionOf),
    ),
    read: (key, after, { maxPages = 8, maxBytes = 8 * 1024 * 1024 } = {}) =>
      attempt("read", () => {
        const pages = pagesAfter(key, after, maxPages, maxBytes);
        if (!isExpired(sql, key, after, pages[0]?.seq)) return pages;
        const { seq } = sql.oldest.get(key.source, key.realm) as { seq: string | null };
        const { seq: last } = sql.end.get(key.source, key.realm) as { seq: string };
        const first = seq === null ? BigInt(last) + 1n : BigInt(seq);
        throw new HistoryExpired({ stream: keyName(key), position: after, first });
      }),
    acknowledge: (reader, key, seq) =>
      attempt(
        "acknowledge",
        () => void sql.acknowledge.run(reader, key.source, key.realm, seq, Date.now()),
      ),
    check: (deep) =>
      attempt("check", () => {
        const pragma = deep ? "integrity_check" : "quick_check";
        const found = db.prepare(`PRAGMA ${pragma}(${MAX_PROBLEMS})`).all();
        const problems = found.map((row) => String(row[pragma])).filter((each) => each !== "ok");
        // Of tables that cannot be read, nothing is counted.
        if (problems.length > 0) return problems;
        return db
          .prepare(FALSE_COUNTERS)
          .all()
          .map((row) => String(row["problem"]));
      }),
    prune: (key, keep, options = {}) =>
      attempt("prune", () => transact(db, () => prune(key, keep, options))),
  };
};

type Statements = Readonly<Record<keyof typeof READING, StatementSync>>;

/** Whether pages after a position were pruned. */
const isExpired = (
  sql: Statements,
  key: StreamKey,
  after: bigint,
  first: bigint | undefined,
): boolean => {
  const kept = sql.oldest.get(key.source, key.realm) as { seq: string | null } | undefined;
  const stands = sql.end.get(key.source, key.realm) as { seq: string; pages: number } | undefined;
  if (stands === undefined || stands.pages === 0) return false;
  if (kept?.seq === null || kept?.seq === undefined) return after < BigInt(stands.seq);
  // Stash pages are numbered without holes; an hour of the exchange may be missing, so there only
  // the count of pages tells that the beginning was deleted.
  if (first === undefined || first !== BigInt(kept.seq)) return false;
  return key.source === "stashes" ? first > after + 1n : isPruned(sql, key, after, first);
};

const isPruned = (sql: Statements, key: StreamKey, after: bigint, first: bigint): boolean => {
  const count = sql.count.get(key.source, key.realm) as { kept: number };
  const { pages } = sql.end.get(key.source, key.realm) as { pages: number };
  return count.kept < pages && after < first - HOUR_SECONDS;
};

const MAX_PROBLEMS = 20;

/**
 * Counters of a checkpoint that its tables disagree with. Of pages and changes, those that were
 * pruned are in no table: only too few of them are told, and any other number where nothing was
 * pruned.
 */
const FALSE_COUNTERS = `
  WITH counted AS (
    SELECT c.*, ifnull(p.n, 0) AS kept, ifnull(p.n_changes, 0) AS kept_changes, ifnull(p.n_bytes, 0) AS kept_bytes,
      (SELECT count(*) FROM gap g WHERE g.source = c.source AND g.realm = c.realm) AS n_gaps,
      (SELECT count(*) FROM quarantine q WHERE q.source = c.source AND q.realm = c.realm AND resolved_at IS NULL)
        AS n_quarantined
    FROM checkpoint c LEFT JOIN (
      SELECT source, realm, count(*) AS n, sum(changes) AS n_changes, sum(wire_bytes) AS n_bytes
      FROM page GROUP BY source, realm) p USING (source, realm)
  ), each AS (
    SELECT source, realm, 'pages' AS name, pages AS told, CASE source WHEN 'stashes' THEN seq ELSE max(pages, kept) END AS counted
      FROM counted
    UNION ALL SELECT source, realm, 'changes', changes, CASE pages WHEN kept THEN kept_changes ELSE max(changes, kept_changes) END
      FROM counted
    UNION ALL SELECT source, realm, 'log_bytes', log_bytes, kept_bytes FROM counted
    UNION ALL SELECT source, realm, 'gaps', gaps, n_gaps FROM counted
    UNION ALL SELECT source, realm, 'quarantined', quarantined, n_quarantined FROM counted
  ) SELECT format('the checkpoint of %s/%s says %s %d, its tables say %d', source, realm, name, told, counted) AS problem
    FROM each WHERE told <> counted`;
const HOUR_SECONDS = 3600n;

const PRUNING = {
  kept: "SELECT log_bytes FROM checkpoint WHERE source = ? AND realm = ?",
  oldest: `SELECT no, seq, wire_bytes, received_at FROM page
     WHERE source = ? AND realm = ? ORDER BY seq LIMIT ?`,
  remove: "DELETE FROM page WHERE no = ?",
  shrink: "UPDATE checkpoint SET log_bytes = log_bytes - ? WHERE source = ? AND realm = ?",
  slowest: "SELECT min(seq) AS seq FROM reader WHERE source = ? AND realm = ?",
};

/** Deletes what a retention does not keep, within the caller's transaction. */
export const makePruner = (db: DatabaseSync) => {
  const sql = prepareAll(db, PRUNING);
  return (
    key: StreamKey,
    keep: Retention,
    options: {
      readonly dryRun?: boolean;
      readonly force?: boolean;
      readonly maxPages?: number;
    } = {},
  ): PruneReport => {
    const { bytes: most = Infinity, millis = Infinity } = keep;
    const report = { pages: 0, bytes: 0, isAheadOfReaders: false };
    const row = sql.kept.get(key.source, key.realm) as { log_bytes: number } | undefined;
    if (row === undefined) return report;
    let left = row.log_bytes;
    const before = Date.now() - millis;
    if (left <= most && millis === Infinity) return report;
    const { seq: read } = sql.slowest.get(key.source, key.realm) as { seq: number | null };
    const max = options.maxPages ?? -1;
    for (const found of sql.oldest.all(key.source, key.realm, max)) {
      const page = found as unknown as {
        readonly no: number;
        readonly seq: number;
        readonly wire_bytes: number;
        readonly received_at: number;
      };
      if (left <= most && page.received_at >= before) break;
      const isUnread = read !== null && page.seq > read;
      if (isUnread && options.force !== true && left <= mostUnread(most)) break;
      report.isAheadOfReaders ||= isUnread;
      report.pages += 1;
      report.bytes += page.wire_bytes;
      left -= page.wire_bytes;
      if (options.dryRun !== true) sql.remove.run(page.no);
    }
    if (options.dryRun !== true && report.bytes > 0)
      sql.shrink.run(report.bytes, key.source, key.realm);
    return report;
  };
};
