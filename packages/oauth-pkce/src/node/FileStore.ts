/**
 * A token store in one SQLite file that only its owner can read (0600 in a folder of 0700).
 *
 * For desktop programs and for the servers of one machine: any number of processes may share it.
 * Network file systems are not supported. A write is durable when it returns. Pass a `Sealer` to
 * encrypt the entries.
 */
import { constants, existsSync } from "node:fs";
import { chmod, lstat, mkdir, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";
import { errorCode } from "../internal/errorCode.ts";
import * as Sql from "../internal/sqlStore.ts";
import type { Backend, Sealer, TokenStore } from "../TokenStore.ts";
import { fromBackend, sealed, storeError } from "../TokenStore.ts";

/** Options of `make` and `openFileStore`. */
export interface FileStoreOptions {
  /** Encrypts the entries. Default: clear text in a file of mode 0600. */
  readonly sealer?: Sealer;
}

export interface FileBackend extends Backend {
  readonly close: () => Promise<void>;
}

/** Opens the file store in `folder`, which is created, or made private, first. */
export const make = (
  folder: string,
  options: FileStoreOptions = {},
): Effect.Effect<TokenStore, TokenStoreFailed> =>
  Effect.tryPromise({
    try: async () => fromBackend(await openFileStore(folder, options)),
    catch: (error) => storeError("open", error),
  });

/** Opens the file store as `make` does, with promises. */
export const openFileStore = async (
  folder: string,
  { sealer }: FileStoreOptions = {},
): Promise<FileBackend> => {
  try {
    // `resolve("")` is the working directory.
    if (folder === "") throw refused("the folder has no name");
    const path = join(resolve(folder), "tokens.sqlite");
    await preparePrivate(resolve(folder), path);
    const sqlite = openSqlite(path);
    const database = toDatabase(sqlite);
    // If another process holds the lock, expired entries are removed when the file is next opened.
    await Sql.removeExpired(database).catch((error: unknown) => {
      if (errorCode(error) !== "SQLITE_BUSY") throw error;
    });
    const plain = Sql.sqlStore(database);
    return {
      ...(sealer ? sealed(plain, sealer) : plain),
      close: async () => void (sqlite.isOpen && sqlite.close()),
    };
  } catch (error) {
    throw storeError("open", error);
  }
};

const openSqlite = (path: string): DatabaseSync => {
  const sqlite = new DatabaseSync(path);
  // `secure_delete` overwrites superseded tokens. They stay in the log until its next checkpoint.
  sqlite.exec(
    `pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full;
     pragma secure_delete = on; begin immediate`,
  );
  const version = Number(sqlite.prepare("pragma user_version").get()?.["user_version"]);
  if (version === 0) sqlite.exec(`${Sql.SCHEMA} pragma user_version = ${Sql.SCHEMA_VERSION}`);
  // From here on `whileBusy` waits for other processes.
  sqlite.exec("commit; pragma busy_timeout = 0");
  if (version === 0 || version === Sql.SCHEMA_VERSION) return sqlite;
  sqlite.close();
  throw Sql.wrongSchema(version);
};

const toDatabase = (sqlite: DatabaseSync): Sql.Database => {
  // One statement of this process at a time waits for the lock. Several statements that retry would
  // keep each other waiting.
  let last: Promise<unknown> = Promise.resolve();
  const statements = new Map<string, StatementSync>();
  return {
    now: "cast(unixepoch('subsec') * 1000 as integer)",
    rows: (sql, params) => {
      // node:sqlite binds `$1` by name only.
      const named = Object.fromEntries(params.map((value, at) => [`$${at + 1}`, value]));
      const statement = statements.get(sql) ?? sqlite.prepare(sql);
      statements.set(sql, statement);
      const run = () => whileBusy(() => statement.all(named));
      // Readers do not wait for writers (write-ahead log).
      if (sql.startsWith("select")) return run();
      const done = last.then(run);
      last = done.catch(() => undefined);
      return done;
    },
  };
};

const SQLITE_BUSY = 5;
const MAX_WAIT_MILLIS = 5_000;
const PAUSE_MILLIS = 5;

/**
 * Runs a statement again while another process writes. SQLite's own `busy_timeout` would block the
 * event loop, so the response to a refresh would be read too late and count as lost.
 */
const whileBusy = async <A>(run: () => A): Promise<A> => {
  const end = performance.now() + MAX_WAIT_MILLIS;
  for (;;) {
    try {
      return run();
    } catch (error) {
      // The low byte is the primary code, which BUSY_SNAPSHOT and BUSY_RECOVERY share.
      const { errcode } = error as { readonly errcode?: number };
      if (((errcode ?? 0) & 0xff) !== SQLITE_BUSY) throw error;
      if (performance.now() >= end) throw Object.assign(new Error(), { code: "SQLITE_BUSY" });
    }
    // Random, so that two waiting processes do not meet again and again.
    await sleep(PAUSE_MILLIS * (1 + Math.random()));
  }
};

const refused = (reason: string) => new TokenStoreFailed({ operation: "open", reason });

/** SQLite gives its log and index the mode of the file, so the file has to exist before it opens. */
const preparePrivate = async (folder: string, path: string) => {
  await makeFolder(folder);
  if (!(await lstat(folder)).isDirectory())
    throw refused("the folder is a symbolic link or a file");
  await chmod(folder, 0o700);
  const { O_CREAT, O_NOFOLLOW = 0, O_RDWR } = constants;
  const file = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    if (!(await file.stat()).isFile()) throw refused("the entry is not a file");
    await file.chmod(0o600);
  } finally {
    await file.close();
  }
};

// Not `recursive`: Node never returns if a parent refuses children with ENOENT, as /proc does.
const makeFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || existsSync(dirname(folder))) throw error;
    await makeFolder(dirname(folder));
    await makeFolder(folder);
  }
};
