/**
 * Lists as streams, of each operation that takes `limit` and `offset`: page by page with a token to
 * resume from, or entry by entry.
 *
 * A stream ends with the list, or with the 15 000 entries that a ladder shows. `createGameApi` has
 * the same as async iterables: `leagues.ladderPages`, `leagues.ladderEntries`, …
 *
 * @example
 * ```ts
 * import { GameApi } from "@game-data/api-client";
 * import * as Pages from "@game-data/api-client/pages";
 * import { fixtureTransport } from "@game-data/api-client/testing";
 * import { Effect, Stream } from "effect";
 *
 * const program = Effect.gen(function* () {
 *   const api = yield* GameApi;
 *   const stream = Pages.pages(api, "leagues.ladder", { league: "Standard" });
 *   const pages = yield* Stream.runCollect(stream);
 *   return pages[0]?.total;
 * });
 * const layer = GameApi.layerTransport({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   transport: fixtureTransport({
 *     "leagues.ladder": {
 *       body: { league: { id: "Standard", total: 0, cached_since: "", entries: [] } },
 *     },
 *   }),
 * });
 * if ((await Effect.runPromise(Effect.provide(program, layer))) !== 0) throw new Error("no page");
 * ```
 */
import type { PagedName, Requests } from "@game-data/contract/routes";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Stream from "effect/Stream";
import type { Api, EffectFace } from "./Api.ts";
import type { CallOptions } from "./CallOptions.ts";
import { type GameApiError, InvalidRequest } from "./Errors.ts";
import { type Page, type PageOf, type PageOptions, pagerOf } from "./operations/paging.ts";

export type { EntryOf, Page, PageOf, PageOptions } from "./operations/paging.ts";

/** The pages of a list. `limit` is the size of a page; default: the largest. */
export const pages = <Name extends PagedName>(
  api: Api<EffectFace>,
  name: Name,
  request: Requests[Name],
  options?: PageOptions,
): Stream.Stream<PageOf<Name>, GameApiError> => {
  const pager = pagerOf(name, request, options);
  if (pager instanceof InvalidRequest) return Stream.fail(pager);
  const [group, method] = name.split(".") as ["leagues", "ladder"];
  const read = api[group][method] as (
    request: object,
    options?: CallOptions,
  ) => Effect.Effect<unknown, GameApiError>;
  return Stream.paginate(pager.first, (offset) =>
    Effect.map(read(pager.requestAt(offset), pager.options), (value) => {
      const found = pager.pageOf(offset, value);
      return found === null
        ? ([[], Option.none<number>()] as const)
        : ([[found.page], Option.fromNullishOr(found.next)] as const);
    }),
  );
};

/** The entries of a stream of pages. */
export const entries = <Entry, E>(stream: Stream.Stream<Page<Entry>, E>): Stream.Stream<Entry, E> =>
  Stream.flatMap(stream, (page) => Stream.fromIterable(page.entries));
