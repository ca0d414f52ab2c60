/** Leagues and their ladders. */
import type { EventLadder, Ladder } from "@game-data/contract";
import { Limits } from "@game-data/contract/routes";
import type { Requests } from "@game-data/contract/routes";
import type { League } from "@game-data/schemas";
import * as Effect from "effect/Effect";
import type { CallOptions } from "../CallOptions.ts";
import type { GameApiError } from "../Errors.ts";
import type { GameApiService } from "../GameApiService.ts";
import type { Rank, RanksOptions, RanksRequest } from "../Model.ts";
import { call, type Client } from "./Client.ts";
import { isLastPage } from "./ladderPage.ts";

const list = {
  name: "leagues.list",
  pick: (body: { leagues: ReadonlyArray<League> }) => body.leagues,
} as const;

const get = {
  name: "leagues.get",
  pick: (body: { league: League | null }) => body.league,
  isNullable: true,
} as const;

const ladderPage = { name: "leagues.ladder", pick: (body: Ladder) => body.league } as const;

const eventLadderPage = {
  name: "leagues.eventLadder",
  pick: (body: EventLadder) => body.league,
} as const;

export const leagues = (client: Client): GameApiService["leagues"] => {
  const methods: Omit<GameApiService["leagues"], "ranks"> = {
    list: (request, options) => call(client, list, request ?? {}, options),
    get: (request, options) => call(client, get, request, options),
    ladder: (request, options) => call(client, ladderPage, request, options),
    eventLadder: (request, options) => call(client, eventLadderPage, request, options),
  };
  return { ...methods, ranks: fetchRanks(methods) };
};

type LadderPage = {
  readonly total: number;
  readonly entries: ReadonlyArray<Rank>;
} | null;

/** Ranks in their order, page by page; `null` if there is no such league or ladder. */
const fetchRanks = ({ eventLadder, ladder }: Omit<GameApiService["leagues"], "ranks">) =>
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
      if (isLastPage(found, offset, limit)) break;
    }
    return ranks;
  });
