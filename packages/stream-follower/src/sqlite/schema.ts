/**
 * The SQLite files of this package: opened with the right pragmas, migrated, errors translated.
 *
 * Two files. The log (`FILE`) holds pages, checkpoints, quarantine and leases; each commit is one
 * short transaction. Derived tables are in `FILE.index`, because SQLite allows one writer
 * per file and indexers write ten times as long; it may be deleted and is made again.
 *
 * Rows and checkpoint are one transaction, so `synchronous=NORMAL` is enough: power loss drops
 * the last transaction whole, and the page is requested again.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { SinkError, SinkErrorKind } from "../Errors.ts";
import { sinkError, toSinkError } from "../core/attempt.ts";
import { appliedSteps, type AppliedStep, stepChecksum, unknownState } from "../core/migrations.ts";

/**
 * Identity of a file, and the steps that make its tables. A step's place in the list is its
 * version.
 */
export interface FileSchema {
  /** SQLite's `application_id`: tells our files from those of other programs. */
  readonly applicationId: number;
  readonly migrations: ReadonlyArray<string>;
}

/** The log. `body` is the last column of `page`, so metadata is read without it. */
export const LOG: FileSchema = {
  applicationId: 0x47444c31,
  migrations: [
    `CREATE TABLE checkpoint (
       source TEXT NOT NULL, realm TEXT NOT NULL, next_id TEXT, seq INTEGER NOT NULL DEFAULT 0,
       epoch INTEGER NOT NULL DEFAULT 0, last_checksum TEXT NOT NULL DEFAULT '',
       last_event_at INTEGER NOT NULL DEFAULT 0, last_polled_at INTEGER, pages INTEGER NOT NULL DEFAULT 0,
       changes INTEGER NOT NULL DEFAULT 0, log_bytes INTEGER NOT NULL DEFAULT 0,
       quarantined INTEGER NOT NULL DEFAULT 0, gaps INTEGER NOT NULL DEFAULT 0,
       PRIMARY KEY (source, realm)) STRICT, WITHOUT ROWID;
     CREATE TABLE page (
       no INTEGER PRIMARY KEY, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL,
       requested_id TEXT, next_id TEXT NOT NULL, received_at INTEGER NOT NULL, encoding TEXT NOT NULL,
       wire_bytes INTEGER NOT NULL, raw_bytes INTEGER NOT NULL, checksum TEXT NOT NULL,
       changes INTEGER NOT NULL, listed INTEGER NOT NULL, state TEXT NOT NULL CHECK (state IN ('ok', 'unread')),
       bounds BLOB NOT NULL, body BLOB NOT NULL, UNIQUE (source, realm, seq)) STRICT;
     CREATE TABLE gap (
       id INTEGER PRIMARY KEY, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL,
       from_id TEXT NOT NULL, to_id TEXT NOT NULL) STRICT;
     CREATE TABLE quarantine (
       id INTEGER PRIMARY KEY, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, place INTEGER NOT NULL,
       kind TEXT NOT NULL, requested_id TEXT, next_id TEXT NOT NULL, error_tag TEXT NOT NULL, message TEXT NOT NULL,
       bytes_zstd BLOB NOT NULL, first_seen INTEGER NOT NULL, tries INTEGER NOT NULL, resolved_at INTEGER,
       UNIQUE (source, realm, seq, place)) STRICT;
     CREATE INDEX quarantine_open ON quarantine (source, realm, seq) WHERE resolved_at IS NULL;
     CREATE TABLE reader (
       name TEXT NOT NULL, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, seen_at INTEGER NOT NULL,
       PRIMARY KEY (name, source, realm)) STRICT, WITHOUT ROWID;
     CREATE TABLE lease (
       source TEXT NOT NULL, realm TEXT NOT NULL, owner TEXT, epoch INTEGER NOT NULL, expires_at INTEGER NOT NULL,
       host TEXT, pid INTEGER, PRIMARY KEY (source, realm)) STRICT;`,
  ],
};

