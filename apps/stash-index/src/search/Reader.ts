/** A read-only connection to the index, and SQL statements with bound values. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** Part of an SQL statement, with the values of its parameters. */
export interface Sql {
  readonly text: string;
  readonly values: ReadonlyArray<SQLInputValue>;
}

/** Builds SQL. In ``sql`a = ${1} AND ${part}` `` the number is bound, and the part is inserted. */
export const sql = (
  texts: TemplateStringsArray,
  ...holes: ReadonlyArray<SQLInputValue | Sql>
): Sql => {
  const parts = holes.map((hole): Sql =>
    typeof hole === "object" && hole !== null && "text" in hole
      ? (hole as Sql)
      : { text: "?", values: [hole as SQLInputValue] },
  );
  return {
    text: texts.map((text, at) => text + (parts[at]?.text ?? "")).join(""),
    values: parts.flatMap(({ values }) => values),
  };
};

export const join = (parts: ReadonlyArray<Sql>, separator: string): Sql => ({
  text: parts.map(({ text }) => text).join(separator),
  values: parts.flatMap(({ values }) => values),
});

/** Error for a parameter with a value that the query cannot use, such as an unknown league. */
export class InvalidParameter extends Error {
  readonly parameter: string;
  constructor(parameter: string, detail: string) {
    super(detail);
    this.parameter = parameter;
  }
}

const MAX_STATEMENTS = 200;
const MAX_REMEMBERED = 100;

/** Reads an index file. Keeps prepared statements and computed values. */
export class Reader {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #remembered = new Map<string, unknown>();

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { readOnly: true, timeout: 2000 });
    this.#db.exec("PRAGMA cache_size = -65536; PRAGMA mmap_size = 8000000000");
  }

  all<Row>({ text, values }: Sql): ReadonlyArray<Row> {
    const statement = this.#statements.get(text) ?? this.#db.prepare(text);
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    this.#statements.set(text, statement);
    return statement.all(...values) as unknown as ReadonlyArray<Row>;
  }

  get<Row>(query: Sql): Row | undefined {
    return this.all<Row>(query)[0];
  }

  /** Returns the column `no` of each row. */
  numbers(query: Sql): ReadonlyArray<number> {
    return this.all<{ readonly no: number }>(query).map(({ no }) => no);
  }

  /** Computes a value once for each `key`, which must name everything that it depends on. */
  remember<A>(key: string, compute: () => A): A {
    if (this.#remembered.has(key)) return this.#remembered.get(key) as A;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    const value = compute();
    this.#remembered.set(key, value);
    return value;
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }
}
