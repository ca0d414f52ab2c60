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
  const walker = new Walker();
  for (let at = 0; at < bytes.length; at += 1) {
    const kind = KIND[bytes[at]!]!;
    if (kind === OTHER) continue;
    if (kind === QUOTE) {
      const end = endOfString(bytes, at + 1);
      if (end < 0) walker.hasControl();
      at = end < 0 ? ~end : end;
      if (at >= bytes.length) return undefined;
    } else if (kind === OPEN_OBJECT || kind === OPEN_ARRAY) {
      if (walker.depth >= MAX_DEPTH) return "tooDeep";
      if (!walker.open(at, kind === OPEN_OBJECT)) return undefined;
    } else if (!walker.close(at, kind === CLOSE_OBJECT)) return undefined;
  }
  return walker.depth === 0 ? walker.spans : undefined;
};

/** The brackets that are open. */
class Walker {
  readonly spans: Array<Span> = [];
  depth = 0;
  private deepest = 0;
  private isObject = new Uint8Array(256);
  private list: Span | undefined;
  private change: Span | undefined;
  private array: Span | undefined;

  hasControl(): void {
    if (this.change !== undefined) this.change.hasControl = true;
  }

  /** `false` where the page is no object. */
  open(at: number, isObject: boolean): boolean {
    const { depth } = this;
    if (depth === 0 && !isObject) return false;
    if (depth === 1 && !isObject) this.list = this.begin(1, at);
    else if (depth === 2 && isObject && this.list !== undefined) {
      this.change = this.begin(2, at);
      this.deepest = 3;
    } else if (depth === 3 && !isObject && this.change !== undefined) {
      this.array = this.begin(3, at);
    } else if (depth === 4 && this.array !== undefined) this.array.number += 1;
    if (depth === this.isObject.length) {
      const larger = new Uint8Array(depth * 4);
      larger.set(this.isObject);
      this.isObject = larger;
    }
    this.isObject[depth] = isObject ? 1 : 0;
    this.depth = depth + 1;
    if (this.depth > this.deepest) this.deepest = this.depth;
    return true;
  }

  /** `false` where the bracket closes none, or one of the other kind. */
  close(at: number, isObject: boolean): boolean {
    const depth = (this.depth -= 1);
    if (depth < 0 || this.isObject[depth] !== (isObject ? 1 : 0)) return false;
    if (depth === 3 && this.array !== undefined) {
      this.array.to = at + 1;
      this.array = undefined;
    } else if (depth === 2 && this.change !== undefined) {
      this.change.to = at + 1;
      this.change.number = this.deepest - 2;
      this.change = undefined;
    } else if (depth === 1 && this.list !== undefined) {
      this.list.to = at + 1;
      this.list = undefined;
    }
    return true;
  }

  private begin(level: number, at: number): Span {
    const span = { level, from: at, to: at, number: 0 };
    this.spans.push(span);
    return span;
  }
}

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
