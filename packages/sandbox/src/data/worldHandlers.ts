/**
 * Handlers of every data endpoint that reads the world (§4.2).
 *
 * An object that does not exist is `null` with status 200 (§7), where its ladder is asked for as
 * well. A list cannot be null, so a league that does not exist is 404 there (`docs/choices.md`).
 */
import type { Accounts } from "../clients/Accounts.ts";
import { pageLimit, type PagedName } from "@game-data/contract/routes";
import { ErrorCode, type RouteName } from "../contract.ts";
import { dataFailure } from "../http/errors.ts";
import { cachedSince, type LadderOrder, type LadderSort, type Window } from "../world/Ladders.ts";
import type { GameOneRealm, Realm, WorldLeague } from "../world/Leagues.ts";
import type { WorldMatch } from "../world/Matches.ts";
import type { WorldModel } from "../world/WorldModel.ts";
import type { DataHandler, DataHandlers } from "./answerData.ts";
import type { FilterHandlers } from "./filterHandlers.ts";
import type { Parameters } from "./parameters.ts";

/** The realm of a path or a query: left out, it is `pc` (§4.2). */
const realmOf = <R extends Realm>(parameters: Parameters): R => (parameters["realm"] ?? "pc") as R;

const windowOf = (query: Parameters, name: PagedName): Window => ({
  limit: Number(query["limit"] ?? pageLimit(name).default),
  offset: Number(query["offset"] ?? 0),
});

type HandlersOf<Group extends string> = Pick<DataHandlers, RouteName & `${Group}.${string}`>;

/** Builds the handlers; operations on item filters are handled by `filterHandlers`. */
export const worldHandlers = (
  world: WorldModel,
  accounts: Accounts,
): Omit<DataHandlers, keyof FilterHandlers> => ({
  ...accountHandlers(world, accounts),
  ...tabHandlers(world, "stashes", "stash"),
  ...tabHandlers(world, "guildStashes", "guildStash"),
  ...leagueHandlers(world),
  ...matchHandlers(world),
  ...streamHandlers(world),
});

const accountHandlers = (
  world: WorldModel,
  accounts: Accounts,
): HandlersOf<"accountLeagues" | "characters" | "leagueAccounts" | "profile"> => ({
  "profile.get": ({ exchange, sub }) => {
    const account = accounts.byUuid(sub)!;
    return {
      value: {
        uuid: sub,
        name: exchange.credentials.identity!.username,
        ...(account.locale != null && { locale: account.locale }),
        ...(account.livestream != null && { livestream: { name: account.livestream } }),
      },
    };
  },

  "accountLeagues.list": ({ params, sub }) => ({
    value: {
      leagues: world.accountLeagues(sub, realmOf<GameOneRealm>(params)).map(({ record }) => record),
    },
  }),

  "characters.list": ({ params, sub }) => ({
    value: { characters: world.characters(sub, realmOf(params)) },
  }),
  "characters.get": ({ params, sub }) => ({
    value: { character: world.character(sub, realmOf(params), text(params, "name")) ?? null },
  }),

  "leagueAccounts.get": ({ params, sub }) => {
    const realm = realmOf<GameOneRealm>(params);
    const league = text(params, "league");
    if (!world.hasLeague(sub, realm, league)) return noLeague(league);
    return { value: { league_account: world.leagueAccount({ account: sub, realm, league }) } };
  },
});

const leagueHandlers = (world: WorldModel): HandlersOf<"leagues"> => ({
  "leagues.list": ({ query }) => {
    const realm = realmOf(query);
    const type = query["type"] ?? "main";
    if (type === "season" && realm === "game2")
      return dataFailure(400, ErrorCode.InvalidQuery, "Type season belongs to game 1.");
    const { limit, offset } = windowOf(query, "leagues.list");
    return {
      value: {
        leagues: world
          .leagues(realm)
          .filter(
            ({ list, record }) =>
              list === type && (type !== "season" || record.category?.id === query["season"]),
          )
          .slice(offset, offset + limit)
          .map(({ record }) => record),
      },
    };
  },
  "leagues.get": ({ params, query }) => ({
    value: { league: world.league(realmOf(query), text(params, "league"))?.record ?? null },
  }),
  "leagues.ladder": ({ params, query }) => {
    const realm = realmOf<GameOneRealm>(query);
    const league = world.league(realm, text(params, "league"));
    if (league === undefined) return { value: { league: null } };
    const sort = (query["sort"] ?? defaultSort(league)) as LadderSort | "class";
    const order: LadderOrder = sort === "class" ? { class: text(query, "class") } : sort;
    const window = windowOf(query, "leagues.ladder");
    const { entries, total } = world.ladders.page(league, realm, order, window);
    return { value: { league: { total, cached_since: cachedSince(world.now()), entries } } };
  },
  "leagues.eventLadder": ({ params, query }) => {
    const realm = realmOf<GameOneRealm>(query);
    const league = world.league(realm, text(params, "league"));
    if (league === undefined) return { value: { league: null } };
    const window = windowOf(query, "leagues.eventLadder");
    return { value: { league: world.ladders.eventPage(league, realm, window) } };
  },
});

