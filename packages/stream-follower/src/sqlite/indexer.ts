/**
 * Indexers over a SQLite file of derived tables (`FILE.index`): they bring their tables and a
 * function that applies a page; position, versions, rebuild and quarantine are kept here.
 *
 * Several indexers may share the file. Each transaction writes the rows of some pages and the
 * indexer's position, so a process killed at any moment goes on without a loss or a repetition.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import type { SinkError } from "../Errors.ts";
import type { Indexer } from "../Indexer.ts";
import type { StreamKey } from "../Model.ts";
import type { StoredQuarantine } from "../Sink.ts";
import type { LoggedChange, LoggedPage } from "../PageLog.ts";
import {
  type IndexedPage,
  indexedPage,
  type IndexerTables,
  type KeptRecord,
  POISON_PAGE,
  positionMoved,
  textOrBody,
} from "../core/indexedPage.ts";
import { storableId } from "../core/sql.ts";
import { attempt, INDEX, openFile, transact, prepareAll } from "./schema.ts";

export type { IndexedPage };

/** Page writer of an indexer. Runs inside a transaction. */
export interface IndexWriter {
  /** Applies one page. */
  readonly apply: (page: IndexedPage) => void;
}

/** Connection and functions that an indexer may use inside a transaction. */
export interface IndexTools {
  readonly db: DatabaseSync;
  /** Keeps a change that cannot be applied, and lets the others go on. */
  readonly reject: (
    page: LoggedPage,
    change: LoggedChange,
    errorTag: string,
    message: string,
  ) => void;
  /** Adds to the counters of the stream, which `status` reads: listed stashes and their items. */
  readonly count: (key: StreamKey, listed: number, items: number) => void;
  /** Makes sure that the stream has a position and counters. */
  readonly begin: (key: StreamKey) => void;
  /** Marks a record of this indexer as resolved. */
  readonly resolve: (record: StoredQuarantine) => void;
}

/** An indexer with tables of its own. */
export interface SqliteIndexerOptions extends IndexerTables {
  /** The file of derived tables. */
  readonly path: string;
  /** Prepares its statements. Called once, after the tables are there. */
  readonly prepare: (tools: IndexTools) => IndexWriter;
}

/** An indexer over a file, with the file's connection for queries. */
export interface SqliteIndexer extends Indexer {
  readonly db: DatabaseSync;
  /** Writer that applies a page, for writes besides the log's. Call it within a transaction. */
  readonly writer: IndexWriter;
  readonly tools: IndexTools;
  /** Empties the indexer's tables; the next run reads the log from its beginning. */
  readonly reset: Effect.Effect<void, SinkError>;
}

/** Opens the file, makes or replaces the indexer's tables, and gives the indexer. */
export const make = (
  options: SqliteIndexerOptions,
): Effect.Effect<SqliteIndexer, SinkError, Scope.Scope> =>
  Effect.gen(function* () {
    const db = yield* openFile(options.path, INDEX);
    yield* attempt("migrate", () => transact(db, () => makeTables(db, options, false)));
    return indexerOf(db, options);
  });

const makeTables = (
  db: DatabaseSync,
  { name, tables, version }: SqliteIndexerOptions,
  isReset: boolean,
): void => {
  const known = db.prepare("SELECT version FROM indexer_version WHERE name = ?").get(name) as
    | { version: number }
    | undefined;
  if (known?.version === version && !isReset) return;
  for (const table of Object.keys(tables).toReversed()) {
    const found = db.prepare("SELECT type FROM sqlite_master WHERE name = ?").get(table) as
      | { type: string }
      | undefined;
    if (found !== undefined) db.exec(`DROP ${found.type.toUpperCase()} "${table}"`);
  }
  for (const statement of Object.values(tables)) db.exec(statement);
  db.prepare("DELETE FROM indexer WHERE name = ?").run(name);
  db.prepare("DELETE FROM quarantine WHERE indexer = ?").run(name);
  db.prepare(
    `INSERT INTO indexer_version (name, version) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET version = excluded.version`,
  ).run(name, version);
};

