/**
 * Decodes a container record by record: the good records, and the rejects with their places.
 *
 * One item that is wrong would cost a whole page otherwise. Everything is lazy: a record is checked
 * when it is asked for, and a clean page costs what the check of the whole page costs.
 *
 * `salvage` reads a page of the stash stream and `salvageExchange` one of the currency exchange.
 * For tabs, characters and ladders take `salvageEach` with the list of the response.
 *
 * @example
 * ```ts
 * import { salvage } from "@game-data/schemas/salvage";
 *
 * const page = salvage({
 *   next_change_id: "1-2",
 *   stashes: [{ id: "a", public: false }, { id: 7 }],
 * });
 * for (const { value, rejects } of page) {
 *   if (value !== undefined) console.log("change", value.id);
 *   for (const { pointer, issues } of rejects) console.log(pointer, issues[0]?.pointer);
 * }
 * // change a
 * // /stashes/1 /public
 * ```
 */
import { explain, fits, type Issue } from "./explain.ts";
import { CurrencyExchangePage } from "./generated/CurrencyExchangePage.ts";
import { Item } from "./generated/Item.ts";
import { Market } from "./generated/Market.ts";
import { PublicStashChange } from "./generated/PublicStashChange.ts";
import { PublicStashPage } from "./generated/PublicStashPage.ts";
import type { PlainRecord } from "./PlainRecord.ts";
import { RecordError } from "./RecordError.ts";
import type { Shape } from "./Shape.ts";

/** A record that was refused. `issues` are made when they are read. */
export class Reject {
  /** The value as it was sent. */
  declare readonly value: unknown;
  /** Its place in the container (RFC 6901). */
  declare readonly pointer: string;
  /** The record that it was to be, such as `Item`. */
  declare readonly record: string;
  readonly #of: readonly [shape: Shape, rest: unknown, issues: number];
  #issues: ReadonlyArray<Issue> | undefined;

  /** `rest` is the value without the records that were left out of it. */
  constructor(
    found: Pick<Reject, "pointer" | "record" | "value">,
    ...of: readonly [shape: Shape, rest: unknown, issues: number]
  ) {
    Object.assign(this, found);
    this.#of = of;
  }

