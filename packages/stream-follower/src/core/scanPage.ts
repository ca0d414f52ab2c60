/**
 * Finds the structure of a page of the stash stream without parsing its items: the envelope of the
 * page, where each change begins and ends, the envelope of each change, and how many items it
 * lists.
 *
 * One walk over the bytes matches brackets and skips strings. The envelopes are then cut out with
 * their arrays replaced by markers and given to `JSON.parse`, so escapes, duplicate keys and
 * `__proto__` mean what they mean there. About 250 bytes of a change are parsed; its items are not.
 *
 * `undefined` means "ask `JSON.parse`", never "malformed"; `tooDeep` means more than a million
 * levels. What the walk accepts and `JSON.parse` would refuse lies inside an item (`tru`, a raw
 * control character, a missing comma); whoever parses the change finds it. The walk agrees with
 * `JSON.parse` on everything else (`ScanPage.test.ts`).
 */
import { isUtf8 } from "node:buffer";

/** One change of a page. */
export interface ScannedChange {
  /** Where its text begins in the page's bytes. */
  readonly from: number;
  /** Where its text ends. */
  readonly to: number;
  /**
   * The members that are not arrays, parsed. Each array is replaced by one element: how many
   * objects and arrays it holds.
   */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** How deep its text nests, its own braces included. */
  readonly depth: number;
}

/** What a page says besides its items. */
export interface ScannedPage {
  /** The page's own members; its lists are replaced by markers. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** The changes of the list `stashes`. */
  readonly changes: ReadonlyArray<ScannedChange>;
}

/** Scans a page. */
export const scanPage = (raw: Uint8Array): ScannedPage | "tooDeep" | undefined => {
  // A byte order mark and broken UTF-8 are left to JSON.parse.
  if (!isUtf8(raw)) return undefined;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const lists = walk(bytes);
  if (lists === undefined || lists === "tooDeep") return lists;
  try {
    const envelope = JSON.parse(withMarkers(bytes, 0, bytes.length, lists, listMarker)) as unknown;
    if (!isRecord(envelope)) return undefined;
    const marker = envelope["stashes"];
    const list = Array.isArray(marker) ? lists[marker[0] as number] : undefined;
    if (list?.changes === undefined) return undefined;
    const changes = list.changes.map(({ from, to, arrays, depth }): ScannedChange => {
      const members = JSON.parse(withMarkers(bytes, from, to, arrays, countMarker)) as unknown;
      return { from, to, depth, envelope: members as ScannedChange["envelope"] };
    });
    return { envelope, changes };
  } catch {
    return undefined;
  }
};

/** An array of the page's own object. */
interface List {
  readonly from: number;
  to: number;
  /** `undefined` where it holds anything but objects. */
  changes: Array<Change> | undefined;
}

interface Change {
  readonly from: number;
  to: number;
  depth: number;
  readonly arrays: Array<Span>;
}

interface Span {
  readonly from: number;
  to: number;
  /** Objects and arrays directly inside. */
  count: number;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listMarker = (_: Pick<List, "from" | "to">, index: number): string => `[${index}]`;
const countMarker = ({ count }: Span): string => (count === 0 ? "[]" : `[${count}]`);

/** The text between two places with each span replaced. */
const withMarkers = <A extends { readonly from: number; readonly to: number }>(
  bytes: Buffer,
  from: number,
  to: number,
  spans: ReadonlyArray<A>,
  marker: (span: A, index: number) => string,
): string => {
  let text = "";
  let at = from;
  for (const [index, span] of spans.entries()) {
    text += bytes.toString("utf8", at, span.from) + marker(span, index);
    at = span.to;
  }
  return text + bytes.toString("utf8", at, to);
};

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

/** The lists of the page's object, with their changes. */
const walk = (bytes: Uint8Array): ReadonlyArray<List> | "tooDeep" | undefined => {
  const { length } = bytes;
  const lists: Array<List> = [];
  let isObject = new Uint8Array(256);
  let depth = 0;
  let list: List | undefined;
  let change: Change | undefined;
  let array: Span | undefined;
  let deepest = 0;
  for (let at = 0; at < length; at += 1) {
    const kind = KIND[bytes[at]!]!;
    if (kind === OTHER) continue;
    if (kind === QUOTE) {
      at += 1;
      while (at < length && bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
      if (at >= length) return undefined;
    } else if (kind === OPEN_OBJECT || kind === OPEN_ARRAY) {
      const opensObject = kind === OPEN_OBJECT;
      if (depth === 0) {
        if (!opensObject) return undefined;
      } else if (depth === 1 && !opensObject) {
        list = { from: at, to: at, changes: [] };
        lists.push(list);
        if (!beginsWithObject(bytes, at + 1)) list.changes = undefined;
      } else if (depth === 2 && opensObject && list?.changes !== undefined) {
        change = { from: at, to: at, depth: 1, arrays: [] };
        deepest = 3;
        list.changes.push(change);
      } else if (depth === 3 && change !== undefined && !opensObject) {
        array = { from: at, to: at, count: 0 };
        change.arrays.push(array);
      } else if (depth === 4 && array !== undefined) array.count += 1;
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
        if (kind === CLOSE_ARRAY) array.to = at + 1;
        array = undefined;
      } else if (depth === 2 && change !== undefined && list !== undefined) {
        change.to = at + 1;
        change.depth = deepest - 2;
        change = undefined;
        const next = afterChange(bytes, at + 1);
        // Anything else between the changes, and the list is none of changes.
        if (next === -1) list.changes = undefined;
        else at = next - 1;
      } else if (depth === 1 && list !== undefined && kind === CLOSE_ARRAY) {
        list.to = at + 1;
        list = undefined;
      }
    }
  }
  return depth === 0 ? lists : undefined;
};

const beginsWithObject = (bytes: Uint8Array, from: number): boolean => {
  const first = bytes[skipSpace(bytes, from)];
  return first === 0x7b || first === 0x5d;
};

/** The place of the next change or of the list's end; -1 where neither follows. */
const afterChange = (bytes: Uint8Array, from: number): number => {
  const at = skipSpace(bytes, from);
  if (bytes[at] === 0x5d) return at;
  if (bytes[at] !== 0x2c) return -1;
  const next = skipSpace(bytes, at + 1);
  return bytes[next] === 0x7b ? next : -1;
};

const skipSpace = (bytes: Uint8Array, from: number): number => {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) {
    at += 1;
  }
  return at;
};
