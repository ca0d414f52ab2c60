/**
 * Reads a page of either stream from its bytes.
 *
 * `scanPage` finds the next id and counts the rows, which is all that a page log needs. `readRows`
 * also passes each row to `JSON.parse` by itself, so a damaged row harms no other row, and each row
 * keeps its bytes, so no digit is lost. Both let other fibers run every few milliseconds.
 */
import * as Effect from "effect/Effect";
import { isUtf8 } from "node:buffer";
import { MalformedPage } from "./Errors.ts";
import type { Row, StreamSource } from "./Model.ts";
import { MAX_ROW_DEPTH, readRow } from "./rows.ts";

/** A page whose rows have not been read. */
export interface ScannedPage {
  /** `next_change_id`. The number of the exchange is written as a decimal string. */
  readonly nextId: string;
  /** Number of stashes or markets in the page. */
  readonly rowCount: number;
  /** Damage that a second request may not have, such as bytes that are not UTF-8. */
  readonly damage: string | undefined;
}

/** Finds the next id of a page and counts its rows. */
export const scanPage = (
  raw: Uint8Array,
  source: StreamSource,
): Effect.Effect<ScannedPage, MalformedPage> => walk(raw, source, () => {});

export const readRows = Effect.fnUntraced(function* (raw: Uint8Array, source: StreamSource) {
  const page = bufferOver(raw);
  const isText = isUtf8(page);
  const rows: Array<Row> = [];
  const { rowCount } = yield* walk(raw, source, ({ depth, from, to }, place) => {
    rows[place] = readRow(page.subarray(from, to), source, { depth, isText });
  });
  // If a page has its list twice, the later list replaces the earlier list.
  rows.length = rowCount;
  return rows;
});

/** Other fibers get their turn after this time. */
const SLICE_MILLIS = 8;

/** Scans a page, passes its rows to `onRow`, and lets other fibers run every few milliseconds. */
const walk = Effect.fnUntraced(function* (
  raw: Uint8Array,
  source: StreamSource,
  onRow: (row: Span, place: number) => void,
) {
  const rows = scan(bufferOver(raw), source);
  let begun = performance.now();
  let next = rows.next();
  while (next.done !== true) {
    onRow(next.value.row, next.value.place);
    if (performance.now() - begun > SLICE_MILLIS) {
      yield* Effect.yieldNow;
      begun = performance.now();
    }
    next = rows.next();
  }
  return next.value instanceof MalformedPage ? yield* next.value : next.value;
});

const bufferOver = (raw: Uint8Array): Buffer =>
  Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);

interface PlacedRow {
  readonly row: Span;
  /** Index of the row in the page's list. */
  readonly place: number;
}

const ID = "next_change_id";
const LISTS = { stashes: "stashes", exchange: "markets" } as const;

/** Limits for hostile pages. Real pages have some hundred rows and two members. */
const MAX_ROWS = 250_000;
const MAX_OTHER_BYTES = 1_048_576;

/** Yields each row of a page. Returns next id, number of rows and damage, or the error. */
function* scan(
  page: Buffer,
  source: StreamSource,
): Generator<PlacedRow, ScannedPage | MalformedPage> {
  const isText = isUtf8(page);
  const damage = new Set(isText ? [] : ["not UTF-8"]);
  let idText = "";
  const malformed = (detail: string) => {
    const { id } = readEnvelope(`{"${ID}":${idText},"${LISTS[source]}":[]}`, source, isText);
    return new MalformedPage({ detail, raw: page, ...(id === undefined ? {} : { headId: id }) });
  };
  // The text of the page, but with an empty list of rows.
  let envelope = "";
  let copied = 0;
  let rowCount: number | undefined;
  let at = skipSpace(page, 0);
  if (page[at] !== OPEN_OBJECT) return malformed("not an object");
  at = skipSpace(page, at + 1);
  while (page[at] !== CLOSE_OBJECT) {
    const key = skipValue(page, at);
    const colon = skipSpace(page, key.to);
    if (page[at] !== QUOTE || page[colon] !== COLON) return malformed(MISMATCH);
    const name = keyAt(page, key);
    const from = skipSpace(page, colon + 1);
    if (name === LISTS[source] && page[from] === OPEN_ARRAY) {
      if (rowCount !== undefined) damage.add("its list is named twice");
      const list = yield* scanList(page, from, damage);
      if (typeof list === "string") return malformed(list);
      envelope += `${page.toString("utf8", copied, from)}[]`;
      rowCount = list.rowCount;
      copied = at = list.to;
    } else {
      const value = skipValue(page, from);
      if (value.depth > MAX_ROW_DEPTH) return malformed("it nests too deep");
      if (name === ID) idText = page.toString("utf8", from, value.to);
      at = value.to;
    }
    if (at - copied > MAX_OTHER_BYTES) return malformed("too large beside its list");
    at = skipSpace(page, at);
    if (page[at] === COMMA) at = skipSpace(page, at + 1);
    else if (page[at] !== CLOSE_OBJECT) return malformed(MISMATCH);
  }
  if (skipSpace(page, at + 1) < page.length) damage.add("bytes after its end");
  envelope += page.toString("utf8", copied, at + 1);
  const { id, problem } = readEnvelope(envelope, source, isText);
  if (id === undefined) return malformed(problem);
  const found = damage.size === 0 ? undefined : [...damage].join(", ");
  return { nextId: id, rowCount: rowCount ?? 0, damage: found };
}

