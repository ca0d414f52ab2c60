/**
 * A SQLite file of this package: opened with the right pragmas, migrated, its errors translated.
 *
 * Rows and checkpoint stand in one transaction, so `synchronous=NORMAL` is enough: power loss drops
 * the last transaction whole and the page is asked for again.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SinkError, type SinkErrorKind } from "../Errors.ts";

/** One step of the schema; its place in the list is its version. */
const MIGRATIONS: ReadonlyArray<string> = [
  `CREATE TABLE checkpoint (
     source TEXT NOT NULL, realm TEXT NOT NULL, next_id TEXT, seq INTEGER NOT NULL DEFAULT 0,
     epoch INTEGER NOT NULL DEFAULT 0, last_page_sha256 TEXT NOT NULL DEFAULT '', last_event_at INTEGER NOT NULL DEFAULT 0,
     last_polled_at INTEGER, pages INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (source, realm)) STRICT;
   CREATE TABLE stash (
     id TEXT PRIMARY KEY, realm TEXT NOT NULL, seq INTEGER NOT NULL, public INTEGER NOT NULL, account TEXT, name TEXT,
     type TEXT, league TEXT, items INTEGER NOT NULL, doc TEXT) STRICT, WITHOUT ROWID;
   CREATE TABLE market (
     realm TEXT NOT NULL, hour INTEGER NOT NULL, league TEXT NOT NULL, market_id TEXT NOT NULL, seq INTEGER NOT NULL,
     doc TEXT NOT NULL, PRIMARY KEY (realm, hour, league, market_id)) STRICT, WITHOUT ROWID;
   CREATE TABLE page (
     source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, requested_id TEXT, next_id TEXT NOT NULL,
     sha256 TEXT NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL, received_at INTEGER NOT NULL,
     PRIMARY KEY (source, realm, seq)) STRICT, WITHOUT ROWID;
   CREATE TABLE gap (
     id INTEGER PRIMARY KEY, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL,
     from_id TEXT NOT NULL, to_id TEXT NOT NULL) STRICT;
   CREATE TABLE quarantine (
     id INTEGER PRIMARY KEY, source TEXT NOT NULL, realm TEXT NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL,
     requested_id TEXT, next_id TEXT NOT NULL, error_tag TEXT NOT NULL, message TEXT NOT NULL, bytes_zstd BLOB NOT NULL,
     first_seen INTEGER NOT NULL, tries INTEGER NOT NULL, replayed INTEGER NOT NULL DEFAULT 0) STRICT;
   CREATE TABLE lease (
     source TEXT NOT NULL, realm TEXT NOT NULL, owner TEXT, epoch INTEGER NOT NULL, expires_at INTEGER NOT NULL,
     PRIMARY KEY (source, realm)) STRICT;`,
  `CREATE INDEX stash_by_account ON stash (account, league) WHERE public = 1;`,
];

/** Opens and migrates the file; closed with the scope. */
export const openFile = (path: string): Effect.Effect<DatabaseSync, SinkError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt("open", () => {
      const db = new DatabaseSync(placeOf(path), { timeout: BUSY_MILLIS });
      try {
        db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
        migrate(db);
        return db;
      } catch (cause) {
        db.close();
        throw cause;
      }
    }),
    (db) => Effect.sync(() => db.close()),
  );

/**
 * Opens the file to look at it: nothing is written, and nothing is made. `undefined` where there is
 * no store yet.
 */
export const openToRead = (
  path: string,
): Effect.Effect<DatabaseSync | undefined, SinkError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt("open", () => {
      if (!existsSync(path)) return undefined;
      const db = new DatabaseSync(placeOf(path), {
        timeout: BUSY_MILLIS,
        readOnly: true,
      });
      try {
        if (versionOf(db) > 0) return db;
      } catch (cause) {
        db.close();
        throw cause;
      }
      db.close();
      return undefined;
    }),
    (db) => Effect.sync(() => db?.close()),
  );

/**
 * SQLite takes `file:` for the beginning of a URI. Here it is a name like another, so that looking
 * finds what following made.
 */
const placeOf = (path: string): string => (path === ":memory:" ? path : resolve(path));

/**
 * How long a writer waits for another one. The wait blocks the thread, so it is short; the follower
 * retries.
 */
const BUSY_MILLIS = 2000;

const migrate = (db: DatabaseSync): void => {
  transact(db, () => {
    for (const step of MIGRATIONS.slice(versionOf(db))) db.exec(step);
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
};

/** The file's version, if this program knows it. */
const versionOf = (db: DatabaseSync): number => {
  const { user_version: version } = db.prepare("PRAGMA user_version").get() as {
    user_version: number;
  };
  if (version <= MIGRATIONS.length) return version;
  throw new SinkError({
    operation: "migrate",
    kind: "incompatible",
    cause: new Error(`the file has version ${version}, this program knows ${MIGRATIONS.length}`),
  });
};

/** Runs `body` in one write transaction; anything thrown rolls it back. */
export const transact = <A>(db: DatabaseSync, body: () => A): A => {
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

/**
 * A synchronous piece of work on the file, its errors as `SinkError`; errors of this package pass
 * through.
 */
export const attempt = <A, E = never>(
  operation: string,
  body: () => A,
  isOwn: (cause: unknown) => cause is E = isUnowned,
): Effect.Effect<A, SinkError | E> =>
  Effect.try({
    try: body,
    catch: (cause) =>
      cause instanceof SinkError || isOwn(cause)
        ? cause
        : new SinkError({ operation, kind: kindOf(cause), cause }),
  });

const isUnowned = (cause: unknown): cause is never => cause === isUnowned;

const kindOf = (cause: unknown): SinkErrorKind => {
  const code = (cause as { errcode?: number }).errcode;
  if (code === undefined) return "internal";
  return REASONS[code & 0xff] ?? "internal";
};

/** SQLite's primary result codes: BUSY, LOCKED, IOERR, FULL, CANTOPEN. */
const REASONS: Readonly<Record<number, SinkErrorKind>> = {
  5: "unavailable",
  6: "unavailable",
  10: "unavailable",
  13: "diskFull",
  14: "unavailable",
};
