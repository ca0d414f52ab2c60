/**
 * Decodes a list record by record, so that one invalid item does not cost the whole page. Yields
 * valid records, and rejects with their places. Checks a record when the caller reaches it.
 *
 * `salvage` reads a page of the stash stream and `salvageExchange` a page of the currency exchange.
 * `salvageEach` reads the list of any other response, such as tabs, characters and ladders.
 */
import { explain } from "./explain.ts";
import { isObject, jsonType } from "./json.ts";
import type { PlainRecord } from "./PlainRecord.ts";
import { type Issue, RecordError } from "./RecordError.ts";
import { CurrencyExchangePage } from "./records/CurrencyExchangePage.ts";
import { Item } from "./records/Item.ts";
import { Market } from "./records/Market.ts";
import { PublicStashChange } from "./records/PublicStashChange.ts";
import { PublicStashPage } from "./records/PublicStashPage.ts";

/** A refused record, with its place and the reasons. */
export interface Reject {
  /** The value as it was sent. */
  readonly value: unknown;
  /** JSON pointer (RFC 6901) of the record in the page, or in the list. */
  readonly pointer: string;
  /** The name of the record, such as `Item`. */
  readonly record: string;
  /**
   * The reasons for the refusal, found on first use. Pointers begin at the record. Excludes records
   * that were already removed as rejects.
   */
  readonly issues: ReadonlyArray<Issue>;
}

/** The result for one element of a list. */
export interface Salvaged<T> {
  /** The element itself, or a copy without the rejects inside it. Absent if it is refused. */
  readonly value?: T;
  /** The refused element, or the refused records inside it. */
  readonly rejects: ReadonlyArray<Reject>;
}

/** Place of the list, inner lists that can lose their rejects, and the limit of issues. */
export interface SalvageOptions {
  /** JSON pointer of the list, which begins the pointers of rejects. Default: empty. */
  readonly pointer?: string | undefined;
  /** The largest number of issues to name for each reject. Default: 1. If not a number: 10. */
  readonly issues?: number | undefined;
  /**
   * Lists inside a record that lose their rejects instead of refusing the record: `{ items: Item
   * }`. A record with more than 1000 rejects is refused. Default: none.
   */
  readonly parts?: Readonly<Record<string, PlainRecord<unknown>>> | undefined;
}

/** Maximum of refused parts in one record. Bounds the memory that a hostile page can take. */
const MAX_REJECTS = 1000;

/** Yields the result for each element. Throws `RecordError` if `list` is not an array. */
export function* salvageEach<T>(
  record: PlainRecord<T>,
  list: ReadonlyArray<unknown>,
  options: SalvageOptions = {},
): Generator<Salvaged<T>, void, undefined> {
  const { issues = 1, parts = {}, pointer = "" } = options;
  const length = requireLength("list", list);
  const toReject = (
    refused: PlainRecord<unknown>,
    value: unknown,
    place: string,
    rest = value,
  ): Reject => {
    let cached: ReadonlyArray<Issue> | undefined;
    return {
      value,
      pointer: `${pointer}/${place}`,
      record: refused.name,
      get issues() {
        return (cached ??= explain({ kind: "record", record: refused }, rest, issues).issues);
      },
    };
  };
  for (let index = 0; index < length; index++) {
    const value = readSafely(() => list[index]);
    if (record.is(value)) {
      yield { value, rejects: [] };
      continue;
    }
    const rejects: Array<Reject> = [];
    const refuse = (part: PlainRecord<unknown>, element: unknown, place: string) => {
      if (rejects.length > MAX_REJECTS) return;
      rejects.push(toReject(part, element, `${index}/${place}`));
    };
    const rest = readSafely(() => withoutRejects(value, parts, refuse)) ?? value;
    const isFull = rejects.length > MAX_REJECTS;
    if (rejects.length > 0 && !isFull && record.is(rest)) yield { value: rest, rejects };
    else yield { rejects: [toReject(record, value, String(index), isFull ? value : rest)] };
  }
}

