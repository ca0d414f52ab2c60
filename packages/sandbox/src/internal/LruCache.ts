/**
 * A bounded cache that removes entries which were not used (second chance).
 *
 * The oldest entry is removed, unless it was used since its last turn. A use only marks the entry,
 * because an exact order would change the map with every request.
 */
export class LruCache<Value> {
  readonly #most: number;
  readonly #entries = new Map<string, { readonly value: Value; isUsed: boolean }>();
  readonly #sizeOf: (value: Value) => number;
  #size = 0;

  /** `most` is a count of entries, or a sum of sizes when `sizeOf` measures them. */
  constructor(most: number, sizeOf: (value: Value) => number = () => 1) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  get(key: string, make: () => Value): Value {
    const known = this.known(key);
    if (known !== undefined) return known;
    const value = make();
    this.#entries.set(key, { value, isUsed: false });
    this.#size += this.#sizeOf(value);
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#most || oldest === key) break;
      this.#entries.delete(oldest);
      if (entry.isUsed) this.#entries.set(oldest, { ...entry, isUsed: false });
      else this.#size -= this.#sizeOf(entry.value);
    }
    return value;
  }

  /** The value of a key if it is known; it has been used then. */
  known(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }
}
