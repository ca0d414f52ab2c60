/**
 * A read-only connection to the search index, with its prepared statements.
 *
 * Queries are synchronous. Every one of them is bounded: by the rows that it returns, and by the
 * choice of an index (`plan.ts`).
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** A parameter that a query cannot use. */
export class InvalidParameter extends Error {
  /** Its name; the message is the reason. */
  readonly parameter: string;
  constructor(parameter: string, reason: string) {
    super(reason);
    this.parameter = parameter;
  }
}

/** A parameter of a statement. */
export type Parameter = SQLInputValue;

const CACHED_STATEMENTS = 400;
const REMEMBERED = 100;

/** Reads the index. */
export class Reader {
  private readonly db: DatabaseSync;
  private readonly values = new Map<string, unknown>();
  private readonly statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.db = new DatabaseSync(path, { readOnly: true, timeout: 2000 });
    this.db.exec(
      "PRAGMA query_only = 1; PRAGMA cache_size = -65536; PRAGMA mmap_size = 8000000000",
    );
  }

  all<Row>(sql: string, ...parameters: ReadonlyArray<Parameter>): ReadonlyArray<Row> {
    return this.prepare(sql).all(...parameters) as unknown as ReadonlyArray<Row>;
  }

  get<Row>(sql: string, ...parameters: ReadonlyArray<Parameter>): Row | undefined {
    return this.prepare(sql).get(...parameters) as Row | undefined;
  }

  /** Rows one by one. Statements that run at the same time need different slots. */
  iterate<Row>(slot: number, sql: string, parameters: ReadonlyArray<Parameter>): Iterator<Row> {
    return this.prepare(sql, slot).iterate(...parameters) as unknown as Iterator<Row>;
  }

  /** Computes a value once for a key; a key names everything that the value depends on. */
  remember<A>(key: string, compute: () => A): A {
    if (this.values.has(key)) return this.values.get(key) as A;
    if (this.values.size >= REMEMBERED) this.values.clear();
    const value = compute();
    this.values.set(key, value);
    return value;
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }

  private prepare(sql: string, slot = 0): StatementSync {
    const key = `${slot} ${sql}`;
    const known = this.statements.get(key);
    this.statements.delete(key);
    const statement = known ?? this.db.prepare(sql);
    this.statements.set(key, statement);
    const [oldest] = this.statements.keys();
    if (this.statements.size > CACHED_STATEMENTS) this.statements.delete(oldest!);
    return statement;
  }
}
