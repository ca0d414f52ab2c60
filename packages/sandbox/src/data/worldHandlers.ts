/**
 * Handlers of every data endpoint that reads the world (§4.2).
 *
 * An object that does not exist is `null` with status 200 (§7), and so is its ladder. A list cannot
 * be null, so a league that does not exist is 404 there (`docs/choices.md`).
 */
import { type PagedName, pageLimit, type RouteName } from "@game-data/contract/routes";
import type { Accounts } from "../clients/Clients.ts";
import { dataFailure } from "../http/errors.ts";
import { cachedSince, type LadderOrder, type LadderSort, type Window } from "../world/Ladders.ts";
import type { GameOneRealm, Realm, WorldLeague } from "../world/Leagues.ts";
import type { WorldMatch } from "../world/Matches.ts";
import type { StashPlace, WorldModel } from "../world/WorldModel.ts";
import type { DataHandler, DataHandlers, DataRequest, Parameters } from "./answerData.ts";
import type { FilterHandlers } from "./filterHandlers.ts";

type HandlersOf<Group extends string> = Pick<DataHandlers, RouteName & `${Group}.${string}`>;

/** Returns the realm of a path or a query. Default: `pc` (§4.2). */
const realmOf = <R extends Realm = GameOneRealm>({ params, query }: DataRequest): R =>
  (params["realm"] ?? query["realm"] ?? "pc") as R;

const text = (parameters: Parameters, name: string): string => String(parameters[name]);

const windowOf = ({ query }: DataRequest, name: PagedName): Window => ({
  limit: Number(query["limit"] ?? pageLimit(name).default),
  offset: Number(query["offset"] ?? 0),
});

/** Makes the handlers of all operations but those on item filters (see `filterHandlers`). */
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
    const { livestream, locale } = accounts.byUuid(sub)!;
    const { username: name } = exchange.credentials.identity!;
    return {
      value: {
        uuid: sub,
        name,
        ...(locale !== null && { locale }),
        ...(livestream !== null && { livestream: { name: livestream } }),
      },
    };
  },
  "accountLeagues.list": (request) => {
    const leagues = world.accountLeagues(request.sub, realmOf(request));
    return { value: { leagues: leagues.map(({ record }) => record) } };
  },
  "characters.list": (request) => ({
    value: { characters: world.characters(request.sub, realmOf<Realm>(request)) },
  }),
  "characters.get": (request) => {
    const { params, sub } = request;
    const character = world.character(sub, realmOf<Realm>(request), text(params, "name"));
    return { value: { character: character ?? null } };
  },
  "leagueAccounts.get": inLeague(world, (place) => ({
    league_account: world.leagueAccount(place),
  })),
});

/** Makes a handler of an account's data in a league. An unknown league is 404. */
const inLeague =
  (world: WorldModel, read: (place: StashPlace) => object): DataHandler =>
  (request) => {
    const place = placeOf(request);
    const { account, league, realm } = place;
    return world.hasLeague(account, realm, league)
      ? { value: read(place) }
      : dataFailure("ResourceNotFound", `No league "${league}" for this account.`);
  };

const placeOf = (request: DataRequest): StashPlace => ({
  account: request.sub,
  realm: realmOf(request),
  league: text(request.params, "league"),
});

/** Makes the handlers of the tabs of an account or its guild: all of a league, and one. */
const tabHandlers = <const Group extends "stashes" | "guildStashes">(
  world: WorldModel,
  list: Group,
  get: "stash" | "guildStash",
): HandlersOf<Group> => {
  const one: DataHandler = (request) => {
    const substash = request.params["substash_id"] as string | undefined;
    const stash = world[get](placeOf(request), text(request.params, "stash_id"), substash);
    return { value: { stash: stash ?? null } };
  };
  const all = inLeague(world, (place) => ({ stashes: world[list](place) }));
  return { [`${list}.list`]: all, [`${list}.get`]: one } as HandlersOf<Group>;
};

