/**
 * Ladders as streams: page by page with a token to resume from, or entry by entry.
 *
 * A stream ends with the ladder, or with the 15 000 entries that a ladder shows. `createGameApi`
 * has the same functions as async iterables.
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
 *   const pages = yield* Stream.runCollect(Pages.ladder(api, { league: "Standard" }));
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
import type { Requests } from "@game-data/contract/routes";
import type { EventLadderEntry, LadderEntry, PvPLadderTeamEntry } from "@game-data/schemas";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Stream from "effect/Stream";
import type { GameApiError } from "./Errors.ts";
import type { GameApiService } from "./GameApiService.ts";
import {
  ladderPager,
  type LadderName,
  type LadderPage,
  type PageOptions,
} from "./operations/ladderPage.ts";

export type { LadderPage, PageOptions } from "./operations/ladderPage.ts";

/** The pages of a league's ladder. `limit` is the size of a page. */
export const ladder = (
  api: GameApiService,
  request: Requests["leagues.ladder"],
  options?: PageOptions,
): Stream.Stream<LadderPage<LadderEntry>, GameApiError> =>
  pages(api, "leagues.ladder", request, options);

/** The pages of a private league's event ladder. */
export const eventLadder = (
  api: GameApiService,
  request: Requests["leagues.eventLadder"],
  options?: PageOptions,
): Stream.Stream<LadderPage<EventLadderEntry>, GameApiError> =>
  pages(api, "leagues.eventLadder", request, options);

/** The pages of a PvP match's ladder. */
export const pvpLadder = (
  api: GameApiService,
  request: Requests["pvpMatches.ladder"],
  options?: PageOptions,
): Stream.Stream<LadderPage<PvPLadderTeamEntry>, GameApiError> =>
  pages(api, "pvpMatches.ladder", request, options);

/** The entries of a stream of pages. */
export const entries = <Entry, E>(
  stream: Stream.Stream<LadderPage<Entry>, E>,
): Stream.Stream<Entry, E> => Stream.flatMap(stream, (page) => Stream.fromIterable(page.entries));

const pages = <Name extends LadderName, Entry>(
  api: GameApiService,
  name: Name,
  request: Requests[Name],
  options?: PageOptions,
): Stream.Stream<LadderPage<Entry>, GameApiError> =>
  Stream.unwrap(
    Effect.map(ladderPager<Name, Entry>(api, name, request, options), ({ first, page }) =>
      Stream.paginate(first, (offset) =>
        Effect.map(page(offset), (found) =>
          found === null
            ? ([[], Option.none<number>()] as const)
            : ([[found.page], Option.fromNullishOr(found.next)] as const),
        ),
      ),
    ),
  );
