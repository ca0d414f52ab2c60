/**
 * A second decoder, written from the specification's tables without a look at the first: bit
 * strings, no shared buffer, no fast path. Slow and obvious, to compare with.
 */
import type { MasteryEffect, TreeLink } from "@game-data/tree-link";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The link, or `undefined` where the payload is refused. */
export const naiveDecode = (payload: string): TreeLink | undefined => {
  const text = payload.endsWith("==")
    ? payload.slice(0, -2)
    : payload.endsWith("=")
      ? payload.slice(0, -1)
      : payload;
  if (text !== payload && payload.length % 4 !== 0) return undefined;
  let bits = "";
  for (let i = 0; i < text.length; i++) {
    const value = ALPHABET.indexOf(text.charAt(i));
    if (value < 0) return undefined;
    bits += value.toString(2).padStart(6, "0");
  }
  const spare = bits.length % 8;
  if (spare === 6 || /1/u.test(bits.slice(bits.length - spare))) return undefined;
  const bytes = Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
    Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2),
  );
  return naiveRead(bytes);
};

const naiveRead = (bytes: Array<number>): TreeLink | undefined => {
  const queue = [...bytes];
  let isShort = false;
  const uint = (width: number): number => {
    if (queue.length < width) isShort = true;
    return queue.splice(0, width).reduce((sum, byte) => sum * 256 + byte, 0);
  };
  const list = <A>(count: number, element: () => A): Array<A> =>
    isShort ? [] : Array.from({ length: count }, element);
  const mastery = (): MasteryEffect => {
    const pair = uint(4);
    return { node: pair % 65_536, effect: Math.floor(pair / 65_536) };
  };

  const version = uint(4);
  if (isShort || ![4, 5, 6].includes(version)) return undefined;
  const characterClass = uint(1);
  const ascendancy = uint(1);
  if (version === 4) {
    const fullscreen = uint(1);
    if (isShort || fullscreen > 1 || queue.length % 2 !== 0) return undefined;
    const hashes = list(queue.length / 2, () => uint(2));
    return { version, class: characterClass, ascendancy, fullscreen: fullscreen as 0 | 1, hashes };
  }
  const hashes = list(uint(1), () => uint(2));
  const extendedHashes = list(uint(1), () => uint(2));
  const masteries = version === 6 ? list(uint(1), mastery) : [];
  if (isShort || queue.length > 0) return undefined;
  return version === 5
    ? { version, class: characterClass, ascendancy, hashes, extendedHashes }
    : {
        version: 6,
        class: characterClass,
        ascendancy: ascendancy % 4,
        alternateAscendancy: Math.floor(ascendancy / 4),
        hashes,
        extendedHashes,
        masteries,
      };
};