const MISMATCH = "its brackets or quotes do not match";

/** Yields the rows of the list at `from`. Returns their number and the end, or the problem. */
function* scanList(
  page: Buffer,
  from: number,
  damage: Set<string>,
): Generator<PlacedRow, { readonly rowCount: number; readonly to: number } | string> {
  let place = 0;
  let at = skipSpace(page, from + 1);
  while (page[at] !== CLOSE_ARRAY) {
    const row = skipValue(page, at);
    if (row.to === at) return MISMATCH;
    if (place === MAX_ROWS) return `more than ${MAX_ROWS} rows`;
    if (row.hasControl) damage.add("a control character in a string");
    yield { row, place };
    place += 1;
    at = skipSpace(page, row.to);
    if (page[at] === CLOSE_ARRAY) break;
    if (page[at] !== COMMA) return MISMATCH;
    at = skipSpace(page, at + 1);
    // A comma must not follow the last row.
    if (page[at] === CLOSE_ARRAY) return MISMATCH;
  }
  return { rowCount: place, to: at + 1 };
}

/** Returns the name of a member. `readEnvelope` reports an invalid name later. */
const keyAt = (page: Buffer, { from, to }: Span): unknown => {
  try {
    return JSON.parse(page.toString("utf8", from, to));
  } catch {
    return undefined;
  }
};

type Envelope =
  | { readonly id: string; readonly problem?: never }
  | { readonly id?: never; readonly problem: string };

/** Reads the next id from the text of a page whose list is empty. */
const readEnvelope = (text: string, source: StreamSource, isText: boolean): Envelope => {
  let members: Readonly<Record<string, unknown>>;
  try {
    members = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    // Omits the position, because it is a position in the envelope and not in the page.
    return { problem: (cause as Error).message.split(" at position ")[0]! };
  }
  if (!Array.isArray(members[LISTS[source]])) return { problem: "its list is missing" };
  const id = members[ID];
  if (id === undefined) return { problem: `${ID} is missing` };
  if (source === "exchange") {
    return Number.isSafeInteger(id) && (id as number) >= 0
      ? { id: String(id) }
      : { problem: `${ID} is not a whole number of seconds` };
  }
  if (typeof id !== "string" || id === "") return { problem: `${ID} is not a text, or is empty` };
  // U+FFFD replaces bytes that are not UTF-8, so this is not the id that the service sent.
  return isText || !id.includes("\uFFFD") ? { id } : { problem: `${ID} is not UTF-8` };
};

interface Span {
  readonly from: number;
  readonly to: number;
  /** Levels of nesting in the value. */
  readonly depth: number;
  /** Whether a string in the value holds a control character, which JSON forbids. */
  readonly hasControl: boolean;
}

/** Finds the end of the value at `from` by counting brackets and skipping strings. */
const skipValue = (page: Buffer, from: number): Span => {
  let depth = 0;
  let deepest = 0;
  let hasControl = false;
  let at = from;
  for (; at < page.length; at += 1) {
    const kind = KINDS[page[at]!];
    if (kind === 0) continue;
    if (kind === OPEN) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      continue;
    }
    if (kind === STRING) {
      at += 1;
      for (; at < page.length; at += 1) {
        const byte = page[at]!;
        if (IN_STRING[byte] === 0) continue;
        if (byte === QUOTE) break;
        if (byte === ESCAPE) at += 1;
        else hasControl = true;
      }
    } else if (depth === 0) break;
    else if (kind === CLOSE) depth -= 1;
    if (depth > 0) continue;
    at += 1;
    break;
  }
  return { from, to: Math.min(at, page.length), depth: deepest, hasControl };
};

const skipSpace = (page: Buffer, from: number): number => {
  let at = from;
  while (SPACES.has(page[at]!)) at += 1;
  return at;
};

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const ESCAPE = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACES = new Set([0x20, 0x0a, 0x0d, 0x09]);

const OPEN = 1;
const CLOSE = 2;
const BETWEEN = 3;
const STRING = 4;
/** Kinds of the bytes that matter outside strings; 0 for other bytes. */
const KINDS = new Uint8Array(256);
KINDS[QUOTE] = STRING;
KINDS[OPEN_ARRAY] = KINDS[OPEN_OBJECT] = OPEN;
KINDS[CLOSE_ARRAY] = KINDS[CLOSE_OBJECT] = CLOSE;
for (const byte of [COMMA, ...SPACES]) KINDS[byte] = BETWEEN;
/** Bytes that matter in strings: the quote, the backslash and control characters. */
const IN_STRING = new Uint8Array(256).fill(1, 0, 0x20);
IN_STRING[QUOTE] = IN_STRING[ESCAPE] = 1;
