/**
 * Reads one row of a page: a stash or a market, or the reason why it is neither.
 *
 * Little is required of a row, because the table of §2 and rule 3 of §4.2 disagree about what an
 * unlisted stash carries, and because the programs that use items check them.
 */
import { isUtf8 } from "node:buffer";
import type { MarketColumns, Row, StashChange, StreamSource } from "./Model.ts";

/** Largest number of nested levels. More could exhaust a reader's stack. Real rows have about 8. */
export const MAX_ROW_DEPTH = 256;

/** Facts about a row that the scan of its page has found. */
interface RowFacts {
  /** Levels of nesting in the row. */
  readonly depth: number;
  /** Whether the whole page is UTF-8. */
  readonly isText: boolean;
}

/** Reads a row. `bytes` is a view of the page, not a copy. */
export const readRow = (bytes: Buffer, source: StreamSource, facts: RowFacts): Row => {
  const text = new RowText(bytes);
  const nothing = { error: undefined, stash: undefined, market: undefined };
  return Object.assign(text, nothing, check(text, source, facts));
};

const check = (text: RowText, source: StreamSource, facts: RowFacts) => {
  const error = unreadable(text.bytes, facts);
  if (error !== undefined) return { error };
  // The value is not kept, because parsed rows take ten times the memory of their page.
  const value = parse(text.json);
  if (value instanceof SyntaxError) return { error: `not JSON: ${value.message}` };
  return source === "stashes" ? readStash(value, text) : readMarket(value);
};

const unreadable = (bytes: Buffer, { depth, isText }: RowFacts): string | undefined => {
  if (depth > MAX_ROW_DEPTH) return `nested ${depth} levels deep, more than ${MAX_ROW_DEPTH}`;
  return isText || isUtf8(bytes) ? undefined : "not UTF-8";
};

const parse = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch (cause) {
    return cause;
  }
};

/** A row that is decoded and parsed on use. */
class RowText {
  readonly bytes: Buffer;
  #parsed: { readonly value: unknown } | undefined;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  get json(): string {
    return this.bytes.toString("utf8");
  }
  get value(): unknown {
    this.#parsed ??= { value: JSON.parse(this.json) };
    return this.#parsed.value;
  }
}

type Checked<Name extends string, A> = { readonly error: string } | { readonly [Key in Name]: A };

const readStash = (value: unknown, text: RowText): Checked<"stash", StashChange> => {
  if (!isObject(value)) return { error: "a stash that is not an object" };
  const { accountName, id, items, league, public: isPublic, stash, stashType } = value;
  if (typeof id !== "string" || id === "") return { error: "a stash without id" };
  if (typeof isPublic !== "boolean") return { error: "a stash without public" };
  if (isPublic && !Array.isArray(items)) return { error: "a listed stash without items" };
  return {
    stash: {
      id,
      isPublic,
      account: textOrNull(accountName),
      name: textOrNull(stash),
      type: textOrNull(stashType),
      league: textOrNull(league),
      itemCount: isPublic ? (items as ReadonlyArray<unknown>).length : 0,
      get json() {
        return text.json;
      },
      get value() {
        return text.value;
      },
      get items() {
        if (!isPublic) return [];
        return (text.value as { readonly items: ReadonlyArray<unknown> }).items;
      },
    },
  };
};

const readMarket = (value: unknown): Checked<"market", MarketColumns> => {
  if (!isObject(value)) return { error: "a market that is not an object" };
  const { league, market_id: marketId } = value;
  if (typeof league !== "string") return { error: "a market without league" };
  if (typeof marketId !== "string") return { error: "a market without market_id" };
  return { market: { league, marketId } };
};

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
