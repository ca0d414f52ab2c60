/**
 * Reads a page of either stream row by row: its next id, and each change or market with its place in
 * the text, its columns, or the reason for which it is set aside.
 *
 * No page goes through `JSON.parse` as a whole. `findSpans.ts` matches brackets and skips strings;
 * what lies between the spans is cut out, with markers in their places, and given to `JSON.parse`:
 * the page's own members, the list without its objects, and the members of each row without its
 * arrays. So commas, escapes, duplicate names and `__proto__` mean what they mean there, one row
 * cannot harm another, and a row's text is always its own bytes.
 *
 * At level `envelope` the items of a change are not parsed: a wrong literal there (`tru`) is found
 * by who parses the change.
 */
import { isUtf8 } from "node:buffer";
import { MalformedPage } from "../Errors.ts";
import type { DecodeLevel, PageRow, StreamSource } from "../Model.ts";
import { type Span, walk } from "./findSpans.ts";
import { findSpansWasm } from "./findSpansWasm.ts";
import { scanNextId } from "./NextIdScanner.ts";
import { CheckedRow, type Place, type RowResult, textOf } from "./PageRow.ts";
import { checkEnvelope, checkRow, isObject, tooDeep } from "./validateRows.ts";

/** A page that can be read. */
export interface ReadPage {
  /** `next_change_id`; the exchange's number as a decimal string. */
  readonly nextId: string;
  /** `stashes` or `markets`, checked at the level that was asked for. */
  readonly rows: ReadonlyArray<PageRow>;
  /** Start and end of each row's text in the page, one after the other. */
  readonly bounds: ReadonlyArray<number>;
  /**
   * Says what no service means to send: rows with a control character, broken UTF-8 or no JSON, which
   * are rejected, or a second list, which stands for the first. The page may come whole if it is
   * requested again.
   */
  readonly damage?: string;
}

/** Reads a page and checks its rows. */
export const readPage = (
  raw: Uint8Array,
  source: StreamSource,
  level: DecodeLevel,
): ReadPage | MalformedPage => {
  const page = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  if (page.subarray(0, 3).equals(MARK))
    return malformed(raw, source, "a byte order mark stands first");
  const fast = findSpansWasm(page);
  const spans = fast === "walkDecides" ? walk(page) : fast;
  if (spans === "tooDeep") return malformed(raw, source, "it nests too deep");
  if (spans === undefined) return malformed(raw, source, "its brackets or quotes do not match");
  const isText = isUtf8(page);
  const list = listOf(page, spans, source);
  if (typeof list === "string") return malformed(raw, source, list);
  const { nextId } = list;
  if (!isText && isDecodedBadly(nextId)) {
    return malformed(raw, source, "next_change_id is not UTF-8");
  }
  const envelopes = level === "envelope" ? envelopesOf(page, list.places) : undefined;
  const bounds: Array<number> = [];
  const damaged = list.isTwice ? ["its list is named twice"] : [];
  const rows = list.places.map((place, index) => {
    bounds.push(place.from, place.to);
    const result =
      damageOf(page, place, isText) ??
      (envelopes === undefined
        ? checkText(page, place, source, level)
        : checkParts(place, source, envelopes[index]));
    if ("isDamage" in result) damaged.push(`row ${index}: ${result.error}`);
    return new CheckedRow(raw, place, result);
  });
  return {
    nextId,
    rows,
    bounds,
    ...(damaged.length === 0 ? {} : { damage: damaged.slice(0, MAX_NAMED).join(", ") }),
  };
};

const MARK = Buffer.from("\uFEFF");

/** Rows that a description of damage names. */
const MAX_NAMED = 5;

/** A page that cannot be read, with the next id where its first bytes show one. */
const malformed = (raw: Uint8Array, source: StreamSource, detail: string): MalformedPage => {
  const headId = scanNextId(raw);
  const isUsable = headId !== undefined && isIdOf(source, headId);
  return new MalformedPage({ detail, raw, ...(isUsable ? { headId } : {}) });
};

/** U+FFFD stands for bytes that are no UTF-8: the id is not the one that was sent. */
const isDecodedBadly = (id: string): boolean => id.includes("\uFFFD");

/** Whether the stream may go on with an id: an hour of the exchange is a number of seconds. */
export const isIdOf = (source: StreamSource, id: string): boolean =>
  source === "exchange"
    ? /^\d+$/u.test(id) && Number.isSafeInteger(Number(id))
    : id !== "" && !isDecodedBadly(id);

/** A row of the list: an object with its spans, or the bytes of anything else. */
interface RowPlace extends Place {
  readonly object?: Span;
  readonly arrays: ReadonlyArray<Span>;
}

/** An array of the page's own object. */
interface List extends Place {
  readonly objects: Array<RowPlace & { readonly arrays: Array<Span> }>;
}

interface ListRead {
  readonly nextId: string;
  readonly places: ReadonlyArray<RowPlace>;
  readonly isTwice: boolean;
}

