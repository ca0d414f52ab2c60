/**
 * A decoder for comparison, written from the specification's tables and sharing nothing with the
 * codec: a bit accumulator over character codes, and one pass over the bytes. It writes a link as a
 * flat list of numbers, because comparing hundred millions of objects would take days.
 */
import type { TreeLink } from "@game-data/tree-link";

const CAPACITY = 1 << 20;
const bytes = new Uint8Array(CAPACITY);

/** Numbers of the last link, as far as `decodeFlat` returned. */
export const flat = new Int32Array(CAPACITY);

const valueOf = (code: number): number => {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  return code === 45 ? 62 : code === 95 ? 63 : -1;
};

/** Writes a payload's bytes to `bytes`; returns their number, or -1 for refused texts. */
const decodeText = (text: string): number => {
  let end = text.length;
  while (end > 0 && text.length - end < 2 && text.charCodeAt(end - 1) === 61) end--;
  if (end !== text.length && text.length % 4 !== 0) return -1;
  let bits = 0;
  let held = 0;
  let size = 0;
  for (let i = 0; i < end; i++) {
    const value = valueOf(text.charCodeAt(i));
    if (value < 0) return -1;
    held = held * 64 + value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[size++] = Math.floor(held / 2 ** bits);
      held %= 2 ** bits;
    }
  }
  return bits === 6 || held !== 0 ? -1 : size;
};

/** Decodes to `flat`; returns the count of numbers there, or -1 for a refused payload. */
export const decodeFlat = (text: string): number => {
  const size = decodeText(text);
  if (size < 7 || bytes[0] !== 0 || bytes[1] !== 0 || bytes[2] !== 0) return -1;
  const version = bytes[3]!;
  if (version !== 4 && version !== 5 && version !== 6) return -1;
  let at = 6;
  let count = 0;
  flat[count++] = version;
  flat[count++] = bytes[4]!;
  flat[count++] = bytes[5]!;
  if (version === 4) {
    if (bytes[6]! > 1 || (size - 7) % 2 !== 0) return -1;
    flat[count++] = bytes[6]!;
    for (at = 7; at < size; at += 2) flat[count++] = bytes[at]! * 256 + bytes[at + 1]!;
    return count;
  }
  const lists = version === 5 ? 2 : 3;
  for (let list = 1; list <= lists; list++) {
    if (at >= size) return -1;
    const length = bytes[at++]!;
    flat[count++] = length;
    // A mastery effect is two numbers, the effect first.
    for (let i = list === 3 ? length * 2 : length; i > 0; i--, at += 2) {
      if (at + 2 > size) return -1;
      flat[count++] = bytes[at]! * 256 + bytes[at + 1]!;
    }
  }
  return at === size ? count : -1;
};

/** Whether `link` equals the `count` numbers of `flat`. */
export const isFlat = (link: TreeLink, count: number): boolean => {
  let at = 0;
  const next = (value: number) => flat[at++] === value;
  const list = (values: ReadonlyArray<number>) => {
    for (const value of values) if (!next(value)) return false;
    return true;
  };
  if (!next(link.version) || !next(link.class)) return false;
  if (link.version === 4)
    return next(link.ascendancy) && next(link.fullscreen) && list(link.hashes) && at === count;
  const ascendancy =
    link.version === 6 ? link.alternateAscendancy * 4 + link.ascendancy : link.ascendancy;
  if (!next(ascendancy) || !next(link.hashes.length) || !list(link.hashes)) return false;
  if (!next(link.extendedHashes.length) || !list(link.extendedHashes)) return false;
  if (link.version === 6) {
    if (!next(link.masteries.length)) return false;
    for (const { effect, node } of link.masteries) if (!next(effect) || !next(node)) return false;
  }
  return at === count;
};
