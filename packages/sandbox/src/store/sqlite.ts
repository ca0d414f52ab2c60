/**
 * Tables in a SQLite file through `node:sqlite`. Statements are derived from the tables' columns.
 *
 * The journal is written ahead (WAL): a commit survives `kill -9` of the process. A power cut may
 * cost the last commits (`synchronous=NORMAL`). One process writes: the file is locked as long as
 * it is open, for readers as well; look inside through the control plane.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { AnyRow, Engine, Table, TableDefinition } from "./Store.ts";

/** Time to wait for a process that is about to release the file. */
const BUSY_MILLIS = 200;

/** Opens a file. Throws where it is no database or another process has it open. */
export const sqliteEngine = (file: string): Engine => {
  const db = new DatabaseSync(file);
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MILLIS}; PRAGMA locking_mode = EXCLUSIVE`);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    // The lock is taken by the first write: take it now, not at the first request.
    db.exec("BEGIN IMMEDIATE; COMMIT");
  } catch (cause) {
    db.close();
    const isLocked = (cause as { readonly errcode?: number }).errcode === SQLITE_BUSY;
    throw isLocked ? new Error("the file is in use by another sandbox", { cause }) : cause;
  }
  return engineOf(db);
};

const SQLITE_BUSY = 5;

const engineOf = (db: DatabaseSync): Engine => {
  let depth = 0;
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  return {
    open: (definition) => new SqliteTable(db, definition),
    transact: (body) => {
      if (depth > 0) return body();
      begin.run();
      depth += 1;
      try {
        const result = body();
        commit.run();
        return result;
      } catch (cause) {
        if (db.isTransaction) db.exec("ROLLBACK");
        throw cause;
      } finally {
        depth -= 1;
      }
    },
    close: () => db.close(),
  };
};

class SqliteTable implements Table<AnyRow> {
  readonly #db: DatabaseSync;
  readonly #name: string;
  readonly #columns: ReadonlyArray<string>;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #all: StatementSync;
  readonly #count: StatementSync;
  readonly #others = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, definition: TableDefinition<AnyRow>) {
    const { columns, indexes = [], key, name } = definition;
    const table = quote(name);
    const typed = Object.entries(columns).map(([column, type]) => {
      const sql = type.startsWith("text") ? "TEXT" : "INTEGER";
      return `${quote(column)} ${sql}${type.endsWith("?") ? "" : " NOT NULL"}${column === key ? " PRIMARY KEY" : ""}`;
    });
    db.exec(`CREATE TABLE IF NOT EXISTS ${table} (${typed.join(", ")}) STRICT`);
    for (const index of indexes)
      db.exec(
        `CREATE INDEX IF NOT EXISTS ${quote(`${name}_${index}`)} ON ${table} (${quote(index)})`,
      );
    this.#db = db;
    this.#name = table;
    this.#columns = Object.keys(columns);
    const list = this.#columns.map(quote).join(", ");
    const marks = this.#columns.map(() => "?").join(", ");
    const changes = this.#columns
      .filter((column) => column !== key)
      .map((column) => `${quote(column)} = excluded.${quote(column)}`)
      .join(", ");
    this.#get = db.prepare(`SELECT * FROM ${table} WHERE ${quote(key)} = ?`);
    this.#put = db.prepare(
      `INSERT INTO ${table} (${list}) VALUES (${marks}) ON CONFLICT (${quote(key)}) DO UPDATE SET ${changes}`,
    );
    this.#delete = db.prepare(`DELETE FROM ${table} WHERE ${quote(key)} = ?`);
    this.#all = db.prepare(`SELECT * FROM ${table} ORDER BY rowid`);
    this.#count = db.prepare(`SELECT count(*) AS n FROM ${table}`);
  }

  get(key: string): AnyRow | undefined {
    return this.#get.get(key) as AnyRow | undefined;
  }

  put(row: AnyRow): void {
    this.#put.run(...this.#columns.map((column) => row[column] as SQLInputValue));
  }

  delete(key: string): void {
    this.#delete.run(key);
  }

  by(index: string, value: string | number): ReadonlyArray<AnyRow> {
    const sql = `SELECT * FROM ${this.#name} WHERE ${quote(index)} = ? ORDER BY rowid`;
    return this.#statement(sql).all(value) as ReadonlyArray<AnyRow>;
  }

  all(): ReadonlyArray<AnyRow> {
    return this.#all.all() as ReadonlyArray<AnyRow>;
  }

  count(): number {
    return Number(this.#count.get()?.["n"]);
  }

  deleteUpTo(column: string, limit: number): void {
    this.#statement(`DELETE FROM ${this.#name} WHERE ${quote(column)} <= ?`).run(limit);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#others.get(sql);
    if (statement === undefined) this.#others.set(sql, (statement = this.#db.prepare(sql)));
    return statement;
  }
}

const quote = (name: string): string => `"${name.replaceAll('"', "")}"`;
