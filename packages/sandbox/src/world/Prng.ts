/**
 * Numbers that look random and never change: every entity of the world is drawn from a generator of
 * its own, keyed by the seed and by the entity's name.
 *
 * Because nothing is drawn from a shared sequence, entity 17 000 of a ladder can be built without
 * the 16 999 before it, and asking twice gives the same answer. Not for secrets: tokens and codes
 * come from `crypto`.
 */

/** A small fast generator (sfc32) for one entity. */
export interface Prng {
  /** An unsigned 32-bit integer. */
  readonly next: () => number;
  /** An integer of `low..high`, both included. */
  readonly int: (low: number, high: number) => number;
  /** True in `probability` of all draws. */
  readonly chance: (probability: number) => boolean;
  /** One element of a list that is not empty. */
  readonly pick: <A>(list: readonly [A, ...Array<A>] | ReadonlyArray<A>) => A;
  /** `count` different elements, in the order of the list; fewer when the list is shorter. */
  readonly sample: <A>(list: ReadonlyArray<A>, count: number) => Array<A>;
  /** `digits` hexadecimal digits. */
  readonly hex: (digits: number) => string;
}

/**
 * Four 32-bit lanes of a string, mixed well enough that neighbouring keys share nothing (cyrb128).
 */
const lanesOf = (text: string): [number, number, number, number] => {
  let a = 1779033703;
  let b = 3144134277;
  let c = 1013904242;
  let d = 2773480762;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ code, 597399067);
    b = c ^ Math.imul(b ^ code, 2869860233);
    c = d ^ Math.imul(c ^ code, 951274213);
    d = a ^ Math.imul(d ^ code, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  return [(a ^ b ^ c ^ d) >>> 0, (b ^ a) >>> 0, (c ^ a) >>> 0, (d ^ a) >>> 0];
};

/** The generator of the entity that `key` names: the same key always starts the same sequence. */
export const prng = (key: string): Prng => {
  let [a, b, c, d] = lanesOf(key);
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  // The first outputs of sfc32 still show its state; a few rounds hide it.
  for (let round = 0; round < 4; round++) next();
  const int = (low: number, high: number): number =>
    low + Math.floor((next() / 4294967296) * (high - low + 1));
  const hex = (digits: number): string => {
    let text = "";
    while (text.length < digits) text += next().toString(16).padStart(8, "0");
    return text.slice(0, digits);
  };
  return {
    next,
    int,
    hex,
    chance: (probability) => next() / 4294967296 < probability,
    pick: (list) => list[int(0, list.length - 1)]!,
    sample: (list, count) => {
      const left = list.length;
      let wanted = Math.min(count, left);
      const taken: Array<(typeof list)[number]> = [];
      for (let index = 0; index < left && wanted > 0; index++) {
        if (int(0, left - index - 1) < wanted) {
          taken.push(list[index]!);
          wanted--;
        }
      }
      return taken;
    },
  };
};

/** An unsigned 32-bit integer for a key: one draw, where a whole generator would be waste. */
export const hash32 = (key: string): number => lanesOf(key)[0];

/** `digits` hexadecimal digits that belong to a key: the ids of the world. */
export const hexId = (key: string, digits: number): string => prng(key).hex(digits);

/** A UUID of version 4 in its canonical form that belongs to a key. */
export const uuidOf = (key: string): string => {
  const draw = prng(key);
  const hex = draw.hex(32);
  const variant = "89ab"[draw.int(0, 3)]!;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
};
