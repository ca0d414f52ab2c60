/**
 * Pages of the operations with `limit` and `offset`: which request comes next, and when a list
 * ends.
 */
import { pageLimit, routes } from "@game-data/contract/routes";
import type { PagedName, Requests, Route, RouteName, Taken } from "@game-data/contract/routes";
import type { CallOptions } from "../CallOptions.ts";
import { InvalidRequest } from "../Errors.ts";
import { splitOptions } from "./checkOptions.ts";

/** A page of a list. */
export interface Page<Entry, Total = number | undefined> {
  /** Entries of the whole list at the moment of this page; `undefined` if the service tells none. */
  readonly total: Total;
  /** Index of the page's first entry. */
  readonly offset: number;
  readonly entries: ReadonlyArray<Entry>;
  /** Resumes behind this page when given as `resume`; `undefined` on the last page. */
  readonly resume: string | undefined;
}

/** Options of pages. */
export interface PageOptions extends CallOptions {
  /** The `resume` of the last page that was processed. It belongs to the same list. */
  readonly resume?: string | undefined;
}

/** An entry of a paged operation. */
export type EntryOf<Name extends PagedName> =
  NonNullable<Taken<Name>> extends infer Value
    ? Value extends ReadonlyArray<infer Entry>
      ? Entry
      : Value extends { readonly entries: ReadonlyArray<infer Entry> }
        ? Entry
        : never
    : never;

/** A page of a paged operation. */
export type PageOf<Name extends PagedName> = Page<
  EntryOf<Name>,
  NonNullable<Taken<Name>> extends { readonly total: infer Total } ? Total : undefined
>;

/** A list with its total, or the entries alone. */
interface Found {
  readonly total?: number;
  readonly entries: ReadonlyArray<unknown>;
}

/** Reads a list page by page, over the method of either face. */
interface Pager<Name extends PagedName> {
  /** The offset to begin with. */
  readonly first: number;
  readonly options: CallOptions | undefined;
  /** The request of the page at an offset. */
  readonly requestAt: (offset: number) => object;
  /** The page of a value at an offset; `null` if there is no such list. */
  readonly pageOf: (
    offset: number,
    value: unknown,
  ) => { readonly page: PageOf<Name>; readonly next: number | undefined } | null;
}

/** Whether an operation takes a page of a list. */
export const isPaged = (name: string): name is PagedName => {
  if (!Object.hasOwn(routes, name)) return false;
  const { query = {} }: Route = routes[name as RouteName];
  return "limit" in query && "offset" in query;
};

/** Makes the pager of a list. */
export const pagerOf = <Name extends PagedName>(
  name: Name,
  request: Requests[Name],
  given?: PageOptions,
): Pager<Name> | InvalidRequest => {
  const [{ resume }, options] = splitOptions(given, ["resume"]);
  const refused = (route: string, detail: string) =>
    new InvalidRequest({ operation: name, route, attempts: 0, detail });
  if (!isPaged(name)) return refused(String(name), "operation: has no pages");
  const first = resume === undefined ? (request?.offset ?? 0) : offsetOf(name, resume);
  if (first === undefined)
    return refused(routes[name].route, "resume: must be the token of a page of the same operation");
  const limit = request?.limit ?? pageLimit(name).max;
  return {
    first,
    options,
    requestAt: (offset) => ({ ...request, limit, offset }),
    pageOf: (offset, value) => {
      if (value === null) return null;
      const found = Array.isArray(value) ? { entries: value } : (value as Found);
      const { entries, total }: Found = found;
      const next = isLastPage(name, found, offset, limit) ? undefined : offset + entries.length;
      const token = next === undefined ? undefined : `${name}:${next}`;
      return { next, page: { total, offset, entries, resume: token } as PageOf<Name> };
    },
  };
};

const offsetOf = (name: PagedName, resume: string): number | undefined => {
  const match = /^([\w.]+):(\d{1,6})$/u.exec(resume);
  return match?.[1] === name ? Number(match[2]) : undefined;
};

/**
 * Whether a page is the last one: it is short, or it reaches the end of the list or the entries
 * that can be reached. `total` alone is not enough, because ladders change while they are read.
 */
export const isLastPage = (
  name: PagedName,
  { entries, total = Number.POSITIVE_INFINITY }: Found,
  offset: number,
  limit: number,
): boolean => {
  const { depth = Number.POSITIVE_INFINITY }: Route = routes[name];
  return entries.length < limit || offset + entries.length >= Math.min(total, depth);
};
