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

/** A record that was refused. `pointer` and `issues` are made when they are read. */
export class Reject {
  /** The value as it was sent. */
  readonly value: unknown;
  readonly #of: readonly [place: Place, index: number, rest: unknown];
  #issues: ReadonlyArray<Issue> | undefined;

  /** `rest` is the value without the records that were left out of it. */
  constructor(value: unknown, ...of: readonly [place: Place, index: number, rest: unknown]) {
    this.value = value;
    this.#of = of;
  }

  /** Its place in the container (RFC 6901). */
  get pointer(): string {
    return `${this.#of[0].pointer}/${this.#of[1]}`;
  }

  /** The record that it was to be, such as `Item`. */
  get record(): string {
    return this.#of[0].record.name;
  }

  /**
   * The places at fault; their pointers begin at the record. Records that were left out of it are
   * not among them.
   */
  get issues(): ReadonlyArray<Issue> {
    const [{ issues, record }, , rest] = this.#of;
    return (this.#issues ??= explain(record.shape, rest, issues).issues);
  }

  toJSON(): object {
    const { issues, pointer, record, value } = this;
    return { pointer, record, issues, value };
  }
}

/** A list of records in a container, and what to say of its rejects. */
interface Place {
  readonly record: PlainRecord<unknown>;
  readonly pointer: string;
  readonly issues: number;
}

/** Rejects that are made one by one, each time they are gone through: there may be a million. */
export interface Rejects extends Iterable<Reject> {
  readonly length: number;
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
  /** The largest number of issues to name for each reject. Default: 1. */
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
  { pointer = "", issues = 1, parts = {} }: SalvageOptions = {},
): Generator<Salvaged<T>, void, undefined> {
  demand(`list of ${record.name}`, ["[", "a"], list);
  const place = { record, pointer, issues };
  for (let index = 0; index < list.length; index++) {
    let value: unknown;
    let found: Salvaged<T> | undefined;
    try {
      value = list[index];
      found = record.is(value) ? { value, rejects: [] } : mended(value, parts, place, index);
    } catch {
      // A getter or a proxy: the value is refused.
    }
    yield found ?? { rejects: [new Reject(value, place, index, value)] };
  }
}

/**
 * A refused record without the rejects in its lists, and these; refused if that is none either. It
 * holds no reject: they are found again when they are asked for.
 */
const mended = <T>(
  value: unknown,
  parts: NonNullable<SalvageOptions["parts"]>,
  place: Place & { readonly record: PlainRecord<T> },
  index: number,
): Salvaged<T> => {
  const lists: Array<() => Iterable<Salvaged<unknown>>> = [];
  let rest = value;
  let length = 0;
  for (const name in parts) {
    const list = (value as Readonly<Record<string, unknown>>)[name];
    if (!Array.isArray(list)) continue;
    const options = { ...place, pointer: `${place.pointer}/${index}/${name}` };
    const each = () => salvageEach(parts[name]!, list, options);
    const good: Array<unknown> = [];
    for (const one of each())
      if (one.rejects.length) length++;
      else good.push(one.value);
    lists.push(each);
    rest = { ...(rest as object), [name]: good };
  }
  // mutant: equivalent, a copy without rejects is refused for what its original is refused for
  if (!length || !place.record.is(rest))
    return { rejects: [new Reject(value, place, index, rest)] };
  return {
    value: rest as T,
    rejects: {
      length,
      *[Symbol.iterator]() {
        for (const each of lists) for (const { rejects } of each()) yield* rejects;
      },
    },
  };
};

/** Throws `RecordError` for a value that is not of the JSON type of a shape. */
const demand = (name: string, shape: Shape, value: unknown): void => {
  if (!fits(shape, value)) throw new RecordError(name, explain(shape, value));
};

/** Options of `salvage`. */
export interface PageOptions {
  /**
   * `change` (the default): a change is good as a whole or refused as a whole. `item`: a change
   * loses its refused items; only for readers that look, because a change replaces all items that
   * were known before, and an index would lose those that are left out.
   */
  readonly grain?: "change" | "item" | undefined;
  /** The largest number of issues to name for each reject. Default: 1. */
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
  { grain = "change", issues }: PageOptions = {},
): SalvagedPage<PublicStashChange, string> => {
  demand("grain", ["=", "change", "item"], grain);
  const parts = grain === "item" ? { items: Item } : {};
  const options = { pointer: "/stashes", issues, parts };
  return opened(PublicStashPage, page, "stashes", (list) =>
    salvageEach(PublicStashChange, list, options),
  );
};

/**
 * A page of the currency exchange, market by market. Throws `RecordError` for the envelope alone.
 */
export const salvageExchange = (
  page: unknown,
  { issues }: Pick<PageOptions, "issues"> = {},
): SalvagedPage<Market, number> =>
  opened(CurrencyExchangePage, page, "markets", (list) =>
    salvageEach(Market, list, { pointer: "/markets", issues }),
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
  const all = list as ReadonlyArray<unknown>;
  return {
    next_change_id,
    size: all.length,
    [Symbol.iterator]: () => each(all),
  };
};
