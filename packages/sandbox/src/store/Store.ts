/**
 * The sandbox's database: SQLite through `node:sqlite`, in memory or in a file.
 *
 * One connection, synchronous calls. JavaScript runs one of them at a time, so a `transact` is
 * atomic against every other request of this process; `BEGIN IMMEDIATE` keeps a second process on
 * the same file out. In a file the journal is written ahead (WAL): a commit survives `kill -9` of
 * the process. A power cut may cost the last commits (`synchronous=NORMAL`).
 *
 * Each area of the sandbox brings its own tables with `define`; their columns are TEXT, INTEGER or
 * REAL, so that `snapshot` can be written as JSON.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { existsSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { SandboxConfig } from "../Config.ts";
import { SandboxStartError } from "../Errors.ts";

/** Version of the layout of tables in a file; a file of another version is refused. */
const FORMAT = 1;

/** A value that a row of a snapshot may hold. */
export type SnapshotValue = string | number | null;

/** Every row of every table, fit for JSON. */
export interface Snapshot {
  /** Version of the layout. */
  readonly format: number;
  /** Rows by table. */
  readonly tables: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, SnapshotValue>>>>>;
}

/** The database of one sandbox. */
export class Store extends Context.Service<
  Store,
  {
    /** The connection itself, for what the helpers do not cover. */
    readonly db: DatabaseSync;
    /** The file, or undefined in memory. */
    readonly file: string | undefined;
    /** A prepared statement, kept and reused by its text. */
    prepare(sql: string): StatementSync;
    /**
     * Runs `body` in one transaction; nested calls join the outer one; an exception rolls all back.
     * Synchronous only.
     */
    transact<A>(body: () => A): A;
    /** Brings an area's tables and indexes (`CREATE … IF NOT EXISTS …`). */
    define(statements: ReadonlyArray<string>): void;
    /** A small setting that outlives a restart. */
    getMeta(key: string): string | undefined;
    /** Writes such a setting. */
    setMeta(key: string, value: string): void;
    /**
     * Registers what an area writes into its emptied tables at `reset`, by a unique name; runs in
     * order of registration.
     */
    onReset(area: string, seed: () => void): void;
    /**
     * Grows by one whenever rows were replaced as a whole (`reset`, `restore`): what was read
     * before is void then.
     */
    generation(): number;
    /** Empties every table and lets the areas seed theirs again. */
    readonly reset: Effect.Effect<void>;
    /** All rows, as they are now. */
    readonly snapshot: Effect.Effect<Snapshot>;
    /** Replaces all rows by those of a snapshot of the same format; unknown tables are left out. */
    restore(snapshot: Snapshot): Effect.Effect<void>;
  }
>()("@game-data/sandbox/Store") {
  /** Opens the database that the configuration names and closes it with the scope. */
  static readonly layer: Layer.Layer<Store, SandboxStartError, SandboxConfig> = Layer.effect(
    Store,
    Effect.gen(function* () {
      const { file, seed } = yield* SandboxConfig;
      const db = yield* Effect.acquireRelease(
        Effect.try({
          try: () => open(file),
          catch: (cause) => new SandboxStartError({ reason: `${file}: ${String(cause)}` }),
        }),
        (opened) => Effect.sync(() => opened.close()),
      );
      const store = makeStore(db, file);
      const format = store.getMeta("format");
      if (format !== undefined && format !== String(FORMAT)) {
        return yield* new SandboxStartError({
          reason: `${file} was written by another version of the sandbox (format ${format})`,
        });
      }
      const known = store.getMeta("seed");
      if (known !== undefined && known !== String(seed)) {
        return yield* new SandboxStartError({
          reason: `${file} holds the world of seed ${known}, not ${seed}`,
        });
      }
      store.setMeta("format", String(FORMAT));
      store.setMeta("seed", String(seed));
      return Store.of(store);
    }),
  );
}

/** The seed of the world that a file holds, if it is one of ours. */
export const seedOfFile = (file: string | undefined): number | undefined => {
  if (file === undefined || !existsSync(file)) return undefined;
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const seed = db.prepare("SELECT value FROM meta WHERE key = 'seed'").get()?.["value"];
    return seed === undefined ? undefined : Number(seed);
  } catch {
    return undefined;
  } finally {
    db.close();
  }
};

const open = (file: string | undefined): DatabaseSync => {
  const db = new DatabaseSync(file ?? ":memory:");
  db.exec("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON");
  if (file !== undefined) db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  db.exec("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT");
  return db;
};

const makeStore = (db: DatabaseSync, file: string | undefined): Store["Service"] => {
  const statements = new Map<string, StatementSync>();
  const seeds = new Map<string, () => void>();
  let depth = 0;
  let generation = 0;

  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = db.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };

  const transact = <A>(body: () => A): A => {
    if (depth > 0) return body();
    prepare("BEGIN IMMEDIATE").run();
    depth += 1;
    try {
      const result = body();
      prepare("COMMIT").run();
      return result;
    } catch (cause) {
      if (db.isTransaction) db.exec("ROLLBACK");
      throw cause;
    } finally {
      depth -= 1;
    }
  };

  const tables = (): ReadonlyArray<string> =>
    prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all()
      .map((row) => String(row["name"]));

  /** Emptied in any order: foreign keys are checked at the end of the transaction. */
  const empty = () => {
    generation += 1;
    db.exec("PRAGMA defer_foreign_keys = ON");
    for (const table of tables()) if (table !== "meta") db.exec(`DELETE FROM "${table}"`);
  };

  const restore = (snapshot: Snapshot) => {
    if (snapshot.format !== FORMAT) {
      throw new Error(`a snapshot of format ${snapshot.format} cannot be restored`);
    }
    const known = new Set(tables());
    transact(() => {
      empty();
      for (const [table, rows] of Object.entries(snapshot.tables)) {
        if (!known.has(table)) continue;
        for (const row of rows) insert(db, table, row);
      }
    });
  };

  return {
    db,
    file,
    prepare,
    transact,
    define: (sql) => {
      for (const statement of sql) db.exec(statement);
    },
    getMeta: (key) => {
      const row = prepare("SELECT value FROM meta WHERE key = ?").get(key);
      return row === undefined ? undefined : String(row["value"]);
    },
    setMeta: (key, value) => {
      prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)").run(key, value);
    },
    onReset: (area, seed) => {
      seeds.set(area, seed);
    },
    generation: () => generation,
    reset: Effect.sync(() =>
      transact(() => {
        empty();
        for (const seed of seeds.values()) seed();
      }),
    ),
    snapshot: Effect.sync(() => ({
      format: FORMAT,
      tables: Object.fromEntries(
        tables().map((table) => [
          table,
          db.prepare(`SELECT * FROM "${table}"`).all() as ReadonlyArray<
            Record<string, SnapshotValue>
          >,
        ]),
      ),
    })),
    restore: (snapshot) => Effect.sync(() => restore(snapshot)),
  };
};

const insert = (
  db: DatabaseSync,
  table: string,
  row: Readonly<Record<string, SnapshotValue>>,
): void => {
  const columns = Object.keys(row);
  const names = columns.map((column) => `"${column.replaceAll('"', "")}"`).join(", ");
  const marks = columns.map(() => "?").join(", ");
  db.prepare(`INSERT OR REPLACE INTO "${table}" (${names}) VALUES (${marks})`).run(
    ...columns.map((column) => row[column] as SQLInputValue),
  );
};