  /**
   * The places at fault; their pointers begin at the record. Records that were left out of it are
   * not among them.
   */
  get issues(): ReadonlyArray<Issue> {
    return (this.#issues ??= explain(...this.#of).issues);
  }

  toJSON(): object {
    return { ...this, issues: this.issues };
  }
}

/**
 * The refused elements of a list: their record, the place of the list, their indexes and values,
 * and the values without what was left out of them.
 */
type Refused = readonly [
  record: PlainRecord<unknown>,
  pointer: string,
  indexes: ReadonlyArray<number>,
  values: ReadonlyArray<unknown>,
  rests: ReadonlyArray<unknown>,
];

/**
 * The rejects of an element, of which there may be a million: each is made when it is gone through,
 * from the value that was refused. Iterable, with a length, and an array in JSON; it is no array
 * itself, so spread it before you index, sort or clone it.
 */
export interface Rejects extends Iterable<Reject> {
  readonly length: number;
  readonly toJSON: () => ReadonlyArray<Reject>;
}

/** The outcome of one element of a container. */
export interface Salvaged<T> {
  /** The record: the element itself, or a copy without the rejects inside it. Absent if refused. */
  readonly value?: T;
  /** The refused element, or the refused records inside it. */
  readonly rejects: Rejects;
}

/** Options of `salvageEach`. */
export interface SalvageOptions {
  /** The place of the list in the container. Default: the empty pointer. */
  readonly pointer?: string | undefined;
  /** The largest number of issues to name for each reject. Default: 1; what is no number is 10. */
  readonly issues?: number | undefined;
  /**
   * Lists inside the record from which rejects are left out, such as `{ items: Item }`. Without
   * them a record is good as a whole or refused as a whole.
   */
  readonly parts?: Readonly<Record<string, PlainRecord<unknown>>> | undefined;
}

/** The elements of a list one by one. Throws `RecordError` where it is no list. */
export function* salvageEach<T>(
  record: PlainRecord<T>,
  list: ReadonlyArray<unknown>,
  options?: SalvageOptions,
): Generator<Salvaged<T>, void, undefined> {
  const { pointer = "", issues = 1, parts = {} } = { ...options };
  // Of a record that is good itself, as nearly all are.
  const none = rejectsOf([], issues);
  const length = demand("list", list);
  for (let index = 0; index < length; index++) {
    let value: unknown;
    let rest: unknown;
    let isGood = false;
    const lists: Array<Refused> = [];
    try {
      value = rest = list[index];
      isGood = record.is(value);
      for (const name in parts) {
        const part: unknown = isGood || (value as any)[name];
        if (!Array.isArray(part)) continue;
        const good: Array<unknown> = [];
        const indexes: Array<number> = [];
        const values: Array<unknown> = [];
        for (const [at, one] of part.entries())
          if (parts[name]!.is(one)) good.push(one);
          else {
            indexes.push(at);
            values.push(one);
          }
        lists.push([parts[name]!, `${pointer}/${index}/${name}`, indexes, values, values]);
        rest = { ...(rest as object), [name]: good };
        isGood = record.is(rest);
      }
    } catch {
      // A getter or a proxy, or a part that is no record: the value is refused.
    }
    yield isGood
      ? { value: rest as T, rejects: lists[0] ? rejectsOf(lists, issues) : none }
      : { rejects: rejectsOf([[record, pointer, [index], [value], [rest]]], issues) };
  }
}

const rejectsOf = (lists: ReadonlyArray<Refused>, issues: number): Rejects => ({
  length: lists.reduce((sum, [, , { length }]) => sum + length, 0),
  *[Symbol.iterator]() {
    for (const [{ name: record, shape }, place, indexes, values, rests] of lists)
      for (const [at, index] of indexes.entries()) {
        const found = { value: values[at], pointer: `${place}/${index}`, record };
        yield new Reject(found, shape, rests[at], issues);
      }
  },
  toJSON() {
    return [...this];
  },
});

/** The length of a list, or a value of a shape. Throws `RecordError` for any other. */
const demand = (name: string, value: unknown, shape: Shape = ["[", "a"]): number => {
  try {
    if (fits(shape, value)) return (value as string).length;
  } catch {
    // A proxy: refused.
  }
  throw new RecordError(name, explain(shape, value));
};

/** Options of `salvage`. */
export interface PageOptions {
  /**
   * `change` (the default): a change is good as a whole or refused as a whole. `item`: a change
   * loses its refused items; only for readers that look, because a change replaces all items that
   * were known before, and an index would lose those that are left out.
   */
  readonly grain?: "change" | "item" | undefined;
  /** The largest number of issues to name for each reject. Default: 1; what is no number is 10. */
  readonly issues?: number | undefined;
}

/** The changes of a page, lazily. */
export interface SalvagedPage<T, Id> extends Iterable<Salvaged<T>> {
  readonly next_change_id: Id;
  /** The number of elements, refused ones included. */
  readonly size: number;
}

/**
 * A page of the stash stream, change by change. Throws `RecordError` for the envelope alone: where
 * `next_change_id` is no string or `stashes` no list. So it does for a grain that is none.
 */
export const salvage = (
  page: unknown,
  options?: PageOptions,
): SalvagedPage<PublicStashChange, string> => {
  const { grain = "change" } = { ...options };
  demand("grain", grain, ["=", "change", "item"]);
  const parts = grain === "item" ? { items: Item } : {};
  return opened(PublicStashPage, page, "stashes", (list) =>
    salvageEach(PublicStashChange, list, { ...options, pointer: "/stashes", parts }),
  );
};

/**
 * A page of the currency exchange, market by market. Throws `RecordError` for the envelope alone.
 */
export const salvageExchange = (
  page: unknown,
  options?: Pick<PageOptions, "issues">,
): SalvagedPage<Market, number> =>
  opened(CurrencyExchangePage, page, "markets", (list) =>
    salvageEach(Market, list, { ...options, pointer: "/markets" }),
  );

/** A page whose envelope is checked without the elements of its list. */
const opened = <T, Id>(
  envelope: PlainRecord<{ readonly next_change_id: Id }>,
  page: unknown,
  name: string,
  each: (list: ReadonlyArray<unknown>) => Iterator<Salvaged<T>>,
): SalvagedPage<T, Id> => {
  let list: unknown;
  let checked = page;
  try {
    list = (page as Readonly<Record<string, unknown>>)[name];
    if (Array.isArray(list)) checked = { ...(page as object), [name]: [] };
  } catch {
    // No object, a getter or a proxy: refused as it is.
  }
  const { next_change_id } = envelope.decode(checked);
  return {
    next_change_id,
    // A getter may have said another thing to the envelope.
    size: demand(name, list),
    [Symbol.iterator]: () => each(list as ReadonlyArray<unknown>),
  };
};
