/**
 * The ranks of a league, as many as are wanted: one request for a few of them, page after page for
 * a whole ladder.
 *
 * `leagues.ladder` is one page and `leagues.ladderEntries` a stream; `fetchRanks` is for programs
 * that show or export a ladder. It takes the ladder of characters or the event's ladder of private
 * leagues, and tells an empty ladder from one that is not there.
 */
import { Limits } from "@game-data/contract";
import type { EventLadderEntry, LadderEntry } from "@game-data/schemas";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type { GameApiError } from "./Errors.ts";
import { GameApi } from "./GameApi.ts";
import type { RequestOf } from "./GameApi.ts";

/** An entry of either ladder: of a character, or of a private league. */
export type Rank = LadderEntry | EventLadderEntry;

/** Which ranks of which ladder. */
export type RanksRequest = Omit<RequestOf<"leagues", "ladder">, "limit"> & {
  /**
   * The event's ladder of private leagues, which has one order only: `sort` and `class` are not for
   * it. Default: false.
   */
  readonly event?: boolean | undefined;
  /** Ranks to fetch. Default: all that the service shows, 15 000 at most. */
  readonly count?: number | undefined;
};

/** How to fetch them. */
export interface RanksOptions {
  /** Told how many ranks there are so far, on the way through more than one page. */
  readonly onProgress?: ((ranks: number) => void) | undefined;
}

/**
 * Ranks in their order; `null` when there is no such league or ladder. `sort: "class"` is implied
 * by `class`.
 *
 * ```ts
 * import type { GameApi, GameApiError } from "@game-data/api-client";
 * import { fetchRanks, type Rank } from "@game-data/api-client/ladder";
 * import type { Effect } from "effect";
 *
 * export const allWitches: Effect.Effect<ReadonlyArray<Rank> | null, GameApiError, GameApi> = fetchRanks({
 *   league: "Standard",
 *   class: "witch",
 * });
 * ```
 */
export const fetchRanks = Effect.fn("Ladder.fetchRanks")(function* (
  { class: ofClass, count = Limits.ladderDepth, event = false, sort, ...where }: RanksRequest,
  { onProgress }: RanksOptions = {},
): Effect.fn.Return<ReadonlyArray<Rank> | null, GameApiError, GameApi> {
  const { leagues } = yield* GameApi;
  const order = ofClass === undefined ? (sort === undefined ? {} : { sort }) : byClass(ofClass);
  const page = (limit: number) =>
    event
      ? leagues.eventLadder({ ...where, limit })
      : leagues.ladder({ ...where, ...order, limit });
  if (count <= Limits.ladder.max) return (yield* page(count))?.entries ?? null;

  const entries: Stream.Stream<Rank, GameApiError> = event
    ? leagues.eventLadderEntries(where)
    : leagues.ladderEntries({ ...where, ...order });
  const ranks: Array<Rank> = [];
  yield* Stream.runForEach(Stream.take(entries, count), (rank) =>
    Effect.sync(() => {
      ranks.push(rank);
      onProgress?.(ranks.length);
    }),
  );
  // Nothing at all: is the ladder empty, or is it not there?
  if (ranks.length === 0) return (yield* page(1))?.entries ?? null;
  return ranks;
});

const byClass = (ofClass: NonNullable<RequestOf<"leagues", "ladder">["class"]>) => ({
  sort: "class" as const,
  class: ofClass,
});
