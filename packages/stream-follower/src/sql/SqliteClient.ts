/**
 * Implements `effect/sql` over `node:sqlite`, without a native build: one connection in WAL mode,
 * integers as bigints, and transactions that take the write lock when they begin.
 */
import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import * as Stream from "effect/Stream";
import * as Reactivity from "effect/reactivity/Reactivity";
import * as SqlClient from "effect/sql/SqlClient";
import type { Connection } from "effect/sql/SqlConnection";
import { classifySqliteError, SqlError } from "effect/sql/SqlError";
import * as Statement from "effect/sql/Statement";
import { closeSync, openSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { ConnectOptions } from "./Database.ts";

export interface SqliteConfig extends ConnectOptions {
  /** Path of the file, or `:memory:`. */
  readonly path: string;
}

/** SQLite would block the thread to wait for another writer, so a busy statement is retried. */
const timeout = 0;
const BUSY_RETRIES = 25;

/** Opens a SQLite file. Closing the scope closes the file. */
export const make = (
  config: SqliteConfig,
): Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const db = yield* Effect.acquireRelease(
      attempt("open", () => (config.isReadOnly === true ? openToRead(config.path) : open(config))),
      (opened) => Effect.sync(() => opened.close()),
    );
    const acquirers = SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(makeConnection(db, config.path)),
      semaphore: yield* Semaphore.make(1),
      isTransaction: () => db.isTransaction,
    });
    return yield* SqlClient.make({
      ...acquirers,
      compiler: Statement.makeCompilerSqlite(),
      driver: "node-sqlite",
      beginTransaction: "BEGIN IMMEDIATE",
      spanAttributes: [["db.system.name", "sqlite"]],
    });
  }).pipe(Effect.provide(Reactivity.layer));

const open = ({ path, synchronous = "normal" }: SqliteConfig): DatabaseSync => {
  makePrivate(path);
  const db = new DatabaseSync(location(path), { timeout });
  // Pages of 16 KiB cost a sixth less CPU per page of the stream than SQLite's 4 KiB. A checkpoint
  // blocks the thread, so it is made after 4 MiB. A file of another program is refused later, and
  // these statements do not change it.
  db.exec(`PRAGMA page_size = 16384; PRAGMA wal_autocheckpoint = 256;
    PRAGMA synchronous = ${synchronous}`);
  return db;
};

/** Creates a new file that only its owner can access. SQLite gives its journals the same mode. */
export const makePrivate = (path: string): void => {
  if (path === ":memory:") return;
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry?.isDirectory() === true) throw new Error(`${path} is a folder: name a file in it`);
  if (entry === undefined) closeSync(openSync(path, "a", 0o600));
};

/** Returns an absolute path, because SQLite would read a path that begins with `file:` as a URI. */
const location = (path: string): string => (path === ":memory:" ? path : resolve(path));

const openToRead = (path: string): DatabaseSync => {
  try {
    const db = new DatabaseSync(location(path), { timeout, readOnly: true });
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    return db;
  } catch (cause) {
    // SQLite writes the index of its journal even to read. In a folder without write permission a
    // file with an empty journal is read as it is.
    const journal = statSync(`${path}-wal`, { throwIfNoEntry: false });
    const code = primaryCode(cause);
    if ((code !== READONLY && code !== CANTOPEN) || (journal?.size ?? 0) > 0) throw cause;
    const url = new URL("?immutable=1", pathToFileURL(path));
    return new DatabaseSync(url, { readOnly: true });
  }
};

const ERROR = 1;
const BUSY = 5;
const READONLY = 8;
const CANTOPEN = 14;

const primaryCode = (cause: unknown): number =>
  ((cause as { readonly errcode?: number }).errcode ?? 0) & 0xff;

const makeConnection = (db: DatabaseSync, path: string): Connection => {
  const prepare = (sql: string): StatementSync => {
    const statement = db.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  const requireSameFile = makeFileCheck(path);
  const run = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.suspend(() => {
      const isInTransaction = db.isTransaction;
      const statement = attempt("execute", () => {
        if (!isInTransaction) requireSameFile();
        return prepare(sql).all(...(params as ReadonlyArray<SQLInputValue>));
      });
      return isInTransaction ? statement : retryBusy(statement);
    });
  const values = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.map(run(sql, params), (rows) => rows.map((row) => Object.values(row)));
  const execute: Connection["execute"] = (sql, params, transform) =>
    transform === undefined ? run(sql, params) : Effect.map(run(sql, params), transform);
  return {
    execute,
    executeRaw: run,
    executeUnprepared: execute,
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (sql, params) =>
      Stream.suspend(() =>
        Stream.fromIterable(prepare(sql).iterate(...(params as ReadonlyArray<SQLInputValue>))),
      ),
  };
};

const retryBusy = <A>(statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.retry(statement, {
    while: ({ reason }) => primaryCode(reason.cause) === BUSY,
    times: BUSY_RETRIES,
    schedule: Schedule.spaced("20 millis"),
  });

/**
 * Returns a check that the file is still at its path. SQLite keeps writing to a file that was
 * deleted or replaced, and these writes are lost.
 */
const makeFileCheck = (path: string): (() => void) => {
  if (path === ":memory:") return () => undefined;
  const { dev, ino } = statSync(path);
  return () => {
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry?.ino === ino && entry.dev === dev) return;
    throw Object.assign(new Error(`another file, or none, is at ${path}`), { code: "REPLACED" });
  };
};

const attempt = <A>(operation: string, body: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({
    try: body,
    catch: (cause) => {
      // An error of Node, such as a folder that does not exist, has no code of SQLite.
      const { errcode = ERROR, message } = cause as Error & { readonly errcode?: number };
      const error = Object.assign(cause as Error, { errcode, errno: errcode });
      return new SqlError({ reason: classifySqliteError(error, { operation, message }) });
    },
  });
