/** A bounded cache: the entries that were not used for the longest time are removed first. */
export class LruCache<Value> {
  readonly #most: number;
  readonly #entries = new Map<string, Value>();
  readonly #sizeOf: (value: Value) => number;
  #size = 0;

  /** `most` is a count of entries, or a sum of sizes when `sizeOf` measures them. */
  constructor(most: number, sizeOf: (value: Value) => number = () => 1) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  get(key: string, make: () => Value): Value {
    const known = this.#entries.get(key);
    const value = known ?? make();
    // A used entry becomes the newest one.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (known === undefined) this.#size += this.#sizeOf(value);
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#most || oldest === key) break;
      this.#entries.delete(oldest);
      this.#size -= this.#sizeOf(entry);
    }
    return value;
  }
}
