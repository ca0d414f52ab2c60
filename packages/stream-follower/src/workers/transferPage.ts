/**
 * A parsed page as it travels between threads: one buffer of text whose memory is transferred, the
 * bounds of each row in it, and the few short strings that stores have columns for. Objects are
 * never sent; copying them would cost more than parsing.
 */
import type { DecodeLevel, PageRow, StreamSource } from "../Model.ts";
import { MalformedPage } from "../Errors.ts";
import { CheckedRow, oneLine } from "../core/PageRow.ts";
import { parsePage, textOf } from "../core/parsePage.ts";

/** A row that failed the check. */
interface RejectedRow {
  /** Its index among the page's rows. */
  readonly index: number;
  readonly message: string;
}

/** A page, ready to be sent to another thread. */
export interface PackedPage {
  readonly raw: Uint8Array;
  readonly nextId: string;
  readonly checksum: string;
  /** The rows' text; `undefined` where it is `raw` itself. */
  readonly texts: Uint8Array | undefined;
  /** Start and end of each row in that text. */
  readonly bounds: Uint32Array;
  /** By row: `REJECTED`, `UNLISTED`, or the number of its items. */
  readonly items: Int32Array;
  /**
   * Of the rows that passed. Stashes: id, account, name, type, league. Markets: league, market id.
   */
  readonly columns: ReadonlyArray<ReadonlyArray<string | null>>;
  readonly rejected: ReadonlyArray<RejectedRow>;
}

const REJECTED = -2;
const UNLISTED = -1;

/** Parses and checks a body, and packs the result. */
export const packPage = (
  raw: Uint8Array,
  checksum: string,
  source: StreamSource,
  level: DecodeLevel,
): PackedPage | MalformedPage => {
  const body = parsePage(raw, source, level);
  if (body instanceof MalformedPage) return body;
  const { rows, nextId } = body;
  const { texts, bounds } = packTexts(rows, body.bounds);
  const items = new Int32Array(rows.length);
  const columns: Array<Array<string | null>> =
    source === "stashes" ? [[], [], [], [], []] : [[], []];
  const rejected: Array<RejectedRow> = [];
  const push = (...values: ReadonlyArray<string | null>) =>
    values.forEach((value, column) => columns[column]!.push(value));
  for (const [index, { error, market, stash }] of rows.entries()) {
    if (stash !== undefined) {
      items[index] = stash.isPublic ? stash.itemCount : UNLISTED;
      push(stash.id, stash.account, stash.name, stash.type, stash.league);
    } else if (market !== undefined) push(market.league, market.marketId);
    else {
      items[index] = REJECTED;
      rejected.push({ index, message: error ?? "rejected" });
    }
  }
  return { raw, nextId, checksum, texts, bounds, items, columns, rejected };
};

/**
 * The rows' texts in one buffer: the page's own bytes, or written anew where it was parsed whole.
 */
const packTexts = (rows: ReadonlyArray<PageRow>, inRaw: ReadonlyArray<number> | undefined) => {
  if (inRaw !== undefined) return { texts: undefined, bounds: Uint32Array.from(inRaw) };
  const bounds = new Uint32Array(rows.length * 2);
  const lines = rows.map((row) => row.json);
  let at = 0;
  for (const [index, line] of lines.entries()) {
    bounds[index * 2] = at;
    at += Buffer.byteLength(line);
    bounds[index * 2 + 1] = at;
  }
  const texts = Buffer.allocUnsafeSlow(at);
  for (const [index, line] of lines.entries()) texts.write(line, bounds[index * 2] ?? 0);
  return { texts, bounds };
};

/** The rows of a packed page. */
export const unpackRows = (
  page: PackedPage,
  source: StreamSource,
  level: DecodeLevel,
): ReadonlyArray<PageRow> => {
  const { bounds, items, columns, rejected } = page;
  const texts = page.texts ?? page.raw;
  const errors = new Map(rejected.map(({ index, message }) => [index, message]));
  let passed = 0;
  return Array.from(items, (count, index) => {
    const bytes = () => textOf(texts.subarray(bounds[index * 2], bounds[index * 2 + 1]));
    const text = { text: () => oneLine(bytes()) };
    const error = errors.get(index);
    if (error !== undefined) {
      return source === "stashes"
        ? CheckedRow.stash(text, level, { error })
        : CheckedRow.market(text, level, { error });
    }
    const [first, second, name = null, type = null, league = null] = columns.map(
      (column) => column[passed] ?? null,
    );
    passed += 1;
    if (source === "exchange") {
      const market = { league: first ?? "", marketId: second ?? "" };
      return CheckedRow.market(text, level, { columns: market });
    }
    const isPublic = count !== UNLISTED;
    const itemCount = Math.max(0, count);
    const id = first ?? "";
    return CheckedRow.stash(text, level, {
      columns: { id, isPublic, account: second ?? null, name, type, league, itemCount },
    });
  });
};

/**
 * Returns the bounds of the rows in the page's body; `undefined` if the scanner did not find them.
 */
export const unpackBounds = (page: PackedPage): ReadonlyArray<number> | undefined =>
  page.texts === undefined ? [...page.bounds] : undefined;
