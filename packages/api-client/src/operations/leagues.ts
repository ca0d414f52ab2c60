/** The ranks of a ladder, as many as wanted. */
import { Limits } from "@game-data/contract/routes";
import type { Requests } from "@game-data/contract/routes";
import * as Effect from "effect/Effect";
import type { Api, EffectFace } from "../Api.ts";
import type { CallOptions } from "../CallOptions.ts";
import type { GameApiError } from "../Errors.ts";
import type { Rank, RanksOptions, RanksRequest } from "../Model.ts";
import { isLastPage } from "./paging.ts";

type LadderPage = {
  readonly total: number;
  readonly entries: ReadonlyArray<Rank>;
} | null;

/** Ranks in their order, page by page; `null` if there is no such league or ladder. */
export const fetchRanks = ({ eventLadder, ladder }: Api<EffectFace>["leagues"]) =>
  Effect.fnUntraced(function* (
    request: RanksRequest,
    { onProgress, ...options }: RanksOptions = {},
  ): Effect.fn.Return<ReadonlyArray<Rank> | null, GameApiError> {
    const { class: byClass, count = Limits.ladderDepth, event = false, sort, ...rest } = request;
    const { offset: first = 0, ...league } = rest;
    const order = byClass === undefined ? { sort } : { sort: "class" as const, class: byClass };
    const page = (offset: number, limit: number): Effect.Effect<LadderPage, GameApiError> => {
      const part = { ...league, limit, ...(offset > 0 && { offset }) };
      return event
        ? eventLadder(part, options as CallOptions)
        : ladder({ ...part, ...order } as Requests["leagues.ladder"], options as CallOptions);
    };
    const ranks: Array<Rank> = [];
    while (ranks.length < count) {
      const limit = Math.min(Limits.ladder.max, count - ranks.length);
      const offset = first + ranks.length;
      const found = yield* page(offset, limit);
      if (found === null) return ranks.length === 0 ? null : ranks;
      ranks.push(...found.entries);
      if (count > Limits.ladder.max) onProgress?.(ranks.length);
      if (isLastPage("leagues.ladder", found, offset, limit)) break;
    }
    return ranks;
  });
