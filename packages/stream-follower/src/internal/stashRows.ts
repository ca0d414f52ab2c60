/**
 * The stashes of a page as they stand in its text: each parsed once, looked at, and let go.
 *
 * A page of 5 MB is some 200 000 objects. Parsed as a whole they all live until the page is durable, and are written out again for the
 * store. Parsed stash by stash they die young, and the store gets the text that the service sent.
 *
 * The split is a guess that proves itself: when every piece between the list's brackets parses, and the commas lie between them, then no
 * other reading of the list exists. Where the guess fails the page is parsed as a whole, and nothing but time is lost.
 */
import type { StashChange } from "../Model.ts";

/** What the page around its stashes says, and the stashes. */
export interface SplitPage {
  readonly nextId: string;
  /** Parsed when they are looked at. */
  readonly rows: ReadonlyArray<unknown>;
}

/** Splits a page of the live form; `undefined` where it looks different, which says nothing against it. */
export const split = (raw: Uint8Array): SplitPage | undefined => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.length);
  const open = bytes.subarray(0, AROUND_BYTES).indexOf(LIST) + LIST.length;
  const close = bytes.lastIndexOf("]");
  if (open < LIST.length || close < open || bytes.length - close > AROUND_BYTES) return undefined;
  // Texts must be lines too: a page with line breaks in it is taken apart in the ordinary way.
  if (bytes.includes(NEWLINE)) return undefined;
  const around = `${bytes.toString("utf8", 0, open)}${bytes.toString("utf8", close)}`;
  if (!AROUND.test(around)) return undefined;
  const texts: Array<string> = [];
  const changes: Array<StashChange | undefined> = [];
  let nextId: string;
  try {
    nextId = (JSON.parse(around) as { next_change_id: string }).next_change_id;
    for (let from = open; from < close;) {
      const boundary = bytes.indexOf(BOUNDARY, from);
      const to = boundary === -1 || boundary >= close ? close : boundary + 1;
      const text = bytes.toString("utf8", from, to);
      changes.push(lookAt(JSON.parse(text), text));
      texts.push(text);
      from = to + 1;
    }
  } catch {
    return undefined;
  }
  const rows = lazily(texts);
  known.set(rows, changes);
  return { nextId, rows };
};

/** What was learned of each row while the page was split: a change that passes the level `items`, or nothing. */
export const changesOf = (
  rows: ReadonlyArray<unknown>,
): ReadonlyArray<StashChange | undefined> | undefined => known.get(rows);

const known = new WeakMap<ReadonlyArray<unknown>, ReadonlyArray<StashChange | undefined>>();

/** Everything of a page but its stashes: an id and three words. */
const AROUND_BYTES = 1024;
const LIST = '"stashes":[';
const BOUNDARY = '},{"id":"';
const NEWLINE = 0x0a;

/** The id before the list or after it, without escapes; anything more, or anything else, is another form. */
const AROUND =
  /^\{(?:"next_change_id":"[^"\\]+","stashes":\[\]|"stashes":\[\],"next_change_id":"[^"\\]+")\}$/;

/** An array whose elements are parsed at the first look. */
const lazily = (texts: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const rows: Array<unknown> = [];
  for (const [index, text] of texts.entries()) {
    let value: unknown;
    const get = () => (value ??= JSON.parse(text));
    Object.defineProperty(rows, index, { get, enumerable: true, configurable: true });
  }
  return rows;
};

const lookAt = (value: unknown, text: string): StashChange | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { id, public: isPublic, items } = value as WireStash;
  if (typeof id !== "string" || id === "" || typeof isPublic !== "boolean") return undefined;
  return isPublic && !Array.isArray(items) ? undefined : new Change(value as WireStash, { text });
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

/** A change that holds either its text or its value, and makes the other when it is asked for. */
export class Change implements StashChange {
  readonly id: string;
  readonly isPublic: boolean;
  readonly account: string | null;
  readonly name: string | null;
  readonly type: string | null;
  readonly league: string | null;
  readonly itemCount: number;
  #text: string | undefined;
  #value: unknown;
  constructor(stash: WireStash, kept: { readonly text: string } | { readonly value: unknown }) {
    this.id = stash.id;
    this.isPublic = stash.public;
    this.account = textOrNull(stash.accountName);
    this.name = textOrNull(stash.stash);
    this.type = textOrNull(stash.stashType);
    this.league = textOrNull(stash.league);
    this.itemCount = stash.public && Array.isArray(stash.items) ? stash.items.length : 0;
    if ("text" in kept) this.#text = kept.text;
    else this.#value = kept.value;
  }
  get json(): string {
    return (this.#text ??= JSON.stringify(this.#value));
  }
  get value(): unknown {
    return (this.#value ??= JSON.parse(this.json));
  }
  get items(): ReadonlyArray<unknown> {
    return this.itemCount === 0 ? [] : (this.value as { items: ReadonlyArray<unknown> }).items;
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
