/** A bounded cache: the entries that were not used for the longest time are removed first. */
export class LruCache<Value> {
  readonly #most: number;
  readonly #entries = new Map<string, Value>();
  readonly #sizeOf: (value: Value) => number;
  /** Key of the last read. Its entry is already the newest, so reading it again moves nothing. */
  #newest: string | undefined;
  #size = 0;

  /** `most` is a count of entries, or a sum of sizes when `sizeOf` measures them. */
  constructor(most: number, sizeOf: (value: Value) => number = () => 1) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  get(key: string, make: () => Value): Value {
    if (key === this.#newest) return this.#entries.get(key) as Value;
    const isKnown = this.#entries.has(key);
    const value = isKnown ? (this.#entries.get(key) as Value) : make();
    // A used entry becomes the newest one.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    if (isKnown) return value;
    this.#size += this.#sizeOf(value);
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#most || oldest === key) break;
      this.#entries.delete(oldest);
      this.#size -= this.#sizeOf(entry);
    }
    return value;
  }
}
