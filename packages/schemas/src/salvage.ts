/**
 * Decodes a list record by record, so that one wrong item does not cost the whole page: the valid
 * records, and the rejects with their places. Each record is checked when the caller reaches it.
 *
 * `salvage` reads a page of the stash stream and `salvageExchange` a page of the currency exchange.
 * `salvageEach` reads the list of any other response, such as tabs, characters and ladders.
 */
import { explain, fits } from "./explain.ts";
import { isObject } from "./json.ts";
import type { PlainRecord, Shape } from "./PlainRecord.ts";
import { type Issue, RecordError } from "./RecordError.ts";
import { CurrencyExchangePage } from "./records/CurrencyExchangePage.ts";
import { Item } from "./records/Item.ts";
import { Market } from "./records/Market.ts";
import { PublicStashChange } from "./records/PublicStashChange.ts";
import { PublicStashPage } from "./records/PublicStashPage.ts";
import { toShape } from "./shape.ts";
import { literal } from "./terms.ts";

/** A record that was refused. */
export class Reject {
  /** The value as it was sent. */
  readonly value: unknown;
  /** Its place in the container (RFC 6901). */
  readonly pointer: string;
  /** The name of the record, such as `Item`. */
  readonly record: string;
  readonly #explain: () => ReadonlyArray<Issue>;
  #issues: ReadonlyArray<Issue> | undefined;

  constructor(
    { pointer, record, value }: Pick<Reject, "pointer" | "record" | "value">,
    findIssues: () => ReadonlyArray<Issue>,
  ) {
    this.value = value;
    this.pointer = pointer;
    this.record = record;
    this.#explain = findIssues;
  }

  /**
   * The places at fault, found on first use. Pointers begin at the record. Records that were left
   * out of the value are not among them.
   */
  get issues(): ReadonlyArray<Issue> {
    return (this.#issues ??= this.#explain());
  }

  toJSON(): object {
    return { ...this, issues: this.issues };
  }
}

/** The outcome of one element of a container. */
export interface Salvaged<T> {
  /** The element itself, or a copy without the rejects inside it. Absent if refused. */
  readonly value?: T;
  /** The refused element, or the refused records inside it. */
  readonly rejects: ReadonlyArray<Reject>;
}

/** Options of `salvageEach`. */
export interface SalvageOptions {
  /** The place of the list in the container. Default: the empty pointer. */
  readonly pointer?: string | undefined;
  /** The largest number of issues to name for each reject. Default: 1. If not a number: 10. */
  readonly issues?: number | undefined;
  /**
   * Lists inside the record from which at most 1000 rejects are left out, such as `{ items: Item }`.
   * Default: none, so that a record is accepted or refused as a whole.
   */
  readonly parts?: Readonly<Record<string, PlainRecord<unknown>>> | undefined;
}

/** A record with more refused parts is refused as a whole, so that a hostile page costs no memory. */
const MAX_REJECTS = 1000;

/** Yields the elements of a list. Throws `RecordError` if it is not a list. */
export function* salvageEach<T>(
  record: PlainRecord<T>,
  list: ReadonlyArray<unknown>,
  options: SalvageOptions = {},
): Generator<Salvaged<T>, void, undefined> {
  const { issues = 1, parts = {}, pointer = "" } = options;
  const length = requireLength("list", list);
  const toReject = (of: PlainRecord<unknown>, value: unknown, at: string, rest = value) => {
    const shape: Shape = { kind: "record", record: of };
    const members = { value, pointer: `${pointer}/${at}`, record: of.name };
    return new Reject(members, () => explain(shape, rest, issues).issues);
  };
  for (let index = 0; index < length; index++) {
    const value = list[index];
    const rejects: Array<Reject> = [];
    let rest = value;
    let isValid = record.is(value);
    for (const [name, part] of Object.entries(parts)) {
      const elements = isObject(value) ? value[name] : undefined;
      if (isValid || !Array.isArray(elements)) continue;
      const valid: Array<unknown> = [];
      for (const [at, element] of elements.entries())
        if (part.is(element)) valid.push(element);
        else if (rejects.push(toReject(part, element, `${index}/${name}/${at}`)) > MAX_REJECTS)
          break;
      rest = { ...(rest as object), [name]: valid };
      isValid = rejects.length <= MAX_REJECTS && record.is(rest);
    }
    if (isValid) yield { value: rest as T, rejects };
    else {
      const explained = rejects.length > MAX_REJECTS ? value : rest;
      yield { rejects: [toReject(record, value, String(index), explained)] };
    }
  }
}

const LIST = toShape(["any"]);
const GRAIN = toShape(literal("change", "item"));

/** Returns the length of a list. Throws `RecordError` if it is not a list. */
const requireLength = (name: string, value: unknown): number => {
  if (Array.isArray(value)) return value.length;
  throw new RecordError(name, explain(LIST, value));
};

/** Options of `salvage`. */
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

/** The elements of a page, checked one by one. */
export interface SalvagedPage<T, Id> extends Iterable<Salvaged<T>> {
  readonly next_change_id: Id;
  /** The number of elements, including the refused ones. */
  readonly size: number;
}

/**
 * Reads a page of the stash stream change by change. Throws `RecordError` if `next_change_id` is not
 * a string, `stashes` is not a list, or the grain is unknown.
 */
export const salvage = (
  page: unknown,
  options: PageOptions = {},
): SalvagedPage<PublicStashChange, string> => {
  const { grain = "change" } = options;
  if (!fits(GRAIN, grain)) throw new RecordError("grain", explain(GRAIN, grain));
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

/** Checks a page without the elements of its list. */
const openPage = <T, Id>(
  record: PlainRecord<{ readonly next_change_id: Id }>,
  page: unknown,
  name: string,
  each: (list: ReadonlyArray<unknown>) => Iterator<Salvaged<T>>,
): SalvagedPage<T, Id> => {
  const list = isObject(page) ? page[name] : undefined;
  const envelope = Array.isArray(list) ? { ...(page as object), [name]: [] } : page;
  const { next_change_id } = record.decode(envelope);
  return {
    next_change_id,
    size: requireLength(name, list),
    [Symbol.iterator]: () => each(list as ReadonlyArray<unknown>),
  };
};