const leagueHandlers = (world: WorldModel): HandlersOf<"leagues"> => {
  const find = (request: DataRequest): WorldLeague | undefined =>
    world.league(realmOf<Realm>(request), text(request.params, "league"));
  return {
    "leagues.list": (request) => {
      const { season, type = "main" } = request.query;
      const realm = realmOf<Realm>(request);
      if (type === "season" && realm === "game2")
        return dataFailure("InvalidQuery", "Type season belongs to game 1.");
      const { limit, offset } = windowOf(request, "leagues.list");
      const leagues = world
        .leagues(realm)
        .filter(({ list }) => list === type)
        .filter(({ record }) => type !== "season" || record.category?.id === season)
        .map(({ record }) => record);
      return { value: { leagues: leagues.slice(offset, offset + limit) } };
    },
    "leagues.get": (request) => ({ value: { league: find(request)?.record ?? null } }),
    "leagues.ladder": (request) => {
      const league = find(request);
      if (league === undefined) return { value: { league: null } };
      const { query } = request;
      const sort = (query["sort"] ?? defaultSort(league)) as LadderSort | "class";
      const order: LadderOrder = sort === "class" ? { class: text(query, "class") } : sort;
      const window = windowOf(request, "leagues.ladder");
      const { entries, total } = world.ladders.page(league, realmOf(request), order, window);
      return { value: { league: { total, cached_since: cachedSince(world.now()), entries } } };
    },
    "leagues.eventLadder": (request) => {
      const league = find(request);
      const window = windowOf(request, "leagues.eventLadder");
      const ladder = league && world.ladders.eventPage(league, realmOf(request), window);
      return { value: { league: ladder ?? null } };
    },
  };
};

/** Returns the default sort of a league's ladder: `time` for a timed event, else `xp` (§4.2). */
const defaultSort = ({ record }: WorldLeague): LadderSort => (record.timedEvent ? "time" : "xp");

const matchHandlers = (world: WorldModel): HandlersOf<"pvpMatches"> => {
  const find = (request: DataRequest): WorldMatch | undefined =>
    world.matches(realmOf(request)).find(({ record }) => record.id === request.params["match"]);
  return {
    "pvpMatches.list": (request) => {
      const { league, season, type = "upcoming" } = request.query;
      const matches = world.matches(realmOf(request)).filter((match) => {
        if (type === "season") return match.season === season;
        return type === "league" ? match.league === league : match.record.upcoming === true;
      });
      return { value: { matches: matches.map(({ record }) => record) } };
    },
    "pvpMatches.get": (request) => ({ value: { match: find(request)?.record ?? null } }),
    "pvpMatches.ladder": (request) => {
      const match = find(request);
      const window = windowOf(request, "pvpMatches.ladder");
      const ladder = match && world.matchLadder(match, realmOf(request), window);
      return { value: { match: ladder ?? null } };
    },
  };
};

const streamHandlers = (world: WorldModel): HandlersOf<"currencyExchange" | "publicStashTabs"> => ({
  "publicStashTabs.page": (request) => {
    const { facts, now } = request.exchange;
    const realm = realmOf(request);
    const stream = world.stream(realm);
    const id = request.query["id"] as string | undefined;
    facts.cursor = `${realm}/${id ?? ""}`;
    const position = stream.position(id, now);
    if (position === undefined) {
      const reason = "The id was not received from this endpoint.";
      return dataFailure("InvalidQuery", reason);
    }
    // Use positions, which the journal only compares, instead of change ids. Computing a change id
    // would cost more than all other facts.
    const placeAt = (at: number) => `${realm}@${at}`;
    if (id !== undefined) facts.cursor = placeAt(position);
    const end = stream.endOf(position, now);
    facts.nextCursor = placeAt(end);
    facts.isEmpty = end === position;
    // A full page never changes, so it can be cached.
    return stream.isFull(position, now)
      ? { cacheKey: `stream/${realm}/${position}`, make: () => stream.page(position, now) }
      : { value: stream.page(position, now) };
  },

  "currencyExchange.page": (request) => {
    const { facts } = request.exchange;
    const realm = realmOf<Realm>(request);
    const id = request.params["id"] as number | undefined;
    facts.cursor = `exchange/${realm}/${String(id ?? "")}`;
    const hour = world.exchange.answer(realm, id, world.now());
    if (hour === undefined) return dataFailure("ResourceNotFound", `No hour ${String(id)}.`);
    facts.nextCursor = `exchange/${realm}/${hour.nextChangeId}`;
    facts.isEmpty = hour.nextChangeId === id;
    return { value: { next_change_id: hour.nextChangeId, markets: hour.markets } };
  },
});
