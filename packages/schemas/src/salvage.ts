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
  declare readonly value: unknown;
  /** Its place in the container (RFC 6901). */
  declare readonly pointer: string;
  /** The name of the record, such as `Item`. */
  declare readonly record: string;
  readonly #explain: () => ReadonlyArray<Issue>;
  #issues: ReadonlyArray<Issue> | undefined;

  constructor(
    members: Pick<Reject, "pointer" | "record" | "value">,
    issues: () => ReadonlyArray<Issue>,
  ) {
    Object.assign(this, members);
    this.#explain = issues;
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

/**
 * The rejects of an element. A page may have a million of them, so each is made when the caller
 * reaches it. Iterable, with a length, and an array in JSON. Spread it to index, sort or clone it.
 */
export interface Rejects extends Iterable<Reject> {
  readonly length: number;
  readonly toJSON: () => ReadonlyArray<Reject>;
}

/** The outcome of one element of a container. */
export interface Salvaged<T> {
  /** The element itself, or a copy without the rejects inside it. Absent if refused. */
  readonly value?: T;
  /** The refused element, or the refused records inside it. */
  readonly rejects: Rejects;
}

/** Options of `salvageEach`. */
export interface SalvageOptions {
  /** The place of the list in the container. Default: the empty pointer. */
  readonly pointer?: string | undefined;
  /** The largest number of issues to name for each reject. Default: 1. If not a number: 10. */
  readonly issues?: number | undefined;
  /**
   * Lists inside the record from which rejects are left out, such as `{ items: Item }`. Default:
   * none, so that a record is accepted or refused as a whole.
   */
  readonly parts?: Readonly<Record<string, PlainRecord<unknown>>> | undefined;
}

/** The refused elements of one list, in columns, which take a tenth of the memory of objects. */
interface Refused {
  readonly record: PlainRecord<unknown>;
  readonly pointer: string;
  readonly indexes: ReadonlyArray<number>;
  readonly values: ReadonlyArray<unknown>;
}

/** Yields the elements of a list. Throws `RecordError` if it is not a list. */
export function* salvageEach<T>(
  record: PlainRecord<T>,
  list: ReadonlyArray<unknown>,
  options: SalvageOptions = {},
): Generator<Salvaged<T>, void, undefined> {
  const { issues = 1, parts = {}, pointer = "" } = options;
  const none = toRejects([], issues);
  const length = requireLength("list", list);
  for (let index = 0; index < length; index++) {
    const refused: Array<Refused> = [];
    const value = list[index];
    let rest = value;
    let isValid = record.is(value);
    for (const name in parts) {
      const part = isObject(value) ? value[name] : undefined;
      if (isValid || !Array.isArray(part)) continue;
      const [valid, found] = split(parts[name]!, part, `${pointer}/${index}/${name}`);
      refused.push(found);
      rest = { ...(rest as object), [name]: valid };
      isValid = record.is(rest);
    }
    if (isValid) {
      yield { value: rest as T, rejects: refused.length > 0 ? toRejects(refused, issues) : none };
    } else {
      const whole = { record, pointer, indexes: [index], values: [value] };
      yield { rejects: toRejects([whole], issues, rest) };
    }
  }
}

/** Returns the valid elements of a list, and the others. */
const split = (
  record: PlainRecord<unknown>,
  list: ReadonlyArray<unknown>,
  pointer: string,
): [ReadonlyArray<unknown>, Refused] => {
  const valid: Array<unknown> = [];
  const indexes: Array<number> = [];
  const values: Array<unknown> = [];
  for (const [index, value] of list.entries())
    if (record.is(value)) valid.push(value);
    else {
      indexes.push(index);
      values.push(value);
    }
  return [valid, { record, pointer, indexes, values }];
};

/** `rest` is the refused element without the records that were left out of it. */
const toRejects = (
  lists: ReadonlyArray<Refused>,
  limit: number,
  ...[rest]: ReadonlyArray<unknown>
): Rejects => ({
  length: lists.reduce((sum, { indexes }) => sum + indexes.length, 0),
  *[Symbol.iterator]() {
    for (const { indexes, pointer, record, values } of lists)
      for (const [at, index] of indexes.entries()) {
        const value = values[at];
        const members = { value, pointer: `${pointer}/${index}`, record: record.name };
        const shape: Shape = { kind: "record", record };
        yield new Reject(members, () => explain(shape, rest ?? value, limit).issues);
      }
  },
  toJSON() {
    return [...this];
  },
});

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
