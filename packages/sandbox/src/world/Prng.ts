/**
 * Numbers that look random and never change: every entity of the world has its own generator, keyed
 * by the seed and the entity's name.
 *
 * Because nothing is drawn from a shared sequence, entity 17 000 of a ladder can be built without
 * the 16 999 before it, and is the same each time. Not for secrets: tokens and codes come from
 * `crypto`.
 */

/** Hash of a text as four 32-bit numbers (cyrb128). */
export type Lanes = readonly [number, number, number, number];

const EMPTY: Lanes = [1779033703, -1150833019, 1013904242, -1521486534];

/**
 * Returns the lanes of a text that continues after `before`, so that keys with the same beginning
 * share its lanes.
 */
export const lanesOf = (text: string, before: Lanes = EMPTY): Lanes => {
  let a = before[0];
  let b = before[1];
  let c = before[2];
  let d = before[3];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  return [a, b, c, d];
};

/** Mixes lanes, so that similar keys have unrelated results. */
const mixed = ([a, b, c, d]: Lanes): Lanes => {
  const w = Math.imul(c ^ (a >>> 18), 597399067);
  const x = Math.imul(d ^ (b >>> 22), 2869860233);
  const y = Math.imul(w ^ (c >>> 17), 951274213);
  const z = Math.imul(x ^ (d >>> 19), 2716044179);
  return [w ^ x ^ y ^ z, x ^ w, y ^ w, z ^ w];
};

/** A small fast generator of random numbers (sfc32), one for each entity. */
export class Prng {
  readonly key: string;
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(key: string) {
    this.key = key;
    [this.#a, this.#b, this.#c, this.#d] = mixed(lanesOf(key));
    // Skip the first outputs, because they still show the initial state of sfc32.
    for (let round = 0; round < 4; round++) this.next();
  }

  next(): number {
    const b = this.#b;
    const c = this.#c;
    const sum = (((this.#a + b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = b ^ (b >>> 9);
    this.#b = (c + (c << 3)) | 0;
    this.#c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Draws an integer from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor((this.next() / 4294967296) * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() / 4294967296 < probability;
  }

  pick<A>(list: readonly [A, ...Array<A>] | ReadonlyArray<A>): A {
    return list[this.int(0, list.length - 1)]!;
  }

  /** Draws `count` different elements, in the order of the list. Returns all of a shorter list. */
  sample<A>(list: ReadonlyArray<A>, count: number): Array<A> {
    const left = list.length;
    let wanted = Math.min(count, left);
    const taken: Array<A> = [];
    for (let index = 0; index < left && wanted > 0; index++) {
      if (this.int(0, left - index - 1) < wanted) {
        taken.push(list[index]!);
        wanted--;
      }
    }
    return taken;
  }

  hex(digits: number): string {
    let text = "";
    while (text.length < digits) text += this.next().toString(16).padStart(8, "0");
    return text.slice(0, digits);
  }
}

/** Makes the generator of the entity `key`. The same key always gives the same sequence. */
export const prng = (key: string): Prng => new Prng(key);

/**
 * Returns an unsigned 32-bit integer for a key, without the cost of a generator. `before` are the
 * lanes of the key's beginning.
 */
export const hash32 = (key: string, before?: Lanes): number => mixed(lanesOf(key, before))[0] >>> 0;

/** Returns `digits` hexadecimal digits for a key, which serve as ids in the world. */
export const hexId = (key: string, digits: number): string => prng(key).hex(digits);