const matchHandlers = (world: WorldModel): HandlersOf<"pvpMatches"> => ({
  "pvpMatches.list": ({ query }) => {
    const type = query["type"] ?? "upcoming";
    return {
      value: {
        matches: world
          .matches(realmOf<GameOneRealm>(query))
          .filter((one) => {
            if (type === "season") return one.season === query["season"];
            if (type === "league") return one.league === query["league"];
            return one.record.upcoming === true;
          })
          .map(({ record }) => record),
      },
    };
  },
  "pvpMatches.get": ({ params, query }) => ({
    value: { match: findMatch(world, params, query)?.record ?? null },
  }),
  "pvpMatches.ladder": ({ params, query }) => {
    const match = findMatch(world, params, query);
    if (match === undefined) return { value: { match: null } };
    const window = windowOf(query, "pvpMatches.ladder");
    return { value: { match: world.matchLadder(match, realmOf<GameOneRealm>(query), window) } };
  },
});

const streamHandlers = (world: WorldModel): HandlersOf<"currencyExchange" | "publicStashTabs"> => ({
  "publicStashTabs.page": ({ exchange, params, query }) => {
    const realm = realmOf<GameOneRealm>(params);
    const stream = world.stream(realm);
    const id = query["id"] as string | undefined;
    const { facts, now } = exchange;
    facts.cursor = `${realm}/${id ?? ""}`;
    const position = stream.position(id, now);
    if (position === undefined)
      return dataFailure(
        400,
        ErrorCode.InvalidQuery,
        "The id was not received from this endpoint.",
      );
    if (exchange.method === "HEAD") return { value: undefined };
    // The journal compares places: writing the id of one costs more than all other facts.
    const placeOf = (at: number) => `${realm}@${at}`;
    if (id !== undefined) facts.cursor = placeOf(position);
    // A full page never changes: no edit shows in the stream. Its facts need no page.
    if (stream.isFull(position, now)) {
      facts.nextCursor = placeOf(stream.endOf(position, now));
      facts.isEmpty = false;
      return { cacheKey: `stream/${realm}/${position}`, make: () => stream.page(position, now) };
    }
    const page = stream.page(position, now);
    facts.nextCursor = placeOf(stream.endOf(position, now));
    facts.isEmpty = page.stashes.length === 0;
    return { value: page };
  },

  "currencyExchange.page": ({ exchange, params }) => {
    const realm = realmOf(params);
    const id = params["id"] as number | undefined;
    const { facts } = exchange;
    facts.cursor = `exchange/${realm}/${String(id ?? "")}`;
    const found = world.exchange.answer(realm, id, world.now());
    if (found === undefined)
      return dataFailure(404, ErrorCode.ResourceNotFound, `No hour ${String(id)}.`);
    facts.nextCursor = `exchange/${realm}/${found.nextChangeId}`;
    facts.isEmpty = found.nextChangeId === id;
    return { value: { next_change_id: found.nextChangeId, markets: found.markets } };
  },
});

const text = (parameters: Parameters, name: string): string => String(parameters[name]);

/** The two questions about tabs, of an account or of its guild: all of a league, and one. */
const tabHandlers = <const Group extends "stashes" | "guildStashes">(
  world: WorldModel,
  list: Group,
  get: "stash" | "guildStash",
): HandlersOf<Group> => {
  const all: DataHandler = ({ params, sub }) => {
    const realm = realmOf<GameOneRealm>(params);
    const league = text(params, "league");
    if (!world.hasLeague(sub, realm, league)) return noLeague(league);
    return { value: { stashes: world[list]({ account: sub, realm, league }) } };
  };
  const one: DataHandler = ({ params, sub }) => {
    const realm = realmOf<GameOneRealm>(params);
    const substash = params["substash_id"] as string | undefined;
    const place = { account: sub, realm, league: text(params, "league") };
    const stash = world[get](place, text(params, "stash_id"), substash);
    return { value: { stash: stash ?? null } };
  };
  return { [`${list}.list`]: all, [`${list}.get`]: one } as HandlersOf<Group>;
};

const noLeague = (league: string) =>
  dataFailure(404, ErrorCode.ResourceNotFound, `No league "${league}" for this account.`);

/** §4.2: the default sort is `xp` or `time`, depending on the league. */
const defaultSort = ({ record }: WorldLeague): LadderSort => (record.timedEvent ? "time" : "xp");

const findMatch = (
  world: WorldModel,
  params: Parameters,
  query: Parameters,
): WorldMatch | undefined =>
  world
    .matches(realmOf<GameOneRealm>(query))
    .find(({ record }) => record.id === text(params, "match"));