/** The next id and the rows' places, or why there are none. */
const listOf = (
  page: Buffer,
  spans: ReadonlyArray<Span>,
  source: StreamSource,
): ListRead | string => {
  const lists = groupSpans(spans);
  try {
    const text = cut(page, WHOLE(page), lists, (_, index) => `[${index}]`);
    const envelope = JSON.parse(text) as unknown;
    if (!isObject(envelope)) return "not an object";
    const member = source === "stashes" ? "stashes" : "markets";
    const marker = envelope[member];
    const list = Array.isArray(marker) ? lists[marker[0] as number] : undefined;
    if (list === undefined) return "its list is missing";
    for (const other of lists)
      if (other !== list) JSON.parse(page.toString("utf8", other.from, other.to));
    // Objects are spans, wherever they stand in the list: no other element looks like this one.
    const elements = JSON.parse(
      cut(page, list, list.objects, () => "{}"),
    ) as ReadonlyArray<unknown>;
    const places = elements.length === list.objects.length ? list.objects : placesIn(page, list);
    const id = envelope["next_change_id"];
    const nextId = idOf(id, source);
    if (nextId === undefined)
      return `next_change_id is ${id === undefined ? "missing" : IDS[source]}`;
    const isTwice = lists.length > 1 && text.split(TWICE[source]).length > 2;
    return { nextId, places, isTwice };
  } catch (cause) {
    // It tells of a place in the text that was parsed, which is not the page's.
    return (cause as Error).message.split(" at position ")[0]!;
  }
};

/** What names the list in the page's own object; an escaped name is nobody's mistake. */
const TWICE = { stashes: /"stashes"\s*:/u, exchange: /"markets"\s*:/u };

const WHOLE = (page: Buffer): Place => ({ from: 0, to: page.length });

/** The lists of the page, each with its objects, each of these with its arrays. */
const groupSpans = (spans: ReadonlyArray<Span>): ReadonlyArray<List> => {
  const lists: Array<List> = [];
  for (const span of spans) {
    const { from, level, to } = span;
    if (level === 1) lists.push({ from, to, objects: [] });
    else if (level === 2) lists.at(-1)!.objects.push({ from, to, object: span, arrays: [] });
    else lists.at(-1)!.objects.at(-1)!.arrays.push(span);
  }
  return lists;
};

/** The elements of a list that `JSON.parse` has read, where some of them are no objects. */
const placesIn = (page: Uint8Array, list: List): ReadonlyArray<RowPlace> => {
  const places: Array<RowPlace> = [];
  const end = list.to - 1;
  let next = 0;
  for (let at = list.from + 1; at < end;) {
    const object = list.objects[next];
    if (object?.from === at) {
      places.push(object);
      next += 1;
      at = object.to;
    } else if (isBetween(page[at]!)) at += 1;
    else {
      const to = endOfElement(page, at, end);
      places.push({ from: at, to, arrays: [] });
      at = to;
    }
  }
  return places;
};

/** Spaces and the comma. */
const isBetween = (byte: number): boolean =>
  byte === 0x20 || byte === 0x2c || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** The end of a scalar, or of a nested array. */
const endOfElement = (page: Uint8Array, from: number, end: number): number => {
  let depth = 0;
  for (let at = from; at < end; at += 1) {
    const byte = page[at]!;
    if (byte === 0x22) {
      for (at += 1; page[at] !== 0x22;) at += page[at] === 0x5c ? 2 : 1;
    } else if (byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    else if (depth === 0 && isBetween(byte)) return at;
  }
  return end;
};

/** The members of each object that are not arrays, parsed; the error of one that is not JSON. */
const envelopesOf = (page: Buffer, places: ReadonlyArray<RowPlace>): ReadonlyArray<unknown> => {
  const texts = places.map((place) =>
    cut(page, place, place.arrays, ({ number }) => `[${number}]`),
  );
  // One list of all is parsed faster than each of them.
  try {
    return JSON.parse(`[${texts.join(",")}]`) as ReadonlyArray<unknown>;
  } catch {
    return texts.map((text) => parsed(text));
  }
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    return new NotJson((cause as Error).message);
  }
};

/** Why a text is not JSON. */
class NotJson {
  readonly error: string;
  readonly isDamage = true;
  constructor(message: string) {
    this.error = `not JSON: ${message}`;
  }
}

const damageOf = (page: Buffer, { from, object, to }: RowPlace, isText: boolean) => {
  if (object?.hasControl === true) return { error: "a control character in a string", ...DAMAGE };
  if (isText || isUtf8(page.subarray(from, to))) return undefined;
  return { error: "not UTF-8", ...DAMAGE };
};

const DAMAGE = { isDamage: true } as const;

const checkParts = ({ object }: RowPlace, source: StreamSource, envelope: unknown): RowResult => {
  if (envelope instanceof NotJson) return envelope;
  const error = object === undefined ? undefined : tooDeep(object.number);
  return error === undefined ? checkEnvelope(source, envelope) : { error };
};

const checkText = (
  page: Buffer,
  { from, object, to }: RowPlace,
  source: StreamSource,
  level: DecodeLevel,
): RowResult => {
  const error = object === undefined ? undefined : tooDeep(object.number);
  if (error !== undefined) return { error };
  const value = parsed(textOf(page.subarray(from, to)));
  return value instanceof NotJson ? value : checkRow(source, value, level);
};

/** What an id is that the stream cannot go on with. */
const IDS = { stashes: "no text, or empty", exchange: "no whole number of seconds" } as const;

const idOf = (value: unknown, source: StreamSource): string | undefined => {
  if (typeof value === "string" && value !== "" && source === "stashes") return value;
  if (source === "exchange" && Number.isSafeInteger(value) && (value as number) >= 0) {
    return String(value);
  }
  return undefined;
};

/** A part of the page's text with each span replaced. */
const cut = <A extends Place>(
  page: Buffer,
  { from, to }: Place,
  spans: ReadonlyArray<A>,
  marker: (span: A, index: number) => string,
): string => {
  let text = "";
  let at = from;
  for (const [index, span] of spans.entries()) {
    text += page.toString("utf8", at, span.from) + marker(span, index);
    at = span.to;
  }
  return text + page.toString("utf8", at, to);
};
