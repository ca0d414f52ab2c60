/**
 * Indexers over one SQLite file. An indexer has tables and a function that applies a page; its
 * position, the version of its tables and the changes that it sets aside are kept here.
 *
 * Each transaction writes the rows of one page and the position after it, so a process that is killed
 * at any moment loses and repeats nothing.
 */
import {
  Changes,
  HistoryExpired,
  PageLog,
  Status,
  type StreamKey,
} from "@game-data/stream-follower";
import { Effect, Stream } from "effect";
import { DatabaseSync } from "node:sqlite";

/** A page of the log, as indexers read it. */
export interface IndexedPage {
  readonly key: StreamKey;
  readonly seq: bigint;
  readonly receivedAt: number;
  readonly changes: ReadonlyArray<LoggedChange>;
  readonly markets: ReadonlyArray<{
    readonly hour: number;
    readonly league: string;
    readonly marketId: string;
    readonly value: unknown;
  }>;
}

/** A stash of a page. */
export interface LoggedChange {
  readonly place: number;
  readonly json: string;
  /** Why the follower rejects it. */
  readonly error?: string | undefined;
}

/** Functions for a transaction. */
export interface IndexTools {
  readonly db: DatabaseSync;
  /** Keeps a change that cannot be applied. */
  readonly reject: (page: IndexedPage, change: LoggedChange, message: string) => void;
  /** Adds to the counters of the stream: listed stashes and their items. */
  readonly count: (key: StreamKey, listed: number, items: number) => void;
}

/** Applies a page, inside a transaction. */
export interface IndexWriter {
  readonly apply: (page: IndexedPage) => void;
}

/** An indexer, and the file that it shares with others. */
export interface SqliteIndexerOptions {
  readonly path: string;
  readonly name: string;
  /** Raised when the tables change: they are made again, and the log is read from its beginning. */
  readonly version: number;
  /** The statement of each table and index, by its name. */
  readonly tables: Readonly<Record<string, string>>;
  readonly prepare: (tools: IndexTools) => IndexWriter;
}

export interface SqliteIndexer {
  readonly name: string;
  readonly db: DatabaseSync;
  readonly position: (key: StreamKey) => bigint;
  /** Moves the position without applying a page. */
  readonly moveTo: (key: StreamKey, seq: bigint) => void;
  /** Applies pages in one transaction. */
  readonly apply: (pages: ReadonlyArray<IndexedPage>) => void;
}

const OWN_TABLES = `
  CREATE TABLE IF NOT EXISTS indexer_version (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS indexer (
    name TEXT NOT NULL, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL DEFAULT 0,
    listed INTEGER NOT NULL DEFAULT 0, items INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (name, source, realm)) STRICT;
  CREATE TABLE IF NOT EXISTS quarantine (
    indexer TEXT NOT NULL, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL,
    place INTEGER NOT NULL, message TEXT NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (indexer, source, realm, seq, place)) STRICT`;

/** Opens the file and makes the tables; closed with the scope. */
export const make = Effect.fnUntraced(function* (options: SqliteIndexerOptions) {
  const { name, path, prepare } = options;
  const db = yield* Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(path, { timeout: 5000 })),
    (opened) => Effect.sync(() => opened.close()),
  );
  db.exec("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  transact(db, () => {
    db.exec(OWN_TABLES);
    makeTables(db, options);
  });
  const begin = db.prepare(
    "INSERT INTO indexer (name, source, realm) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const where = "name = ? AND source = ? AND realm = ?";
  const read = db.prepare(`SELECT seq FROM indexer WHERE ${where}`);
  const move = db.prepare(`UPDATE indexer SET seq = ? WHERE ${where}`);
  const add = db.prepare(
    `UPDATE indexer SET listed = listed + ?, items = items + ? WHERE ${where}`,
  );
  const keep = db.prepare("INSERT OR REPLACE INTO quarantine VALUES (?, ?, ?, ?, ?, ?, ?)");
  const writer = prepare({
    db,
    count: ({ realm, source }, listed, items) => void add.run(listed, items, name, source, realm),
    reject: ({ key, seq }, { json, place }, message) =>
      void keep.run(name, key.source, key.realm, seq, place, message, json.toWellFormed()),
  });
  const moveTo = ({ realm, source }: StreamKey, seq: bigint) => {
    begin.run(name, source, realm);
    move.run(seq, name, source, realm);
  };
  const indexer: SqliteIndexer = {
    name,
    db,
    position: ({ realm, source }) => BigInt(Number(read.get(name, source, realm)?.["seq"] ?? 0)),
    moveTo,
    apply: (pages) =>
      transact(db, () => {
        for (const page of pages) {
          moveTo(page.key, page.seq);
          writer.apply(page);
        }
      }),
  };
  return indexer;
});