const INDEXING = {
  position:
    "SELECT CAST(seq AS TEXT) AS seq FROM indexer WHERE name = ? AND source = ? AND realm = ?",
  begin:
    "INSERT INTO indexer (name, source, realm, seq) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING",
  advance: "UPDATE indexer SET seq = ? WHERE name = ? AND source = ? AND realm = ? AND seq = ?",
  add: "UPDATE indexer SET listed = listed + ?, items = items + ? WHERE name = ? AND source = ? AND realm = ?",
  addQuarantined:
    "UPDATE indexer SET quarantined = quarantined + ? WHERE name = ? AND source = ? AND realm = ?",
  quarantine: `INSERT INTO quarantine (source, realm, seq, place, indexer, kind, requested_id, next_id, error_tag, message,
       bytes_zstd, first_seen, tries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING`,
  resolve:
    "UPDATE quarantine SET resolved_at = ? WHERE id = ? AND indexer = ? AND resolved_at IS NULL",
};

const indexerOf = (db: DatabaseSync, options: SqliteIndexerOptions): SqliteIndexer => {
  const sql = prepareAll(db, INDEXING);
  const { name, version } = options;
  const keep = keeper(sql, name);
  const tools: IndexTools = {
    db,
    begin: ({ realm, source }) => void sql.begin.run(name, source, realm),
    resolve: ({ id, key }) => {
      const { changes: resolved } = sql.resolve.run(Date.now(), id, name);
      sql.addQuarantined.run(-Number(resolved), name, key.source, key.realm);
    },
    count: ({ realm, source }, listed, items) =>
      void sql.add.run(listed, items, name, source, realm),
    reject: (page, change, errorTag, message) =>
      keep(page, { kind: "row", ...change, errorTag, message }),
  };
  const writer = options.prepare(tools);
  /** Moves the position and writes, in one transaction. */
  const move = (key: StreamKey, after: bigint, to: bigint, write: () => void) =>
    attempt("index", () =>
      transact(db, () => {
        tools.begin(key);
        if (sql.advance.run(to, name, key.source, key.realm, after).changes === 0) {
          throw positionMoved(name, after);
        }
        write();
      }),
    );
  return {
    db,
    writer,
    tools,
    name,
    version,
    reset: attempt("reset", () => transact(db, () => makeTables(db, options, true))),
    position: ({ realm, source }) =>
      attempt("position", () => {
        const row = sql.position.get(name, source, realm) as { seq: string } | undefined;
        return BigInt(row?.seq ?? 0);
      }),
    apply: (key, pages, after) =>
      Effect.flatMap(Effect.forEach(pages, indexedPage), (whole) =>
        move(key, after, whole.at(-1)!.seq, () => {
          for (const page of whole) writer.apply(page);
        }),
      ),
    skip: (key, page, after, message) =>
      Effect.flatMap(textOrBody(page), (json) =>
        move(key, after, page.seq, () =>
          keep(page, { kind: "page", json, errorTag: POISON_PAGE, message }),
        ),
      ),
  };
};

/** Writes a record of the quarantine. */
const keeper =
  (sql: Readonly<Record<keyof typeof INDEXING, StatementSync>>, name: string) =>
  (page: LoggedPage, { errorTag, json, kind, message, place = -1 }: KeptRecord): void => {
    const { key, nextId, receivedAt, requestedId, seq } = page;
    const ids = [requestedId === undefined ? null : storableId(requestedId), storableId(nextId)];
    const row = [key.source, key.realm, seq, place, name, kind, ...ids, errorTag, message] as const;
    const { changes: written } = sql.quarantine.run(...row, zstdCompressSync(json), receivedAt);
    sql.addQuarantined.run(written, name, key.source, key.realm);
  };
