/**
 * One row of a page (a stash change or a market) with what was learned of it: the error or
 * the columns. Text and value are made from the page's bytes when they are
 * asked for, so a page of 5 MB is not held as 200,000 objects.
 *
 * The bytes are the page's own: a row that outlives its page is read before (`json`).
 */
import type { MarketColumns, MarketHour, PageRow, StashChange } from "../Model.ts";

/** Bytes of a row in the text of its page. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** What a row is read from: its JSON text, and its value. */
type RowText = Pick<PageRow, "json" | "value">;

/** Columns that a store keeps of a stash besides its text. */
export type Columns = Omit<StashChange, "json" | "items" | "value">;

/** Result of a check: why the row is rejected, or its columns. */
export type RowResult =
  | { readonly error: string; readonly isDamage?: boolean }
  | { readonly stash: Columns }
  | { readonly market: MarketColumns };

/** A row of a page that was checked. */
export class CheckedRow implements PageRow {
  readonly error: string | undefined;
  readonly stash: StashChange | undefined;
  readonly market: MarketColumns | undefined;
  // Truly private: two rows with equal columns are equal, whatever was read of them so far.
  readonly #page: Uint8Array;
  readonly #place: Place;
  #json: string | undefined;
  #parsed: { readonly value: unknown } | undefined;
  constructor(page: Uint8Array, place: Place, result: RowResult) {
    this.#page = page;
    this.#place = place;
    this.error = "error" in result ? result.error : undefined;
    this.stash = "stash" in result ? stashChange(result.stash, this) : undefined;
    this.market = "market" in result ? result.market : undefined;
  }
  get bytes(): Uint8Array {
    return this.#page.subarray(this.#place.from, this.#place.to);
  }
  get json(): string {
    return (this.#json ??= textOf(this.bytes));
  }
  get value(): unknown {
    this.#parsed ??= { value: JSON.parse(this.json) };
    return this.#parsed.value;
  }
}

/**
 * A Buffer's own decoder is the fastest way to a string. It keeps a byte order mark, which
 * `JSON.parse` refuses.
 */
export const textOf = (raw: Uint8Array): string =>
  Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString("utf8");

/** A row whose text and value are read when they are asked for. */
class LazyRow {
  readonly #source: RowText;
  constructor(source: RowText) {
    this.#source = source;
  }
  get json(): string {
    return this.#source.json;
  }
  get value(): unknown {
    return this.#source.value;
  }
}

class StashRow extends LazyRow {
  declare readonly isPublic: boolean;
  get items(): ReadonlyArray<unknown> {
    if (!this.isPublic) return [];
    const { items } = this.value as { readonly items?: unknown };
    return Array.isArray(items) ? items : [];
  }
}

/** A stash of a text that passed its check. */
export const stashChange = (columns: Columns, source: RowText): StashChange =>
  Object.assign(new StashRow(source), columns);

/** A market of a text that passed its check. */
export const marketHour = (
  hour: number,
  { league, marketId }: MarketColumns,
  source: RowText,
): MarketHour => Object.assign(new LazyRow(source), { hour, league, marketId });
