/**
 * A cache that forgets the longest unused entry when it is full: memory stays flat however much is
 * asked for.
 */
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

  /** The value of a key, made on demand. */
  get(key: string, make: () => Value): Value {
    const known = this.known(key);
    if (known !== undefined) return known;
    const value = make();
    this.#entries.set(key, value);
    this.#size += this.#sizeOf(value);
    for (const [oldest, old] of this.#entries) {
      if (this.#size <= this.#most || oldest === key) break;
      this.#entries.delete(oldest);
      this.#size -= this.#sizeOf(old);
    }
    return value;
  }

  /** The value of a key if it is known; it has been used then. */
  known(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }
}