/** Returns a copy of a record without the refused elements of `parts`. */
const withoutRejects = (
  record: unknown,
  parts: NonNullable<SalvageOptions["parts"]>,
  refuse: (part: PlainRecord<unknown>, element: unknown, place: string) => void,
): unknown => {
  if (!isObject(record)) return record;
  let rest = record;
  for (const [name, part] of Object.entries(parts)) {
    const elements = record[name];
    if (!Array.isArray(elements)) continue;
    const valid = elements.filter((element, index) => {
      const isValid = part.is(element);
      if (!isValid) refuse(part, element, `${name}/${index}`);
      return isValid;
    });
    rest = { ...rest, [name]: valid };
  }
  return rest;
};

/** Returns `undefined` if a getter or a proxy throws. */
const readSafely = (read: () => unknown): unknown => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** Returns the length of an array. Throws `RecordError` if the value is not an array. */
const requireLength = (name: string, value: unknown): number => {
  if (Array.isArray(value)) return value.length;
  throw invalid(name, "array", value);
};

const invalid = (name: string, expected: string, value: unknown): RecordError => {
  const issue = { path: [], pointer: "", expected, actual: jsonType(value) };
  return new RecordError(name, { issues: [issue], hasMore: false });
};

/** How to treat a change with invalid items, and the limit of issues. */
export interface PageOptions {
  /**
   * `change`: a change is accepted or refused as a whole. `item`: a change loses its refused items.
   * Because a change replaces all items that were known before, an index would lose the items that
   * are left out, so use `item` only to look at pages. Default: `change`.
   */
  readonly grain?: "change" | "item" | undefined;
  /** The largest number of issues to name for each reject. Default: 1. If not a number: 10. */
  readonly issues?: number | undefined;
}

/** The elements of a page. Each element is checked when the iterator reaches it. */
export interface SalvagedPage<T, Id> extends Iterable<Salvaged<T>> {
  readonly next_change_id: Id;
  /** The number of elements, including the refused ones. */
  readonly size: number;
}

/**
 * Reads a page of the stash stream change by change. Throws `RecordError` if `next_change_id` is not
 * a string, `stashes` is not a list, or the grain is unknown.
 *
 * @example
 * ```ts
 * import { salvage } from "@game-data/schemas/salvage";
 *
 * const page = { next_change_id: "1-2", stashes: [{ id: "a", public: false }, { id: 7 }] };
 * for (const { value, rejects } of salvage(page)) console.log(value?.id, rejects[0]?.pointer);
 * // a undefined
 * // undefined /stashes/1
 * ```
 */
export const salvage = (
  page: unknown,
  options: PageOptions = {},
): SalvagedPage<PublicStashChange, string> => {
  const { grain = "change" } = options;
  if (grain !== "change" && grain !== "item") throw invalid("grain", '"change" or "item"', grain);
  const parts = grain === "item" ? { items: Item } : {};
  return openPage(PublicStashPage, page, "stashes", (list) =>
    salvageEach(PublicStashChange, list, { ...options, pointer: "/stashes", parts }),
  );
};

/**
 * Reads a page of the currency exchange market by market. Throws `RecordError` if `next_change_id`
 * is not a number or `markets` is not a list.
 */
export const salvageExchange = (
  page: unknown,
  options?: Pick<PageOptions, "issues">,
): SalvagedPage<Market, number> =>
  openPage(CurrencyExchangePage, page, "markets", (list) =>
    salvageEach(Market, list, { ...options, pointer: "/markets" }),
  );

const openPage = <T, Id>(
  record: PlainRecord<{ readonly next_change_id: Id }>,
  page: unknown,
  name: string,
  each: (list: ReadonlyArray<unknown>) => Iterator<Salvaged<T>>,
): SalvagedPage<T, Id> => {
  const list = readSafely(() => (isObject(page) ? page[name] : undefined));
  const envelope = Array.isArray(list) ? readSafely(() => toEnvelope(page, name)) : page;
  const { next_change_id } = record.decode(envelope);
  return {
    next_change_id,
    size: requireLength(name, list),
    [Symbol.iterator]: () => each(list as ReadonlyArray<unknown>),
  };
};

/** Returns a copy of the page with an empty list. Reads only `next_change_id`. */
const toEnvelope = (page: any, name: string): object =>
  "next_change_id" in page ? { next_change_id: page.next_change_id, [name]: [] } : { [name]: [] };
