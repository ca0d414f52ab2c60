/**
 * One row of a page (a stash change or a market) with what was learned of it: the level that it was
 * checked at, the error or the columns. Text and value are made when they are asked for, so a page
 * of 5 MB is not held as 200,000 objects.
 */
import type { DecodeLevel, MarketColumns, PageRow, StashChange } from "../Model.ts";

/** Text, or a function that makes it. */
type LazyText = string | (() => string);

/** Input of a row: its text, its value, or both. */
export type RowSource =
  | { readonly text: LazyText; readonly value?: unknown }
  | { readonly value: unknown };

/** Result of a check: an error, or the columns of a row that passed. */
export type RowResult<A> = { readonly error: string } | { readonly columns: A };

/** A text and its value, each made from the other. */
class LazyJson {
  private text: LazyText | undefined;
  private parsed: { readonly value: unknown } | undefined;
  constructor(source: RowSource) {
    if ("text" in source) this.text = source.text;
    if ("value" in source) this.parsed = { value: source.value };
  }
  get json(): string {
    const text = this.text ?? JSON.stringify(this.parsed!.value);
    return (this.text = typeof text === "string" ? text : text());
  }
  get value(): unknown {
    this.parsed ??= { value: JSON.parse(this.json) };
    return this.parsed.value;
  }
}

/** A row of a page that was checked. */
export class CheckedRow implements PageRow {
  readonly level: DecodeLevel;
  readonly error: string | undefined;
  readonly stash: StashChange | undefined;
  readonly market: MarketColumns | undefined;
  // Truly private: two rows with equal columns are equal, whatever was parsed of them so far.
  readonly #source: LazyJson;
  private constructor(
    source: LazyJson,
    level: DecodeLevel,
    found: {
      readonly error?: string;
      readonly stash?: StashChange;
      readonly market?: MarketColumns;
    },
  ) {
    this.#source = source;
    this.level = level;
    this.error = found.error;
    this.stash = found.stash;
    this.market = found.market;
  }

  /** A row of the stash stream. */
  static stash(source: RowSource, level: DecodeLevel, result: RowResult<Columns>): CheckedRow {
    const json = new LazyJson(source);
    if ("error" in result) return new CheckedRow(json, level, result);
    return new CheckedRow(json, level, { stash: new StashRow(result.columns, json) });
  }

  /** A row of the exchange. */
  static market(
    source: RowSource,
    level: DecodeLevel,
    result: RowResult<MarketColumns>,
  ): CheckedRow {
    const found = "error" in result ? result : { market: result.columns };
    return new CheckedRow(new LazyJson(source), level, found);
  }

  get json(): string {
    return this.#source.json;
  }

  get value(): unknown {
    return this.#source.value;
  }
}

/** The members of a stash that a store has columns for. */
export interface WireStash {
  readonly id: string;
  readonly public: boolean;
  readonly accountName?: unknown;
  readonly stash?: unknown;
  readonly stashType?: unknown;
  readonly league?: unknown;
}

/** Columns that a store keeps of a stash besides its text. */
export type Columns = Omit<StashChange, "json" | "items" | "value">;

/** The columns of a stash that holds so many items. */
export const stashColumns = (stash: WireStash, items: number): Columns => ({
  id: stash.id,
  isPublic: stash.public,
  account: textOrNull(stash.accountName),
  name: textOrNull(stash.stash),
  type: textOrNull(stash.stashType),
  league: textOrNull(stash.league),
  itemCount: stash.public ? items : 0,
});

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

class StashRow implements StashChange {
  readonly id: string;
  readonly isPublic: boolean;
  readonly account: string | null;
  readonly name: string | null;
  readonly type: string | null;
  readonly league: string | null;
  readonly itemCount: number;
  readonly #source: LazyJson;
  constructor(columns: Columns, source: LazyJson) {
    this.id = columns.id;
    this.isPublic = columns.isPublic;
    this.account = columns.account;
    this.name = columns.name;
    this.type = columns.type;
    this.league = columns.league;
    this.itemCount = columns.itemCount;
    this.#source = source;
  }
  get json(): string {
    return this.#source.json;
  }
  get value(): unknown {
    return this.#source.value;
  }
  get items(): ReadonlyArray<unknown> {
    if (!this.isPublic) return [];
    const { items } = this.value as { readonly items?: unknown };
    return Array.isArray(items) ? items : [];
  }
}

/**
 * JSON text of one line, which line-based stores need. Text that is not JSON, or nests too deep to
 * be written anew, stays as it is: it goes to the quarantine.
 */
export const oneLine = (text: string): string => {
  if (!text.includes("\n") && !text.includes("\r")) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
};