/** Schema of every file of derived tables. Indexers make the derived tables themselves. */
export const INDEX: FileSchema = {
  applicationId: 0x47444931,
  migrations: [
    `CREATE TABLE indexer (
       name TEXT NOT NULL, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL,
       listed INTEGER NOT NULL DEFAULT 0, items INTEGER NOT NULL DEFAULT 0, quarantined INTEGER NOT NULL DEFAULT 0,
       PRIMARY KEY (name, source, realm)) STRICT, WITHOUT ROWID;
     CREATE TABLE indexer_version (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
     CREATE TABLE quarantine (
       id INTEGER PRIMARY KEY, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, place INTEGER NOT NULL,
       indexer TEXT NOT NULL, kind TEXT NOT NULL, requested_id TEXT, next_id TEXT NOT NULL, error_tag TEXT NOT NULL,
       message TEXT NOT NULL, bytes_zstd BLOB NOT NULL, first_seen INTEGER NOT NULL, tries INTEGER NOT NULL,
       resolved_at INTEGER, UNIQUE (source, realm, seq, place, indexer)) STRICT;
     CREATE INDEX quarantine_open ON quarantine (source, realm, seq) WHERE resolved_at IS NULL;`,
  ],
};

/** The file of derived tables that belongs to a log. */
export const indexPath = (path: string): string => (path === ":memory:" ? path : `${path}.index`);

/** Prepares statements by name. */
export const prepareAll = <Name extends string>(
  db: DatabaseSync,
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, StatementSync>> =>
  Object.fromEntries(
    Object.entries<string>(texts).map(([name, text]) => [name, db.prepare(text)]),
  ) as Record<Name, StatementSync>;

/** Opens and migrates a file; closed with the scope. */
export const openFile = (
  path: string,
  schema: FileSchema,
): Effect.Effect<DatabaseSync, SinkError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt("open", () => {
      makePrivate(path);
      const db = new DatabaseSync(placeOf(path), { timeout: BUSY_MILLIS });
      try {
        // A file that is refused stays as it is.
        versionOf(db, schema);
        // The page size holds before the first table only. 16 KiB cost a sixth less CPU per page of
        // the stream than 4 KiB.
        db.exec(
          "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;",
        );
        files.set(db, identityOf(path));
        migrate(db, schema);
        return db;
      } catch (cause) {
        db.close();
        throw cause;
      }
    }),
    (db) => Effect.sync(() => db.close()),
  );

/**
 * Opens a file to read it: nothing is written and nothing is made. `undefined` where there is no
 * store yet.
 */
export const openToRead = (
  path: string,
  schema: FileSchema,
): Effect.Effect<DatabaseSync | undefined, SinkError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt("open", () => {
      if (!existsSync(path)) return undefined;
      const whole = readVersion(placeOf(path), schema);
      if (whole.cause === undefined) return whole.db;
      // A file that nobody may write, in a folder that nobody may write: where nothing waits in a
      // journal, it is read as it stands.
      const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
      if (!CANNOT_WRITE.has(codeOf(whole.cause)) || (wal?.size ?? 0) > 0) throw whole.cause;
      const standing = readVersion(new URL("?immutable=1", pathToFileURL(path)), schema);
      if (standing.cause !== undefined) throw standing.cause;
      return standing.db;
    }),
    (db) => Effect.sync(() => db?.close()),
  );

/** Opens a place to read; no `db` where no store is, `cause` where it cannot be opened. */
const readVersion = (
  place: string | URL,
  schema: FileSchema,
): { readonly db?: DatabaseSync; readonly cause?: unknown } => {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(place, { timeout: BUSY_MILLIS, readOnly: true });
    if (versionOf(db, schema) > 0) return { db };
    db.close();
    return {};
  } catch (cause) {
    db?.close();
    return { cause };
  }
};

/** READONLY and CANTOPEN: SQLite wants to write the journal's index beside the file. */
const CANNOT_WRITE = new Set([8, 14]);

const codeOf = (cause: unknown): number => ((cause as { errcode?: number }).errcode ?? 0) & 0xff;

/** The file behind each connection, as it was when it was opened. */
const files = new WeakMap<DatabaseSync, FileIdentity | undefined>();

