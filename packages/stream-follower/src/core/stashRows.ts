/**
 * The stashes of a page as they stand in its text: each parsed once, looked at, and let go.
 *
 * A page of 5 MB is some 200 000 objects. Parsed as a whole they all live until the page is
 * durable, and are written out again for the store. Parsed stash by stash they die young, and the
 * store gets the text that the service sent.
 *
 * The split is a guess that proves itself: when every piece between the list's brackets parses, and
 * the commas lie between them, then no other reading of the list exists. Where the guess fails the
 * page is parsed as a whole, and nothing but time is lost.
 */
import type { StashChange } from "../Model.ts";

/** What the page around its stashes says, and the stashes. */
export interface SplitPage {
  readonly nextId: string;
  /** Parsed when they are looked at. */
  readonly rows: ReadonlyArray<unknown>;
  /** Where each row's text begins and ends in the page's bytes, one after the other. */
  readonly bounds: ReadonlyArray<number>;
}

/**
 * Splits a page of the live form; `undefined` where it looks different, which says nothing against
 * it.
 */
export const split = (raw: Uint8Array): SplitPage | undefined => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const open = bytes.subarray(0, AROUND_BYTES).indexOf(LIST) + LIST.length;
  const close = bytes.lastIndexOf("]");
  if (bytes.length - close > AROUND_BYTES) return undefined;
  // Texts must be lines too: a page with line breaks in it is taken apart in the ordinary way.
  if (bytes.includes(NEWLINE)) return undefined;
  // Where a bracket was not found, or they lie the wrong way round, this is no such text.
  const around = `${bytes.toString("utf8", 0, open)}${bytes.toString("utf8", close)}`;
  if (!AROUND.test(around)) return undefined;
  const texts: Array<string> = [];
  const bounds: Array<number> = [];
  const changes: Array<StashChange | undefined> = [];
  let nextId: string;
  try {
    nextId = (JSON.parse(around) as { next_change_id: string }).next_change_id;
    for (let from = open; from < close;) {
      const boundary = bytes.indexOf(BOUNDARY, from);
      const to = boundary === -1 ? close : boundary + 1;
      const text = bytes.toString("utf8", from, to);
      changes.push(parseRow(JSON.parse(text), text));
      texts.push(text);
      bounds.push(from, to);
      from = to + 1;
    }
  } catch {
    return undefined;
  }
  const rows = lazyArray(texts);
  known.set(rows, changes);
  return { nextId, rows, bounds };
};

/**
 * What was learned of each row while the page was split: a change that passes the level `items`, or
 * nothing.
 */
export const changesOf = (
  rows: ReadonlyArray<unknown>,
): ReadonlyArray<StashChange | undefined> | undefined => known.get(rows);

/** Notes what is known of the rows of a page that another thread has taken apart. */
export const cacheParsed = (
  rows: ReadonlyArray<unknown>,
  changes: ReadonlyArray<StashChange | undefined>,
): void => void known.set(rows, changes);

const known = new WeakMap<ReadonlyArray<unknown>, ReadonlyArray<StashChange | undefined>>();

/** Everything of a page but its stashes: an id and three words. */
const AROUND_BYTES = 1024;
const LIST = '"stashes":[';
const BOUNDARY = '},{"id":"';
const NEWLINE = 0x0a;

/**
 * The id before the list or after it, without escapes; anything more, or anything else, is another
 * form.
 */
const AROUND =
  /^\{(?:"next_change_id":"[^"\\]+","stashes":\[\]|"stashes":\[\],"next_change_id":"[^"\\]+")\}$/;

/** An array whose elements are parsed at the first look. */
export const lazyArray = (texts: Iterable<string | (() => string)>): ReadonlyArray<unknown> => {
  const rows: Array<unknown> = [];
  for (const text of texts) {
    const index = rows.length;
    let value: unknown;
    const get = () => (value ??= JSON.parse(typeof text === "string" ? text : text()));
    Object.defineProperty(rows, index, { get, enumerable: true, configurable: true });
  }
  return rows;
};

const parseRow = (value: unknown, text: string): StashChange | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { id, public: isPublic, items } = value as WireStash;
  if (typeof id !== "string" || id === "" || typeof isPublic !== "boolean") return undefined;
  return isPublic && !Array.isArray(items)
    ? undefined
    : new StashRow(columnsOf(value as WireStash), { text });
};

/** The members of a stash that a change is made of. */
export interface WireStash {
  readonly id: string;
  readonly public: boolean;
  readonly accountName?: unknown;
  readonly stash?: unknown;
  readonly stashType?: unknown;
  readonly league?: unknown;
  readonly items?: unknown;
}

/** What a store keeps of a stash besides its text. */
export type Columns = Omit<StashChange, "json" | "items" | "value">;

/** The columns of a stash. */
export const columnsOf = (stash: WireStash): Columns => ({
  id: stash.id,
  isPublic: stash.public,
  account: textOrNull(stash.accountName),
  name: textOrNull(stash.stash),
  type: textOrNull(stash.stashType),
  league: textOrNull(stash.league),
  itemCount: stash.public && Array.isArray(stash.items) ? stash.items.length : 0,
});

/** A change that holds either its text or its value, and makes the other when it is asked for. */
export class StashRow implements StashChange {
  readonly id: string;
  readonly isPublic: boolean;
  readonly account: string | null;
  readonly name: string | null;
  readonly type: string | null;
  readonly league: string | null;
  readonly itemCount: number;
  #text: string | (() => string) | undefined;
  #value: unknown;
  constructor(
    columns: Columns,
    kept: { readonly text: string | (() => string) } | { readonly value: unknown },
  ) {
    this.id = columns.id;
    this.isPublic = columns.isPublic;
    this.account = columns.account;
    this.name = columns.name;
    this.type = columns.type;
    this.league = columns.league;
    this.itemCount = columns.itemCount;
    if ("text" in kept) this.#text = kept.text;
    else this.#value = kept.value;
  }
  get json(): string {
    const text = this.#text ?? JSON.stringify(this.#value);
    return (this.#text = typeof text === "string" ? text : text());
  }
  get value(): unknown {
    return (this.#value ??= JSON.parse(this.json));
  }
  get items(): ReadonlyArray<unknown> {
    return this.itemCount === 0 ? [] : (this.value as { items: ReadonlyArray<unknown> }).items;
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
