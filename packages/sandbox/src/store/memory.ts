/** Tables in plain maps, with an undo log for transactions. */
import type { AnyRow, Engine, Table, TableDefinition, Value } from "./Store.ts";

/** A store's tables in the memory of this process. Rows are kept as they are put. */
export const memoryEngine = (): Engine => {
  const log = new UndoLog();
  return {
    open: (definition) => new MemoryTable(definition, log),
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
  /** Keys by column, and by its value. */
  readonly #indexes: ReadonlyMap<string, Map<Value, Set<string>>>;
  #slots = new Map<string, Slot>();
  #places = 0;

  constructor({ indexes = [], key }: TableDefinition<AnyRow>, log: UndoLog) {
    this.#key = key;
    this.#log = log;
    this.#indexes = new Map(indexes.map((column) => [column, new Map()]));
  }

  get(key: string): AnyRow | undefined {
    return this.#slots.get(key)?.row;
  }

  put(row: AnyRow): void {
    const key = String(row[this.#key]);
    const before = this.#slots.get(key);
    this.#set(key, { place: before?.place ?? this.#places++, row });
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
    const keys = this.#indexes.get(index)?.get(value) ?? [];
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
    for (const [column, keys] of this.#indexes) {
      const value = slot.row[column]!;
      if (before?.[column] === value) continue;
      if (before !== undefined) this.#forget(column, before, key);
      const known = keys.get(value);
      if (known === undefined) keys.set(value, new Set([key]));
      else known.add(key);
    }
  }

  #remove(key: string): void {
    const { row } = this.#slots.get(key)!;
    this.#slots.delete(key);
    for (const column of this.#indexes.keys()) this.#forget(column, row, key);
  }

  #forget(column: string, row: AnyRow, key: string): void {
    const keys = this.#indexes.get(column)!;
    const known = keys.get(row[column]!);
    known?.delete(key);
    if (known?.size === 0) keys.delete(row[column]!);
  }
}
