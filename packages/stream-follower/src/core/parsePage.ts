/**
 * From an inflated body to its next id and its checked rows. Pure, and the same in every thread.
 */
import { crc32 } from "node:zlib";
import { MalformedPage } from "../Errors.ts";
import type { DecodeLevel, PageRow, StreamSource } from "../Model.ts";
import { CheckedRow, type Columns, oneLine, type RowResult, stashColumns } from "./PageRow.ts";
import { gzipTrailer } from "./inflateNow.ts";
import { scanNextId } from "./NextIdScanner.ts";
import { type ScannedChange, scanPage } from "./scanPage.ts";
import { checkMarket, checkStash, isObject, stashError, tooDeep } from "./validateRows.ts";

/** A page that can be read. */
export interface ParsedPage {
  /** `next_change_id`; the exchange's number as a decimal string. */
  readonly nextId: string;
  /** `stashes` or `markets`, checked at the level that was asked for. */
  readonly rows: ReadonlyArray<PageRow>;
  /**
   * Start and end of each row's text in the body, one after the other. Absent if the scanner left
   * the page to `JSON.parse`, and for the exchange.
   */
  readonly bounds?: ReadonlyArray<number>;
}

/** Reads a body's envelope and checks its rows at a level. */
export const parsePage = (
  raw: Uint8Array,
  source: StreamSource,
  level: DecodeLevel,
): ParsedPage | MalformedPage => {
  if (source === "stashes") {
    const scanned = scanPage(raw);
    if (scanned === "tooDeep") return malformed(raw, "it nests too deep");
    if (scanned !== undefined) {
      const nextId = idOf(scanned.envelope["next_change_id"], source);
      if (nextId === undefined) return malformed(raw, "next_change_id is missing");
      const bounds: Array<number> = [];
      const rows = scanned.changes.map((change) => {
        bounds.push(change.from, change.to);
        return scannedRow(raw, change, level);
      });
      return { nextId, rows, bounds };
    }
  }
  return parseWhole(raw, source, level);
};

const scannedRow = (raw: Uint8Array, change: ScannedChange, level: DecodeLevel): PageRow => {
  const { from, to } = change;
  const text = () => textOf(raw.subarray(from, to));
  const source = { text: () => oneLine(text()) };
  const error = tooDeep(change.depth) ?? stashError(change.envelope, "envelope");
  if (error !== undefined) {
    return CheckedRow.stash(source, level, { error });
  }
  if (level === "envelope") {
    return CheckedRow.stash(source, level, { columns: scannedColumns(change) });
  }
  let value: unknown;
  try {
    value = JSON.parse(text());
  } catch (cause) {
    return CheckedRow.stash(source, level, { error: `not JSON: ${(cause as Error).message}` });
  }
  return CheckedRow.stash(source, level, checkStash(value, level));
};

/** The scanner leaves the number of items where the items were. */
const scannedColumns = ({ envelope }: ScannedChange): Columns => {
  const items = envelope["items"];
  const count = Array.isArray(items) && typeof items[0] === "number" ? items[0] : 0;
  return stashColumns(envelope as unknown as Parameters<typeof stashColumns>[0], count);
};

const parseWhole = (
  raw: Uint8Array,
  source: StreamSource,
  level: DecodeLevel,
): ParsedPage | MalformedPage => {
  let body: unknown;
  try {
    body = JSON.parse(textOf(raw));
  } catch (cause) {
    return malformed(raw, cause instanceof Error ? cause.message : "not JSON");
  }
  if (!isObject(body)) return malformed(raw, "not an object");
  const list = source === "stashes" ? body["stashes"] : body["markets"];
  if (!Array.isArray(list)) return malformed(raw, "its list is missing");
  const nextId = idOf(body["next_change_id"], source);
  if (nextId === undefined) return malformed(raw, "next_change_id is missing");
  const rows = list.map((value: unknown) =>
    source === "stashes"
      ? CheckedRow.stash({ value }, level, checkWhole(value, level))
      : CheckedRow.market({ value }, level, checkMarket(value, level)),
  );
  return { nextId, rows };
};

const checkWhole = (value: unknown, level: DecodeLevel): RowResult<Columns> => {
  try {
    return checkStash(value, level);
  } catch (cause) {
    return { error: `cannot be checked: ${(cause as Error).message}` };
  }
};

/** A page that cannot be read, with the next id where its first bytes show one. */
const malformed = (raw: Uint8Array, detail: string): MalformedPage => {
  const headId = scanNextId(raw);
  return new MalformedPage({ detail, raw, ...(headId === undefined ? {} : { headId }) });
};

/**
 * A Buffer's own decoder is the fastest way to a string. It keeps a byte order mark, which
 * `JSON.parse` refuses.
 */
export const textOf = (raw: Uint8Array): string =>
  Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString("utf8");

const idOf = (value: unknown, source: StreamSource): string | undefined => {
  if (typeof value === "string" && value !== "" && source === "stashes") return value;
  if (source === "exchange" && Number.isSafeInteger(value) && (value as number) >= 0) {
    return String(value);
  }
  return undefined;
};

/**
 * CRC-32 and length of a page's JSON text. It recognises a page that is served twice; it is no
 * protection against a service that forges pages.
 */
export const checksum = (raw: Uint8Array): string => format(crc32(raw), raw.length);

/**
 * The same of a body that was inflated. The trailer of gzip names both numbers, and zlib has
 * compared them; of several members it names those of the last one.
 */
export const checksumOf = (raw: Uint8Array, wire: Uint8Array, encoding: string): string => {
  const trailer = gzipTrailer(wire, encoding);
  return trailer?.size === raw.length ? format(trailer.crc, raw.length) : checksum(raw);
};

const format = (crc: number, length: number): string =>
  `${crc.toString(16).padStart(8, "0")}-${length.toString(16)}`;