const makeTables = (db: DatabaseSync, { name, tables, version }: SqliteIndexerOptions): void => {
  const known = db.prepare("SELECT version FROM indexer_version WHERE name = ?").get(name);
  if (known?.["version"] === version) return;
  const typeOf = db.prepare("SELECT type FROM sqlite_master WHERE name = ?");
  for (const table of Object.keys(tables).toReversed()) {
    const type = typeOf.get(table)?.["type"];
    if (type !== undefined) db.exec(`DROP ${String(type)} "${table}"`);
  }
  for (const statement of Object.values(tables)) db.exec(statement);
  db.prepare("DELETE FROM indexer WHERE name = ?").run(name);
  db.prepare("DELETE FROM quarantine WHERE indexer = ?").run(name);
  db.prepare("INSERT OR REPLACE INTO indexer_version VALUES (?, ?)").run(name, version);
};

const transact = (db: DatabaseSync, write: () => void): void => {
  db.exec("BEGIN IMMEDIATE");
  try {
    write();
    db.exec("COMMIT");
  } catch (cause) {
    db.exec("ROLLBACK");
    throw cause;
  }
};

/** Options of a run. */
export interface RunOptions {
  readonly key: StreamKey;
  readonly until: "caughtUp" | "forever";
  /** Called after each page. */
  readonly onApplied?: (indexer: SqliteIndexer, key: StreamKey, seq: bigint) => void;
}

/** Time between reports of the position to the log, in milliseconds. */
const ACKNOWLEDGE_MILLIS = 1000;

/** Applies the log of a stream from the indexer's position. Pruned pages are skipped. */
export const run = Effect.fn("SqliteIndexer.run")(function* (
  indexer: SqliteIndexer,
  { key, onApplied, until }: RunOptions,
) {
  const log = yield* PageLog.PageLog;
  const part = `indexer ${indexer.name}`;
  let acknowledgedAt = 0;
  const acknowledge = (seq: bigint) => {
    const now = performance.now();
    if (now - acknowledgedAt < ACKNOWLEDGE_MILLIS) return Effect.void;
    acknowledgedAt = now;
    return log.acknowledge(indexer.name, key, seq);
  };
  const apply = Effect.fnUntraced(function* (batch: Changes.ChangeBatch) {
    yield* Effect.try({
      try: () => indexer.apply([indexedPage(batch)]),
      catch: (cause) => cause as Error,
    }).pipe(Status.track(key, part));
    yield* Status.notePart(key, part, { seq: batch.version });
    onApplied?.(indexer, key, batch.version);
    yield* acknowledge(batch.version);
  });
  yield* acknowledge(indexer.position(key));
  yield* Effect.suspend(() =>
    Stream.runForEach(Changes.subscribe({ key, until, after: indexer.position(key) }), apply),
  ).pipe(
    Effect.tapError((error) =>
      error instanceof HistoryExpired
        ? Effect.sync(() => indexer.moveTo(key, error.first - 1n))
        : Effect.void,
    ),
    Effect.retry({ while: (error) => error instanceof HistoryExpired }),
  );
});

const indexedPage = ({
  changes,
  key,
  markets,
  receivedAt,
  rejected,
  version,
}: Changes.ChangeBatch): IndexedPage => {
  const rows = rejected.map(({ bytes, message, place }): LoggedChange => {
    const json = Buffer.from(bytes).toString();
    return { place, json, error: message };
  });
  const places = new Set(rows.map(({ place }) => place));
  let place = -1;
  for (const { json } of key.source === "stashes" ? changes : []) {
    do place += 1;
    while (places.has(place));
    rows.push({ place, json });
  }
  return { key, markets, receivedAt, seq: version, changes: rows };
};
