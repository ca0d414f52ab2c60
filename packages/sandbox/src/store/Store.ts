/**
 * The state of a sandbox: tables of plain rows in memory, written through to a file if one is given.
 *
 * Every call is synchronous, so a transaction is atomic against every other request. Rows are
 * read-only: a change is a `put` of a new row. A commit is in the file before its request is
 * answered.
 */
import * as Schema from "effect/Schema";

/** Version of the layout. A file or a snapshot of another version is refused. */
export const FORMAT = 4;

type RowSchema<Row> = Schema.Codec<Row, any>;

/** The rows of a table, in the order in which their keys were first put. */
export class Table<Row extends object> {
  readonly #rows = new Map<string, Row>();
  readonly #key: keyof Row & string;
  readonly #changed: (key: string, undo: () => void) => void;

  constructor(key: keyof Row & string, changed: (key: string, undo: () => void) => void) {
    this.#key = key;
    this.#changed = changed;
  }

  get(key: string): Readonly<Row> | undefined {
    return this.#rows.get(key);
  }

  /** Inserts a row, or replaces the row of its key. */
  put(row: Row): void {
    this.#set(String(row[this.#key]), row);
  }

  delete(key: string): void {
    if (this.#rows.has(key)) this.#set(key, undefined);
  }

  all(): ReadonlyArray<Readonly<Row>> {
    return [...this.#rows.values()];
  }

  where(isWanted: (row: Readonly<Row>) => boolean): ReadonlyArray<Readonly<Row>> {
    return this.all().filter(isWanted);
  }

  deleteWhere(isUnwanted: (row: Readonly<Row>) => boolean): void {
    for (const [key, row] of this.#rows) if (isUnwanted(row)) this.delete(key);
  }

  get size(): number {
    return this.#rows.size;
  }

  #set(key: string, row: Row | undefined): void {
    const before = this.#rows.get(key);
    const assign = (value: Row | undefined) =>
      value === undefined ? this.#rows.delete(key) : this.#rows.set(key, value);
    assign(row);
    this.#changed(key, () => assign(before));
  }
}

/** A changed row; undefined if the row was deleted. */
type Change = readonly [table: string, key: string, row: object | undefined];

/** File to which the store writes its rows. */
export interface File {
  load(): Iterable<readonly [table: string, row: object]>;
  /** Writes changes in one transaction. */
  write(changes: ReadonlyArray<Change>): void;
  close(): void;
}

/** Snapshot of a store: the rows of every table, and the version of the layout. */
export const StoreSnapshot = Schema.Struct({
  format: Schema.Int,
  tables: Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Json))),
});
export type StoreSnapshot = typeof StoreSnapshot.Type;

interface Transaction {
  readonly undo: Array<() => void>;
  /** Keys of the changed rows. Stays empty in a store without a file. */
  readonly changed: Map<string, readonly [table: string, key: string]>;
}

const Meta = Schema.Struct({ key: Schema.String, value: Schema.String });

export class Store {
  readonly #file: File | undefined;
  readonly #tables = new Map<string, { rows: Table<any>; fits: (row: unknown) => boolean }>();
  readonly #loaded: Map<string, Array<object>>;
  readonly #seeds: Array<() => void> = [];
  /** Settings that outlive a restart and a reset. */
  readonly meta: Table<typeof Meta.Type>;
  #open: Transaction | undefined;
  #isLoading = false;

  constructor(file?: File) {
    this.#file = file;
    this.#loaded = new Map();
    for (const [table, row] of file?.load() ?? [])
      this.#loaded.set(table, [...(this.#loaded.get(table) ?? []), row]);
    this.meta = this.table("meta", "key", Meta);
  }

  /** Opens a table. The schema checks the rows of restored snapshots. */
  table<Row extends object>(
    name: string,
    key: keyof Row & string,
    schema: RowSchema<Row>,
  ): Table<Row> {
    const rows = new Table<Row>(key, (id, undo) => {
      if (this.#isLoading) return;
      if (this.#open === undefined) return this.#file?.write([[name, id, rows.get(id)]]);
      this.#open.undo.push(undo);
      if (this.#file !== undefined) this.#open.changed.set(`${name}/${id}`, [name, id]);
    });
    this.#isLoading = true;
    for (const row of this.#loaded.get(name) ?? []) rows.put(row as Row);
    this.#isLoading = false;
    this.#loaded.delete(name);
    this.#tables.set(name, { rows, fits: Schema.is(schema) });
    return rows;
  }

  /** Runs `body` as one transaction; an exception undoes it. Nested calls join the outer one. */
  transact<A>(body: () => A): A {
    if (this.#open !== undefined) return body();
    const open: Transaction = { undo: [], changed: new Map() };
    this.#open = open;
    try {
      const result = body();
      if (open.changed.size > 0) this.#file?.write(this.#rowsOf(open.changed.values()));
      return result;
    } catch (cause) {
      for (const undo of open.undo.toReversed()) undo();
      throw cause;
    } finally {
      this.#open = undefined;
    }
  }

  #rowsOf(changed: Iterable<readonly [table: string, key: string]>): ReadonlyArray<Change> {
    return Array.from(changed, ([table, key]): Change => [
      table,
      key,
      this.#tables.get(table)!.rows.get(key),
    ]);
  }

  /** Registers a function that fills tables after `reset` has emptied them. */
  onReset(seed: () => void): void {
    this.#seeds.push(seed);
  }

  reset(): void {
    this.transact(() => {
      for (const [name, { rows }] of this.#tables)
        if (name !== "meta") rows.deleteWhere(() => true);
      for (const seed of this.#seeds) seed();
    });
  }

  snapshot(): StoreSnapshot {
    const tables = [...this.#tables].map(([name, { rows }]) => [name, rows.all()] as const);
    return { format: FORMAT, tables: Object.fromEntries(tables) };
  }

  /**
   * Replaces all rows by the rows of a snapshot. Throws and changes nothing if the snapshot has
   * another format, or if a row does not fit its table. Ignores unknown tables.
   */
  restore({ format, tables }: StoreSnapshot): void {
    if (format !== FORMAT) throw new Error(`a snapshot of format ${format} cannot be restored`);
    this.transact(() => {
      for (const [name, { fits, rows }] of this.#tables) {
        rows.deleteWhere(() => true);
        for (const [index, row] of (tables[name] ?? []).entries()) {
          if (!fits(row)) throw new Error(`${name}/${index} is not a row of this table`);
          rows.put(row);
        }
      }
    });
  }
}
