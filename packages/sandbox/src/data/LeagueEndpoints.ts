/**
 * Leagues, PvP matches and the ladders of both (§4.2).
 *
 * A league or match that does not exist is `null` with status 200 (§7), where its ladder is asked
 * for as well.
 */
import { DataApi, InvalidQueryError, Limits, QueryDefaults } from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import { cachedSince, type LadderSort, type Window } from "../world/Ladders.ts";
import type { WorldLeague } from "../world/Leagues.ts";
import type { WorldMatch } from "../world/Matches.ts";
import type { Realm } from "../world/Realm.ts";
import { World } from "../world/World.ts";
import type { GameOneRealm } from "../world/WorldModel.ts";
import { Responses } from "./Responses.ts";

interface Paged {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const windowOf = (query: Paged, limits: { readonly default: number }): Window => ({
  limit: query.limit ?? limits.default,
  offset: query.offset ?? QueryDefaults.offset,
});

/** `GET /league…` */
export const LeagueEndpoints = HttpApiBuilder.group(DataApi, "leagues", (handlers) =>
  Effect.gen(function* () {
    const world = yield* World;
    const { answer, captureOr } = yield* Responses;
    return handlers
      .handle(
        "list",
        captureOr(({ query }) =>
          Effect.gen(function* () {
            const realm: Realm = query.realm ?? QueryDefaults.realm;
            const type = query.type ?? QueryDefaults.leagueType;
            if (type === "season" && realm === "game2") {
              return yield* InvalidQueryError.because("Type season belongs to game 1.");
            }
            const { limit, offset } = windowOf(query, Limits.leagues);
            return yield* answer(() => ({
              leagues: world
                .leagues(realm)
                .filter(
                  (one) => one.list === type && (type !== "season" || one.season === query.season),
                )
                .slice(offset, offset + limit)
                .map((one) => one.record),
            }));
          }),
        ),
      )
      .handle(
        "get",
        captureOr(({ params, query }) =>
          answer(() => ({
            league: world.league(query.realm ?? QueryDefaults.realm, params.league)?.record ?? null,
          })),
        ),
      )
      .handle(
        "ladder",
        captureOr(({ params, query }) =>
          answer(() => {
            const realm = query.realm ?? QueryDefaults.realm;
            const league = world.league(realm, params.league);
            if (league === undefined) return { league: null };
            const sort: LadderSort = query.sort ?? defaultSort(league);
            const window = windowOf(query, Limits.ladder);
            const className = sort === "class" ? query.class : undefined;
            const { total, entries } = world.ladders.page(league, realm, sort, window, className);
            return { league: { total, cached_since: cachedSince(world.now()), entries } };
          }),
        ),
      )
      .handle(
        "eventLadder",
        captureOr(({ params, query }) =>
          answer(() => {
            const realm = query.realm ?? QueryDefaults.realm;
            const league = world.league(realm, params.league);
            if (league === undefined) return { league: null };
            const window = windowOf(query, Limits.eventLadder);
            return { league: world.ladders.eventPage(league, realm, window) };
          }),
        ),
      );
  }),
);

/** §4.2: the default sort is `xp` or `time`, depending on the league. */
const defaultSort = (league: WorldLeague): LadderSort => (league.ladder === "time" ? "time" : "xp");

/** `GET /pvp-match…` */
export const MatchEndpoints = HttpApiBuilder.group(DataApi, "pvpMatches", (handlers) =>
  Effect.gen(function* () {
    const world = yield* World;
    const { answer, captureOr } = yield* Responses;
    const find = (realm: GameOneRealm, name: string): WorldMatch | undefined =>
      world.matches(realm).find((one) => one.record.id === name);
    return handlers
      .handle(
        "list",
        captureOr(({ query }) =>
          answer(() => ({
            matches: world
              .matches(query.realm ?? QueryDefaults.realm)
              .filter((one) => {
                const type = query.type ?? QueryDefaults.matchType;
                if (type === "season") return one.season === query.season;
                if (type === "league") return one.league === query.league;
                return one.record.upcoming === true;
              })
              .map((one) => one.record),
          })),
        ),
      )
      .handle(
        "get",
        captureOr(({ params, query }) =>
          answer(() => ({
            match: find(query.realm ?? QueryDefaults.realm, params.match)?.record ?? null,
          })),
        ),
      )
      .handle(
        "ladder",
        captureOr(({ params, query }) =>
          answer(() => {
            const realm = query.realm ?? QueryDefaults.realm;
            const match = find(realm, params.match);
            if (match === undefined) return { match: null };
            return { match: world.matchLadder(match, realm, windowOf(query, Limits.pvpLadder)) };
          }),
        ),
      );
  }),
);
