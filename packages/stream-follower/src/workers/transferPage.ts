/**
 * The rows of a page as they travel between threads: one buffer of text that is handed over, where
 * each row lies in it, and the few short strings that a store has columns for. Never the page's
 * objects, whose copying would cost more than parsing them here.
 */
import type { DecodeLevel } from "../Decode.ts";
import { MalformedPage } from "../Errors.ts";
import type { MarketHour, StashChange, StreamSource } from "../Model.ts";
import { marketError, stashError } from "../core/validateRows.ts";
import { parsePage, sha256, textOf } from "../core/parsePage.ts";
import {
  StashRow,
  changesOf,
  columnsOf,
  lazyArray,
  cacheParsed,
  type WireStash,
} from "../core/stashRows.ts";

/** A row that failed the check. */
export interface RejectedRow {
  /** Its place among the page's rows. */
  readonly index: number;
  readonly message: string;
  readonly json: string;
}

/** A page, ready to be handed to another thread. */
export interface PackedPage {
  readonly raw: Uint8Array;
  readonly nextId: string;
  readonly sha256: string;
  /** The rows' text; `undefined` where it is `raw` itself. */
  readonly texts: Uint8Array | undefined;
  /** Where each row begins and ends in it. */
  readonly bounds: Uint32Array;
  /** By row: `REJECTED`, `UNLISTED`, or how many items it holds. */
  readonly items: Int32Array;
  /**
   * Of the rows that passed. Stashes: id, account, name, type, league. Markets: league, market id.
   */
  readonly columns: ReadonlyArray<ReadonlyArray<string | null>>;
  readonly rejected: ReadonlyArray<RejectedRow>;
}

const REJECTED = -2;
const UNLISTED = -1;

/** Reads and checks a body, and packs what came of it. */
export const packPage = (
  raw: Uint8Array,
  source: StreamSource,
  level: DecodeLevel,
): PackedPage | MalformedPage => {
  const body = parsePage(raw, source);
  if (body instanceof MalformedPage) return body;
  const { rows, nextId } = body;
  const { texts, bounds } = textsOf(rows, body.bounds);
  const items = new Int32Array(rows.length);
  const columns: Array<Array<string | null>> =
    source === "stashes" ? [[], [], [], [], []] : [[], []];
  const rejected: Array<RejectedRow> = [];
  const push = (...values: ReadonlyArray<string | null>) =>
    values.forEach((value, column) => columns[column]!.push(value));
  const known = changesOf(rows);
  const problem = source === "stashes" ? stashError : marketError;
  for (let index = 0; index < rows.length; index += 1) {
    const change = level === "full" ? undefined : known?.[index];
    const message = change === undefined ? problem(rows[index], level) : undefined;
    if (message !== undefined) {
      items[index] = REJECTED;
      rejected.push({ index, message, json: JSON.stringify(rows[index]) });
    } else if (source === "stashes") {
      const stash = change ?? known?.[index] ?? columnsOf(rows[index] as WireStash);
      items[index] = stash.isPublic ? stash.itemCount : UNLISTED;
      push(stash.id, stash.account, stash.name, stash.type, stash.league);
    } else {
      const { league, market_id: marketId } = rows[index] as { league: string; market_id: string };
      push(league, marketId);
    }
  }
  return { raw, nextId, sha256: sha256(raw), texts, bounds, items, columns, rejected };
};

/**
 * The rows' texts in one buffer: the page's own bytes, or written anew where its form is unusual.
 */
const textsOf = (rows: ReadonlyArray<unknown>, inRaw: ReadonlyArray<number> | undefined) => {
  if (inRaw !== undefined) return { texts: undefined, bounds: Uint32Array.from(inRaw) };
  const bounds = new Uint32Array(rows.length * 2);
  const lines = rows.map((row) => JSON.stringify(row));
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

/**
 * The rows of a packed page, parsed when they are looked at; what was learned of them is remembered
 * with them.
 */
export const unpackPage = (
  page: PackedPage,
  source: StreamSource,
  level: DecodeLevel,
): ReadonlyArray<unknown> => {
  const { bounds, items, columns, rejected } = page;
  const texts = page.texts ?? page.raw;
  const text = (index: number) => (): string =>
    textOf(texts.subarray(bounds[index * 2], bounds[index * 2 + 1]));
  const rows = lazyArray(Array.from(items, (_, index) => text(index)));
  const stashes: Array<StashChange> = [];
  const markets: Array<RemoteMarket> = [];
  const changes: Array<StashChange | undefined> = [];
  let row = 0;
  for (const [index, count] of items.entries()) {
    if (count === REJECTED) {
      changes.push(undefined);
      continue;
    }
    const [first, second, name = null, type = null, league = null] = columns.map(
      (column) => column[row] ?? null,
    );
    row += 1;
    if (source === "exchange") {
      markets.push({ league: first ?? "", marketId: second ?? "", text: text(index) });
      continue;
    }
    const isPublic = count !== UNLISTED;
    const itemCount = Math.max(0, count);
    const shown = {
      id: first ?? "",
      isPublic,
      account: second ?? null,
      name,
      type,
      league,
      itemCount,
    };
    const change = new StashRow(shown, { text: text(index) });
    stashes.push(change);
    changes.push(change);
  }
  // At the level `envelope` a row may have passed that the level `items` refuses.
  if (page.texts === undefined && source === "stashes" && level !== "envelope") {
    cacheParsed(rows, changes);
  }
  checked.set(rows, { level, stashes, markets, rejected });
  return rows;
};

/** A market of which the hour is not known yet. */
interface RemoteMarket {
  readonly league: string;
  readonly marketId: string;
  readonly text: () => string;
}

/** What another thread has found out about the rows of a page. */
interface CheckedRows {
  readonly level: DecodeLevel;
  readonly stashes: ReadonlyArray<StashChange>;
  readonly markets: ReadonlyArray<RemoteMarket>;
  readonly rejected: ReadonlyArray<RejectedRow>;
}

const checked = new WeakMap<ReadonlyArray<unknown>, CheckedRows>();

/** The rows as another thread has checked them, if it did so at this level. */
export const checkedOf = (
  rows: ReadonlyArray<unknown>,
  level: DecodeLevel,
): CheckedRows | undefined => {
  const found = checked.get(rows);
  return found?.level === level ? found : undefined;
};

/** A market whose value is parsed when it is looked at. */
export const remoteMarket = (
  hour: number,
  { league, marketId, text }: RemoteMarket,
): MarketHour => {
  let value: unknown;
  const market = { hour, league, marketId } as MarketHour;
  // An own member, so that a copy of the market has it as well.
  Object.defineProperty(market, "value", {
    get: () => (value ??= JSON.parse(text())),
    enumerable: true,
    configurable: true,
  });
  marketTexts.set(market, text);
  return market;
};

const marketTexts = new WeakMap<MarketHour, () => string>();

/** A market as JSON text. */
export const marketJson = (market: MarketHour): string =>
  marketTexts.get(market)?.() ?? JSON.stringify(market.value);
