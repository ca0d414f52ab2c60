/**
 * The file of a sandbox: its rows as JSON in one table of SQLite.
 *
 * The journal is written ahead (WAL), so a commit survives `kill -9` of the process. A power cut may
 * cost the last commits (`synchronous=NORMAL`). The file is locked while it is open.
 */
import { DatabaseSync } from "node:sqlite";
import { type File, FORMAT } from "./Store.ts";

const SQLITE_BUSY = 5;

/** Milliseconds to wait for a process that is about to release the file. */
const BUSY_MILLIS = 200;

/** Opens a file. Throws if it is not a database of this version, or if a process has it open. */
export const sqliteFile = (path: string): File => {
  const db = new DatabaseSync(path);
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MILLIS}; PRAGMA locking_mode = EXCLUSIVE`);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    // Write now, because the first write takes the lock.
    db.exec("BEGIN IMMEDIATE");
    prepareLayout(db);
    db.exec("COMMIT");
  } catch (cause) {
    db.close();
    const isLocked = (cause as { readonly errcode?: number }).errcode === SQLITE_BUSY;
    throw isLocked ? new Error("the file is in use by another sandbox", { cause }) : cause;
  }
  const put = db.prepare(
    "INSERT INTO rows VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET row = excluded.row",
  );
  const remove = db.prepare('DELETE FROM rows WHERE "table" = ? AND key = ?');
  return {
    load: () =>
      db
        .prepare('SELECT "table", row FROM rows ORDER BY rowid')
        .all()
        .map(({ row, table }) => [String(table), JSON.parse(String(row)) as object]),
    write: (changes) => {
      db.exec("BEGIN");
      try {
        for (const [table, key, row] of changes)
          if (row === undefined) remove.run(table, key);
          else put.run(table, key, JSON.stringify(row));
        db.exec("COMMIT");
      } catch (cause) {
        if (db.isTransaction) db.exec("ROLLBACK");
        throw cause;
      }
    },
    close: () => db.close(),
  };
};

const prepareLayout = (db: DatabaseSync): void => {
  const { tables } = db.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()!;
  const { user_version: version } = db.prepare("PRAGMA user_version").get()!;
  if (tables !== 0 && version !== FORMAT)
    throw new Error(
      `it was written by another program, or by another version of the sandbox (format ${version})`,
    );
  db.exec(`PRAGMA user_version = ${FORMAT}`);
  db.exec(`CREATE TABLE IF NOT EXISTS rows (
    "table" TEXT, key TEXT, row TEXT NOT NULL, PRIMARY KEY ("table", key)
  ) STRICT`);
};
