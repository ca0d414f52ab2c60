/**
 * Finds the brackets of a page that its structure needs, without parsing it: the arrays of the
 * page's own object, the objects in those, and the arrays of these objects.
 *
 * `walk` is the plain walk over the bytes. `findSpansWasm.ts` finds the same some ten times as fast
 * where WebAssembly runs, and leaves to the walk what it does not decide.
 */

/** An array or object of a page, brackets included. */
export interface Span {
  /** 1: an array of the page. 2: an object in it, a change. 3: an array of that object. */
  readonly level: number;
  /** The place of its opening bracket. */
  readonly from: number;
  /** The place after its closing bracket. */
  to: number;
  /**
   * Of a change, how many levels it nests, its own included. Of an array of a change, how many
   * objects and arrays it holds.
   */
  number: number;
  /** Of a change, whether a string in it holds a control character, which JSON forbids. */
  hasControl?: boolean;
}

/**
 * The spans in the order of their opening brackets. `undefined` where brackets or quotes do not
 * match or the page is no object; `tooDeep` past a million levels.
 */
export type Spans = ReadonlyArray<Span> | "tooDeep" | undefined;

/** Brackets that are matched at most: no reader of a page needs more. */
const MAX_DEPTH = 1_048_576;

const OTHER = 0;
const QUOTE = 1;
const OPEN_OBJECT = 2;
const CLOSE_OBJECT = 3;
const OPEN_ARRAY = 4;
const CLOSE_ARRAY = 5;

const KIND = new Uint8Array(256);
KIND[0x22] = QUOTE;
KIND[0x7b] = OPEN_OBJECT;
KIND[0x7d] = CLOSE_OBJECT;
KIND[0x5b] = OPEN_ARRAY;
KIND[0x5d] = CLOSE_ARRAY;

/** Matches brackets and skips strings, byte by byte. */
export const walk = (bytes: Uint8Array): Spans => {
  const { length } = bytes;
  const spans: Array<Span> = [];
  let isObject = new Uint8Array(256);
  let depth = 0;
  let deepest = 0;
  let list: Span | undefined;
  let change: Span | undefined;
  let array: Span | undefined;
  for (let at = 0; at < length; at += 1) {
    const kind = KIND[bytes[at]!]!;
    if (kind === OTHER) continue;
    if (kind === QUOTE) {
      const end = endOfString(bytes, at + 1);
      if (end < 0 && change !== undefined) change.hasControl = true;
      at = end < 0 ? ~end : end;
      if (at >= length) return undefined;
    } else if (kind === OPEN_OBJECT || kind === OPEN_ARRAY) {
      const opensObject = kind === OPEN_OBJECT;
      if (depth === 0) {
        if (!opensObject) return undefined;
      } else if (depth === 1 && !opensObject) {
        spans.push((list = { level: 1, from: at, to: at, number: 0 }));
      } else if (depth === 2 && opensObject && list !== undefined) {
        spans.push((change = { level: 2, from: at, to: at, number: 0 }));
        deepest = 3;
      } else if (depth === 3 && !opensObject && change !== undefined) {
        spans.push((array = { level: 3, from: at, to: at, number: 0 }));
      } else if (depth === 4 && array !== undefined) array.number += 1;
      if (depth === isObject.length) {
        if (depth >= MAX_DEPTH) return "tooDeep";
        const larger = new Uint8Array(depth * 4);
        larger.set(isObject);
        isObject = larger;
      }
      isObject[depth] = opensObject ? 1 : 0;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else {
      depth -= 1;
      if (depth < 0 || isObject[depth] !== (kind === CLOSE_OBJECT ? 1 : 0)) return undefined;
      if (depth === 3 && array !== undefined) {
        array.to = at + 1;
        array = undefined;
      } else if (depth === 2 && change !== undefined) {
        change.to = at + 1;
        change.number = deepest - 2;
        change = undefined;
      } else if (depth === 1 && list !== undefined) {
        list.to = at + 1;
        list = undefined;
      }
    }
  }
  return depth === 0 ? spans : undefined;
};

/** The place of the quote that ends a string; its complement where a control character is in it. */
const endOfString = (bytes: Uint8Array, from: number): number => {
  let at = from;
  let least = 0xff;
  while (at < bytes.length && bytes[at] !== 0x22) {
    if (bytes[at] === 0x5c) at += 1;
    if (bytes[at]! < least) least = bytes[at]!;
    at += 1;
  }
  return least < 0x20 ? ~at : at;
};
