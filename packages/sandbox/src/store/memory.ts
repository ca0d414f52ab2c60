/** Tables in plain maps, with an undo log for transactions. */
import type { AnyRow, Engine, Table, TableDefinition, Value } from "./Store.ts";

/** A store's tables in the memory of this process. */
export const memoryEngine = (): Engine => {
  const log = new UndoLog();
  return {
    open: (definition) => new MemoryTable(definition, log),
    transact: (body) => log.transact(body),
    close: () => {},
  };
};

/** What has to be done to take back the changes of the open transaction. */
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
  readonly #indexes: ReadonlyArray<readonly [column: string, keys: Map<Value, Set<string>>]>;
  #slots = new Map<string, Slot>();
  #places = 0;

  constructor({ indexes = [], key }: TableDefinition<AnyRow>, log: UndoLog) {
    this.#key = key;
    this.#log = log;
    this.#indexes = indexes.map((column) => [column, new Map()] as const);
  }

  get(key: string): AnyRow | undefined {
    return this.#slots.get(key)?.row;
  }

  put(row: AnyRow): void {
    const key = String(row[this.#key]);
    const before = this.#slots.get(key);
    this.#set(key, { place: before?.place ?? this.#places++, row: Object.freeze({ ...row }) });
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
    const keys = this.#indexes.find(([column]) => column === index)?.[1].get(value);
    if (keys === undefined) return [];
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
      const [old, value] = [before?.[column], slot.row[column]!];
      if (before !== undefined && old === value) continue;
      if (before !== undefined) removeFrom(keys, old!, key);
      const set = keys.get(value);
      if (set === undefined) keys.set(value, new Set([key]));
      else set.add(key);
    }
  }

  #remove(key: string): void {
    const { row } = this.#slots.get(key)!;
    this.#slots.delete(key);
    for (const [column, keys] of this.#indexes) removeFrom(keys, row[column]!, key);
  }
}

const removeFrom = (keys: Map<Value, Set<string>>, value: Value, key: string): void => {
  const set = keys.get(value);
  set?.delete(key);
  if (set?.size === 0) keys.delete(value);
};
