/**
 * A token store in one SQLite file, readable by its owner only (0600 in a folder of 0700).
 *
 * For desktop programs and for the servers of one machine: any number of processes may share it.
 * Network file systems are not supported. A write is durable when it returns
 * (`synchronous=full`). Pass a `Sealer` to keep the entries encrypted.
 *
 * @example
 * ```ts
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { FileStore } from "@game-data/oauth-pkce/node";
 * import { Effect } from "effect";
 *
 * const folder = await mkdtemp(join(tmpdir(), "tokens-"));
 * const program = Effect.gen(function* () {
 *   const store = yield* FileStore.make(folder);
 *   yield* store.write("user", undefined, { version: "1", text: "secret" });
 *   return (yield* store.read("user"))?.version;
 * });
 * if ((await Effect.runPromise(program)) !== "1") throw new Error("not stored");
 * await rm(folder, { recursive: true });
 * ```
 */
import { constants } from "node:fs";
import { chmod, lstat, mkdir, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";
import { sealed, type Sealer } from "../Sealer.ts";
import { fromBackend, type Backend, type NextEntry, type TokenStore } from "../TokenStore.ts";
import { attempt, errorCode, toStoreFailure } from "../internal/storeFailure.ts";
import { whileBusy } from "./internal/whileBusy.ts";

/** Options of a file store. */
export interface FileStoreOptions {
  /** Encrypts the entries. Default: clear text in a file of mode 0600. */
  readonly sealer?: Sealer;
}

/** A file store with promises. */
export interface FileBackend extends Backend {
  /** Keys of all entries, for `resealAll`. */
  readonly keys: () => Promise<ReadonlyArray<string>>;
  /** Closes the file. */
  readonly close: () => Promise<void>;
}

const FILE = "tokens.sqlite";

/** Versions of the schema, in order; `user_version` counts those applied. */
const MIGRATIONS: ReadonlyArray<string> = [
  `create table grants (
     key text primary key,
     version text not null,
     text text not null,
     expires_at integer
   ) strict, without rowid;
   create index grants_by_end on grants (expires_at) where expires_at is not null;`,
];

/** Opens the file store in `folder`, which is made, or made private, first. */
export const make = Effect.fn("FileStore.make")(function* (
  folder: string,
  options: FileStoreOptions = {},
): Effect.fn.Return<TokenStore, TokenStoreFailed> {
  return fromBackend(yield* attempt("open", () => openFileStore(folder, options)));
});

/** The same with promises. */
export const openFileStore = async (
  folder: string,
  { sealer }: FileStoreOptions = {},
): Promise<FileBackend> => {
  try {
    const path = join(resolve(folder), FILE);
    await preparePrivateFolder(resolve(folder));
    await preparePrivateFile(path);
    const database = openDatabase(path);
    await removeExpired(database);
    const plain = statementsOf(database);
    return {
      ...(sealer ? sealed(plain, sealer) : plain),
      keys: async () =>
        database
          .prepare("select key from grants")
          .all()
          .map(({ key }) => String(key)),
      close: async () => {
        if (database.isOpen) database.close();
      },
    };
  } catch (error) {
    throw toStoreFailure("open", error);
  }
};

const openDatabase = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path);
  // `secure_delete` overwrites superseded tokens; they stay in the log until its next checkpoint.
  database.exec(
    "pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on",
  );
  const applied = Number(database.prepare("pragma user_version").get()?.["user_version"]);
  if (applied > MIGRATIONS.length) {
    database.close();
    throw refused("the schema is newer than this package");
  }
  for (let at = applied; at < MIGRATIONS.length; at++) {
    database.exec("begin immediate");
    // Another process may have been faster.
    const now = Number(database.prepare("pragma user_version").get()?.["user_version"]);
    if (now === at) database.exec(`${MIGRATIONS[at]} pragma user_version = ${at + 1}`);
    database.exec("commit");
  }
  // From here on `whileBusy` waits for other processes.
  database.exec("pragma busy_timeout = 0");
  return database;
};

/** Another process may hold the lock, paused: what has expired is removed by the next one then. */
const removeExpired = (database: DatabaseSync): Promise<unknown> =>
  whileBusy(
    () => database.prepare("delete from grants where expires_at <= ?").run(Date.now()),
    0,
  ).catch((error: unknown) => {
    if (errorCode(error) !== "SQLITE_BUSY") throw error;
  });

const statementsOf = (database: DatabaseSync): Backend => {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  const readRow = (key: string, now: number) =>
    prepare(
      "select version, text from grants where key = ? and (expires_at is null or expires_at > ?)",
    ).get(key, now);

  const write = (
    key: string,
    expected: string | undefined,
    next: NextEntry | undefined,
  ): boolean => {
    const now = Date.now();
    if (next === undefined)
      return expected === undefined
        ? readRow(key, now) === undefined
        : prepare("delete from grants where key = ? and version = ?").run(key, expected).changes ===
            1;
    const { text, ttlMillis: ttl, version } = next;
    const end = typeof ttl === "number" ? now + ttl : null;
    return expected === undefined
      ? prepare(
          `insert into grants (key, version, text, expires_at) values (?, ?, ?, ?)
           on conflict (key) do update set version = excluded.version, text = excluded.text,
             expires_at = excluded.expires_at where grants.expires_at <= ?`,
        ).run(key, version, text, end, now).changes === 1
      : prepare(
          `update grants set version = ?, text = ?, expires_at = iif(?, expires_at, ?)
           where key = ? and version = ? and (expires_at is null or expires_at > ?)`,
        ).run(version, text, ttl === "keep" ? 1 : 0, end, key, expected, now).changes === 1;
  };

  // One write of this process waits for the others' lock at a time: many that try again and again
  // would keep each other, and the other processes, waiting.
  let last: Promise<unknown> = Promise.resolve();
  const oneByOne = <A>(run: () => A): Promise<A> => {
    const done = last.then(() => whileBusy(run));
    last = done.catch(() => {});
    return done;
  };

  return {
    read: async (key) => {
      const row = await whileBusy(() => readRow(key, Date.now()));
      return row && { version: String(row["version"]), text: String(row["text"]), now: Date.now() };
    },
    write: (key, expected, next) => oneByOne(() => write(key, expected, next)),
  };
};

const refused = (reason: string) => new TokenStoreFailed({ operation: "open", reason });

const preparePrivateFolder = async (folder: string) => {
  await makeFolder(folder);
  const found = await lstat(folder);
  if (!found.isDirectory()) throw refused("the folder is a symbolic link or a file");
  if (process.platform !== "win32" && (found.mode & 0o077) !== 0) await chmod(folder, 0o700);
};

// Not by `recursive`: where a parent exists and refuses children with ENOENT (/proc), Node's never
// returns.
const makeFolder = async (folder: string, isParentThere = false): Promise<void> => {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return;
    const parent = dirname(folder);
    if (code !== "ENOENT" || isParentThere || parent === folder) throw error;
    await makeFolder(parent);
    await makeFolder(folder, true);
  }
};

// SQLite gives its log and its index the mode of the file, so the file must exist before it opens.
const preparePrivateFile = async (path: string) => {
  const { O_CREAT, O_NOFOLLOW = 0, O_RDWR } = constants;
  const handle = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw refused("the entry is no file");
    if (process.platform !== "win32" && (found.mode & 0o077) !== 0) await handle.chmod(0o600);
  } finally {
    await handle.close();
  }
};
