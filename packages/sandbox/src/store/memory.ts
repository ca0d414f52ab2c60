/** Tables in plain maps, with an undo log for transactions. */
import type { AnyRow, Engine, Table, TableDefinition, Value } from "./Store.ts";

/**
 * A store's tables in the memory of this process. Rows are kept as they are put: tests freeze them,
 * so that one that is changed afterwards shows.
 */
export const memoryEngine = ({ freeze = false } = {}): Engine => {
  const log = new UndoLog();
  return {
    open: (definition) => new MemoryTable(definition, log, freeze),
    transact: (body) => log.transact(body),
    close: () => {},
  };
};

/** The steps that undo the changes of the open transaction. */
class UndoLog {
  #steps: Array<() => void> | undefined;

  note(undo: () => void): void {
    this.#steps?.push(undo);
  }

  transact<A>(body: () => A): A {
    if (this.#steps !== undefined) return body();
    const steps: Array<() => void> = [];
    this.#steps = steps;
    try {
      const result = body();
      this.#steps = undefined;
      return result;
    } catch (cause) {
      this.#steps = undefined;
      for (const undo of steps.toReversed()) undo();
      throw cause;
    }
  }
}

interface Slot {
  readonly place: number;
  readonly row: AnyRow;
}

class MemoryTable implements Table<AnyRow> {
  readonly #key: string;
  readonly #log: UndoLog;
  readonly #freeze: boolean;
  readonly #indexes: ReadonlyArray<Index>;
  #slots = new Map<string, Slot>();
  #places = 0;

  constructor({ indexes = [], key }: TableDefinition<AnyRow>, log: UndoLog, freeze: boolean) {
    this.#key = key;
    this.#log = log;
    this.#freeze = freeze;
    this.#indexes = indexes.map((column) => new Index(column));
  }

  get(key: string): AnyRow | undefined {
    return this.#slots.get(key)?.row;
  }

  put(row: AnyRow): void {
    const key = String(row[this.#key]);
    const before = this.#slots.get(key);
    this.#set(key, {
      place: before?.place ?? this.#places++,
      row: this.#freeze ? Object.freeze(row) : row,
    });
    this.#log.note(() => (before === undefined ? this.#remove(key) : this.#set(key, before)));
  }

  delete(key: string): void {
    const before = this.#slots.get(key);
    if (before === undefined) return;
    this.#remove(key);
    this.#log.note(() => {
      this.#set(key, before);
      this.#slots = new Map([...this.#slots].toSorted(([, a], [, b]) => a.place - b.place));
    });
  }

  by(index: string, value: string | number): ReadonlyArray<AnyRow> {
    const keys = this.#indexes.find(({ column }) => column === index)?.keysOf(value);
    if (keys === undefined) return [];
    if (typeof keys === "string") return [this.#slots.get(keys)!.row];
    const slots = Array.from(keys, (key) => this.#slots.get(key)!);
    return slots.toSorted((a, b) => a.place - b.place).map(({ row }) => row);
  }

  all(): ReadonlyArray<AnyRow> {
    return Array.from(this.#slots.values(), ({ row }) => row);
  }

  count(): number {
    return this.#slots.size;
  }

  deleteUpTo(column: string, limit: number): void {
    for (const [key, { row }] of this.#slots) {
      const value = row[column];
      if (typeof value === "number" && value <= limit) this.delete(key);
    }
  }

  #set(key: string, slot: Slot): void {
    const before = this.#slots.get(key)?.row;
    this.#slots.set(key, slot);
    for (const index of this.#indexes) {
      const value = slot.row[index.column]!;
      const old = before?.[index.column];
      if (before !== undefined && old === value) continue;
      if (before !== undefined) index.remove(old!, key);
      index.add(value, key);
    }
  }

  #remove(key: string): void {
    const { row } = this.#slots.get(key)!;
    this.#slots.delete(key);
    for (const index of this.#indexes) index.remove(row[index.column]!, key);
  }
}

/** Keys by the value of a column; most values have one key, which needs no set. */
class Index {
  readonly column: string;
  readonly #keys = new Map<Value, string | Set<string>>();

  constructor(column: string) {
    this.column = column;
  }

  keysOf(value: Value): string | ReadonlySet<string> | undefined {
    return this.#keys.get(value);
  }

  add(value: Value, key: string): void {
    const known = this.#keys.get(value);
    if (known === undefined) this.#keys.set(value, key);
    else if (typeof known === "string") this.#keys.set(value, new Set([known, key]));
    else known.add(key);
  }

  remove(value: Value, key: string): void {
    const known = this.#keys.get(value);
    if (known === key) this.#keys.delete(value);
    if (known === undefined || typeof known === "string") return;
    known.delete(key);
    if (known.size === 0) this.#keys.delete(value);
  }
}