interface FileIdentity {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

const identityOf = (path: string): FileIdentity | undefined => {
  if (path === ":memory:") return undefined;
  const found = statSync(path, { throwIfNoEntry: false });
  return found && { path, device: found.dev, inode: found.ino };
};

/** Fails where another file, or none, is at the path of an open one. */
export const requireSameFile = (db: DatabaseSync): void => {
  const file = files.get(db);
  if (file === undefined) return;
  const now = identityOf(file.path);
  if (now?.inode === file.inode && now.device === file.device) return;
  throw sinkError("commit", "replaced", `another file, or none, is at ${file.path}`);
};

/** A new file is readable for its owner alone; SQLite gives its journals the same mode. */
export const makePrivate = (path: string): void => {
  if (path === ":memory:") return;
  const found = statSync(path, { throwIfNoEntry: false });
  // SQLite cannot open a folder today, as it cannot open a disk that will be back tomorrow.
  if (found?.isDirectory() === true) throw new Error(`${path} is a folder: name a file in it`);
  if (found !== undefined) return;
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "EEXIST") throw cause;
  }
};

/**
 * SQLite takes `file:` for the beginning of a URI. Here it is a name like another, so that a reader
 * finds what a follower made.
 */
const placeOf = (path: string): string => (path === ":memory:" ? path : resolve(path));

/**
 * Time that a writer waits for another one. The wait blocks the thread, so it is short. The
 * follower retries.
 */
const BUSY_MILLIS = 500;

const migrate = (db: DatabaseSync, schema: FileSchema): void => {
  if (versionOf(db, schema) === schema.migrations.length) return;
  transact(db, () => {
    // Another process may have made the tables meanwhile.
    const version = versionOf(db, schema);
    db.exec(STEPS);
    const remember = db.prepare("INSERT INTO migration (version, checksum) VALUES (?, ?)");
    for (const [index, step] of schema.migrations.entries()) {
      if (index < version) continue;
      db.exec(step);
      remember.run(index + 1, stepChecksum(step));
    }
    db.exec(`PRAGMA application_id = ${schema.applicationId}`);
  });
};

/** The steps that made the tables of a file. */
const STEPS = `CREATE TABLE IF NOT EXISTS migration (version INTEGER PRIMARY KEY, checksum TEXT NOT NULL) STRICT`;

/** The number of steps that made the file, if this program knows them; 0 for an empty file. */
const versionOf = (db: DatabaseSync, { applicationId, migrations }: FileSchema): number => {
  const { application_id: id } = db.prepare("PRAGMA application_id").get() as {
    application_id: number;
  };
  const names = db.prepare("SELECT name FROM sqlite_master").all() as Array<{ name: string }>;
  if (names.length === 0) return 0;
  if (id !== applicationId || !names.some(({ name }) => name === "migration")) {
    throw unknownState("the file belongs to another program or another version");
  }
  const applied = db.prepare("SELECT * FROM migration ORDER BY version").all();
  return appliedSteps(applied as unknown as ReadonlyArray<AppliedStep>, migrations);
};

/**
 * Runs `body` in one write transaction; anything thrown rolls it back. A file that is no longer under
 * its name is written no more: what is written would be lost.
 */
export const transact = <A>(db: DatabaseSync, body: () => A): A => {
  requireSameFile(db);
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = body();
    db.exec("COMMIT");
    return result;
  } catch (cause) {
    // A full disk may have rolled back by itself; then there is no transaction left to end.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw cause;
  }
};

/** A synchronous piece of work on a file, its errors as `SinkError`. */
export const attempt = <A>(operation: string, body: () => A): Effect.Effect<A, SinkError> =>
  Effect.try({
    try: body,
    catch: toSinkError(operation, kindOf),
  });

/** The kind of an error of SQLite, by its primary result code. */
const kindOf = (cause: unknown): SinkErrorKind => KINDS[codeOf(cause)] ?? "internal";

const KINDS: Readonly<Record<number, SinkErrorKind>> = {
  5: "unavailable", // BUSY
  6: "unavailable", // LOCKED
  10: "unavailable", // IOERR
  11: "corrupt", // CORRUPT
  13: "diskFull", // FULL
  14: "unavailable", // CANTOPEN
  18: "rowRejected", // TOOBIG
  20: "rowRejected", // MISMATCH
  26: "corrupt", // NOTADB
};
