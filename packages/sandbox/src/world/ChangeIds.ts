/**
 * Change ids of the public stash stream: opaque to everybody else, a position to us.
 *
 * An id is five numbers joined by `-`. The first hides the position behind a small keyed
 * permutation, the others are a keyed checksum: an id that was made up, or that belongs to another
 * realm or seed, is recognised and refused.
 */
import { hash32, prng } from "./Prng.ts";

const ROUNDS = 4;

/** A keyed permutation of 32-bit numbers (a Feistel network over two halves). */
const shuffle = (key: string, value: number, backwards: boolean): number => {
  let left = value >>> 16;
  let right = value & 0xffff;
  for (let step = 0; step < ROUNDS; step++) {
    const round = backwards ? ROUNDS - 1 - step : step;
    if (backwards) {
      [left, right] = [right ^ (hash32(`${key}/${round}/${left}`) & 0xffff), left];
    } else {
      [left, right] = [right, left ^ (hash32(`${key}/${round}/${right}`) & 0xffff)];
    }
  }
  return ((left << 16) | right) >>> 0;
};

export const changeIdOf = (key: string, position: number): string => {
  const draw = prng(`${key}/check/${position}`);
  return [shuffle(key, position, false), draw.next(), draw.next(), draw.next(), draw.next()].join(
    "-",
  );
};

/** The position of an id, or undefined if it is none of ours. */
export const positionOf = (key: string, id: string): number | undefined => {
  const first = /^(\d{1,10})-/u.exec(id)?.[1];
  if (first === undefined || Number(first) > 0xffffffff) return undefined;
  const position = shuffle(key, Number(first), true);
  return changeIdOf(key, position) === id ? position : undefined;
};
