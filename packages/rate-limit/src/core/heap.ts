/**
 * A binary heap whose items know their places, so that any of them can leave or move. An item is
 * in one heap at a time.
 */

/** An item of a heap. */
export interface Slotted {
  /** Its place; -1 in no heap. */
  slot: number;
}

/** The heap. */
export class Heap<T extends Slotted> {
  /** The items, in no order that anybody should rely on. */
  readonly items: Array<T> = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  /** The first item. */
  get first(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    this.#rise(item, this.items.push(item) - 1);
  }

  /** Takes an item out that is in it. */
  remove(item: T): void {
    const { slot } = item;
    // No list has a quick answer for a place below 0.
    if (slot < 0 || this.items[slot] !== item) return;
    const last = this.items.pop()!;
    item.slot = -1;
    if (last !== item) this.#sink(last, this.#rise(last, slot));
  }

  /** Puts an item whose order has changed in its place. */
  move(item: T): void {
    this.#sink(item, this.#rise(item, item.slot));
  }

  /** Puts all items in order after `change`. */
  renew(change: (item: T) => void): void {
    for (const item of this.items) change(item);
    for (let index = (this.items.length >> 1) - 1; index >= 0; index--)
      this.#sink(this.items[index]!, index);
  }

  #rise(item: T, from: number): number {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(item, this.items[parent]!)) break;
      this.#put(this.items[parent]!, index);
      index = parent;
    }
    return this.#put(item, index);
  }

  #sink(item: T, from: number): void {
    const items = this.items;
    for (let index = from; ;) {
      let child = 2 * index + 1;
      if (child + 1 < items.length && this.#isBefore(items[child + 1]!, items[child]!)) child++;
      if (child >= items.length || !this.#isBefore(items[child]!, item)) {
        this.#put(item, index);
        return;
      }
      this.#put(items[child]!, index);
      index = child;
    }
  }

  #put(item: T, index: number): number {
    this.items[index] = item;
    item.slot = index;
    return index;
  }
}
