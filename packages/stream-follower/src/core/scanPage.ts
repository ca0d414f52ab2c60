/**
 * Finds the structure of a page of the stash stream without parsing its items: the envelope of the
 * page, where each change begins and ends, the envelope of each change, and how many items it
 * lists.
 *
 * `findSpans.ts` matches brackets and skips strings. The envelopes are then cut out with their
 * arrays replaced by markers and given to `JSON.parse`, so escapes, duplicate keys and `__proto__`
 * mean what they mean there. About 250 bytes of a change are parsed; its items are not.
 *
 * `undefined` means "ask `JSON.parse`", never "malformed"; `tooDeep` means more than a million
 * levels. What the scanner accepts and `JSON.parse` would refuse lies inside an item (`tru`, a raw
 * control character, a missing comma); whoever parses the change finds it. The scanner agrees with
 * `JSON.parse` on everything else (`ScanPage.test.ts`).
 */
import { isUtf8 } from "node:buffer";
import { type Span, walk } from "./findSpans.ts";
import { findSpansWasm } from "./findSpansWasm.ts";

/** The members of an object. */
type Envelope = Readonly<Record<string, unknown>>;

/** One change of a page. */
export interface ScannedChange {
  /** Place of its first byte in the page. */
  readonly from: number;
  /** Place after its last byte. */
  readonly to: number;
  /**
   * The members that are not arrays, parsed. Each array is replaced by one element: how many
   * objects and arrays it holds.
   */
  readonly envelope: Envelope;
  /** Levels that its text nests, its own braces included. */
  readonly depth: number;
}

/** A page without its items. */
export interface ScannedPage {
  /** The page's own members; its lists are replaced by markers. */
  readonly envelope: Envelope;
  /** The changes of the list `stashes`. */
  readonly changes: ReadonlyArray<ScannedChange>;
}

/** Scans a page. */
export const scanPage = (raw: Uint8Array): ScannedPage | "tooDeep" | undefined => {
  // A byte order mark and broken UTF-8 are left to JSON.parse.
  if (!isUtf8(raw)) return undefined;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const fast = findSpansWasm(bytes);
  const spans = fast === "walkDecides" ? walk(bytes) : fast;
  if (spans === undefined || spans === "tooDeep") return spans;
  const lists = listsOf(bytes, spans);
  try {
    const envelope = JSON.parse(withMarkers(bytes, 0, bytes.length, lists, listMarker)) as unknown;
    if (!isRecord(envelope)) return undefined;
    const marker = envelope["stashes"];
    const list = Array.isArray(marker) ? lists[marker[0] as number] : undefined;
    if (list?.changes === undefined) return undefined;
    // One list of all envelopes is parsed faster than each of them.
    const texts = list.changes.map(({ from, to, arrays }) =>
      withMarkers(bytes, from, to, arrays, countMarker),
    );
    const envelopes = JSON.parse(`[${texts.join(",")}]`) as ReadonlyArray<Envelope>;
    const changes = list.changes.map(({ from, to, depth }, index): ScannedChange => ({
      from,
      to,
      depth,
      envelope: envelopes[index]!,
    }));
    return { envelope, changes };
  } catch {
    return undefined;
  }
};

/** An array of the page's own object. */
interface List {
  readonly from: number;
  readonly to: number;
  /** `undefined` where it holds anything but objects. */
  changes: Array<Change> | undefined;
}

interface Change {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  readonly arrays: Array<Span>;
}

/** The lists of the page's object, with their changes. */
const listsOf = (bytes: Uint8Array, spans: ReadonlyArray<Span>): ReadonlyArray<List> => {
  const lists: Array<List> = [];
  for (const span of spans) {
    const { from, level, number, to } = span;
    const list = lists.at(-1);
    if (level === 1) {
      lists.push({ from, to, changes: beginsWithObject(bytes, from + 1) ? [] : undefined });
    } else if (level === 2) {
      list?.changes?.push({ from, to, depth: number, arrays: [] });
      // Anything else between the changes, and the list is none of changes.
      if (list !== undefined && !endsChange(bytes, to)) list.changes = undefined;
    } else list?.changes?.at(-1)?.arrays.push(span);
  }
  return lists;
};

const beginsWithObject = (bytes: Uint8Array, from: number): boolean => {
  const first = bytes[skipSpace(bytes, from)];
  return first === 0x7b || first === 0x5d;
};

/** Whether another change follows, or the end of the list. */
const endsChange = (bytes: Uint8Array, to: number): boolean => {
  const at = skipSpace(bytes, to);
  return bytes[at] === 0x5d || (bytes[at] === 0x2c && bytes[skipSpace(bytes, at + 1)] === 0x7b);
};

const skipSpace = (bytes: Uint8Array, from: number): number => {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) {
    at += 1;
  }
  return at;
};

const isRecord = (value: unknown): value is Envelope =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listMarker = (_: Pick<List, "from" | "to">, index: number): string => `[${index}]`;
const countMarker = ({ number }: Span): string => (number === 0 ? "[]" : `[${number}]`);

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
