/** Lists with `limit` and `offset`, page by page and entry by entry. */
import {
  pageLimit,
  type PagedName,
  type Route,
  type RouteName,
  routes,
} from "@game-data/contract/routes";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Stream from "effect/Stream";
import type { Page } from "../Api.ts";
import type { GameApiError } from "../Errors.ts";
import type { CallOptions } from "../Options.ts";

interface Window {
  readonly limit?: number;
  readonly offset?: number;
}

/** Returns the streams of an operation, named after its method, if the operation has pages. */
export const listMethods = (
  name: RouteName,
  method: string,
  read: (request: object, options?: CallOptions) => Effect.Effect<unknown, GameApiError>,
) => {
  const { depth = Number.POSITIVE_INFINITY, query = {} }: Route = routes[name];
  if (!("limit" in query && "offset" in query)) return {};
  const pages = (request: Window = {}, options?: CallOptions) => {
    const limit = request.limit ?? pageLimit(name as PagedName).max;
    return Stream.paginate(request.offset ?? 0, (offset) =>
      Effect.map(read({ ...request, limit, offset }, options), (value) => {
        if (value === null) return [[], Option.none<number>()] as const;
        const { entries, total } = toList(value);
        const end = offset + entries.length;
        // `total` alone is not enough, because ladders change while they are read.
        const isLast = entries.length < limit || end >= Math.min(total ?? depth, depth);
        const next = isLast ? undefined : end;
        return [[{ total, offset, entries, next }], Option.fromNullishOr(next)] as const;
      }),
    );
  };
  return {
    [`${method}Pages`]: pages,
    [`${method}Entries`]: (request?: Window, options?: CallOptions) =>
      Stream.flatMap(pages(request, options), ({ entries }) => Stream.fromIterable(entries)),
  };
};

type List = Pick<Page<unknown>, "entries"> & Partial<Pick<Page<unknown>, "total">>;

/** A ladder has its entries in a member; other lists are plain arrays. */
const toList = (value: unknown): List =>
  Array.isArray(value) ? { entries: value } : (value as List);
