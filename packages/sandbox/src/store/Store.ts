/**
 * The store for the state of a sandbox: tables of plain rows, in memory (`memoryEngine`) or in a
 * SQLite file (`sqliteEngine`).
 *
 * Every call is synchronous. JavaScript runs one at a time, so a `transact` is atomic against every
 * other request of this process. Rows are read-only: a change is a `put` of a new row. No SQL
 * stands outside of the store.
 */

/** Version of the layout of tables; a file or a snapshot of another one is refused. */
const FORMAT = 2;

export type Value = string | number | null;

/** Type of a column; those with a question mark may be null. */
interface ColumnValues {
  readonly text: string;
  readonly integer: number;
  readonly "text?": string | null;
  readonly "integer?": number | null;
}
type ColumnType = keyof ColumnValues;

export type RowOf<Definition extends { readonly columns: Readonly<Record<string, ColumnType>> }> = {
  readonly [Column in keyof Definition["columns"]]: ColumnValues[Definition["columns"][Column]];
};

/** A table: its name, its columns, its key and what it is searched by. */
export interface TableDefinition<Row> {
  readonly name: string;
  readonly key: keyof Row & string;
  readonly columns: { readonly [Column in keyof Row]: ColumnType };
  readonly indexes?: ReadonlyArray<keyof Row & string>;
}

/** The rows of a table, in the order in which their keys were first put. */
export interface Table<Row> {
  get(key: string): Readonly<Row> | undefined;
  /** Inserts a row, or replaces the one of the same key in its place. */
  put(row: Row): void;
  delete(key: string): void;
  by(index: keyof Row & string, value: string | number): ReadonlyArray<Readonly<Row>>;
  all(): ReadonlyArray<Readonly<Row>>;
  count(): number;
  /** Removes the rows whose column holds a number that is not above `limit`. */
  deleteUpTo(column: keyof Row & string, limit: number): void;
}

export type AnyRow = Readonly<Record<string, Value>>;

/** Every row of every table, fit for JSON. */
export interface Snapshot {
  /** Version of the layout. */
  readonly format: number;
  readonly tables: Readonly<Record<string, ReadonlyArray<AnyRow>>>;
}

/** The implementation of a kind of store: tables and transactions. */
export interface Engine {
  open(definition: TableDefinition<AnyRow>): Table<AnyRow>;
  /** Runs `body`; an exception undoes what it wrote. Nested calls join the outer one. */
  transact<A>(body: () => A): A;
  close(): void;
}

export const META = {
  name: "meta",
  key: "key",
  columns: { key: "text", value: "text" },
} as const;
type Meta = RowOf<typeof META>;

export class Store {
  readonly #engine: Engine;
  readonly #tables = new Map<
    string,
    { definition: TableDefinition<AnyRow>; rows: Table<AnyRow> }
  >();
  readonly #seeds = new Map<string, () => void>();
  readonly #meta: Table<Meta>;
  #generation = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#meta = this.table<Meta>(META);
    const format = this.getMeta("format");
    if (format !== undefined && format !== String(FORMAT))
      throw new Error(`it was written by another version of the sandbox (format ${format})`);
    this.setMeta("format", String(FORMAT));
  }

  table<Row>(definition: TableDefinition<Row>): Table<Row> {
    const known = this.#tables.get(definition.name);
    if (known !== undefined) return known.rows as unknown as Table<Row>;
    const plain = definition as unknown as TableDefinition<AnyRow>;
    const rows = this.#engine.open(plain);
    this.#tables.set(definition.name, { definition: plain, rows });
    return rows as unknown as Table<Row>;
  }

  /** Runs `body` in one transaction; an exception rolls all of it back. Synchronous only. */
  transact<A>(body: () => A): A {
    return this.#engine.transact(body);
  }

  /** A small setting that outlives a restart. */
  getMeta(key: string): string | undefined {
    return this.#meta.get(key)?.value;
  }

  setMeta(key: string, value: string): void {
    this.#meta.put({ key, value });
  }

  /**
   * Registers what an area writes into its emptied tables at `reset`, by a unique name; runs in
   * order of registration.
   */
  onReset(area: string, seed: () => void): void {
    this.#seeds.set(area, seed);
  }

  /** Grows by one whenever rows were replaced as a whole: what was read before is void then. */
  generation(): number {
    return this.#generation;
  }

  /** Empties every table and lets the areas seed theirs again. */
  reset(): void {
    this.transact(() => {
      this.#empty((name) => name !== "meta");
      for (const seed of this.#seeds.values()) seed();
    });
  }

  snapshot(): Snapshot {
    return {
      format: FORMAT,
      tables: Object.fromEntries(
        [...this.#tables].map(([name, { rows }]) => [name, rows.all()] as const),
      ),
    };
  }

  /**
   * Replaces all rows by those of a snapshot. Throws where its format is another one, or a row does
   * not fit its table; nothing has changed then. Unknown tables are left out.
   */
  restore(snapshot: Snapshot): void {
    if (snapshot.format !== FORMAT)
      throw new Error(`a snapshot of format ${snapshot.format} cannot be restored`);
    this.transact(() => {
      this.#empty(() => true);
      for (const [name, { definition, rows }] of this.#tables)
        for (const row of snapshot.tables[name] ?? []) rows.put(fitting(definition, row));
    });
  }

  close(): void {
    this.#engine.close();
  }

  #empty(isChosen: (name: string) => boolean): void {
    this.#generation += 1;
    for (const [name, { definition, rows }] of this.#tables)
      if (isChosen(name)) for (const row of rows.all()) rows.delete(String(row[definition.key]));
  }
}

/** The row with its columns in order, if each has the type of its column. */
const fitting = ({ columns, name }: TableDefinition<AnyRow>, row: AnyRow): AnyRow =>
  Object.fromEntries(
    Object.entries(columns).map(([column, type]) => {
      const value = row[column] ?? null;
      const isFitting =
        value === null
          ? type.endsWith("?")
          : type.startsWith("text")
            ? typeof value === "string"
            : Number.isSafeInteger(value);
      if (!isFitting) throw new Error(`${name}.${column} holds ${JSON.stringify(value)}`);
      return [column, value];
    }),
  );
