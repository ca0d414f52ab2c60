/**
 * A walk through a world: every endpoint that reads, with the names that earlier responses supply.
 * `worldCoverage.ts` counts what it meets, and tests compare that with the specification.
 */
import { requestTarget, type Route, type RouteName, routes } from "@game-data/contract/routes";
import { type Realm, REALMS } from "../src/world/Leagues.ts";

/** Asks for the body of a path. */
export type Ask = (name: RouteName, path: string, account?: string) => Promise<any>;

/** The extent of a walk. */
export interface TourSize {
  /** Default: all. */
  readonly realms?: ReadonlyArray<Realm>;
  /** Names of accounts. Default: the one that `ask` stands for. */
  readonly accounts?: ReadonlyArray<string>;
  /** Pages of each stash stream, and hours of each exchange. */
  readonly pages: number;
  /** The most things of a list that are asked for one by one. Default: all. */
  readonly most?: number;
}

type Read = (name: RouteName, request?: object) => Promise<any>;
type Some = (list: ReadonlyArray<any>) => ReadonlyArray<any>;

/** Walks. */
export const tour = async (
  ask: Ask,
  { accounts, most, pages, realms = REALMS }: TourSize,
): Promise<void> => {
  const readAs =
    (account?: string): Read =>
    (name, request = {}) =>
      ask(name, requestTarget(name, request as never), account);
  const read = readAs();
  const some: Some = (list) => list.slice(0, most);
  for (const own of accounts?.map(readAs) ?? [read]) {
    await own("profile.get");
    for (const realm of realms) await tourAccount(own, realm, some);
  }
  for (const realm of realms) {
    // No path names `pc`.
    const of = realm === "pc" ? {} : { realm };
    await tourLeagues(read, realm, some);
    await follow(read, "currencyExchange.page", of, pages);
    if (realm === "game2") continue;
    await tourMatches(read, of, some);
    await follow(read, "publicStashTabs.page", of, pages);
  }
  for (const { id } of some((await read("itemFilters.list")).filters))
    await read("itemFilters.get", { id });
};

const tourAccount = async (read: Read, realm: Realm, some: Some): Promise<void> => {
  const of = realm === "pc" ? {} : { realm };
  for (const { name } of some((await read("characters.list", of)).characters))
    await read("characters.get", { ...of, name });
  if (realm === "game2") return;
  const { leagues } = await read("accountLeagues.list", of);
  // A permanent league, the challenge league, and a private one.
  for (const { id: league } of some([leagues[0], leagues[5], leagues.at(-1)])) {
    await read("leagueAccounts.get", { ...of, league });
    for (const group of ["stashes", "guildStashes"] as const)
      for (const tab of some((await read(`${group}.list`, { ...of, league })).stashes)) {
        const at = { ...of, league, stash_id: tab.id };
        await read(`${group}.get`, at);
        for (const { id, parent } of some(tab.children ?? []))
          await read(
            `${group}.get`,
            parent === tab.id ? { ...at, substash_id: id } : { ...at, stash_id: id },
          );
      }
  }
};

const tourLeagues = async (read: Read, realm: Realm, some: Some): Promise<void> => {
  const list = async (more: object) =>
    (await read("leagues.list", { realm, limit: 50, ...more })).leagues;
  const main = await list({ type: "main" });
  const events = await list({ type: "event" });
  await list({ type: "event", offset: 50 });
  const chosen = some([...main.slice(0, 6), ...events.slice(0, 4)]);
  for (const { id: league } of chosen) await readAll(read, "/league/:league", { realm, league });
  if (realm !== "game2") await list({ type: "season", season: "Season 1" });
};

/** The operations about one thing that know its realm; of a list its first page. */
const readAll = async (read: Read, path: string, request: object): Promise<void> => {
  for (const [name, route] of Object.entries<Route>(routes)) {
    const { limit, realm } = (route.query ?? {}) as Readonly<
      Record<string, ReadonlyArray<unknown>>
    >;
    const { realm: asked = "pc" } = request as { readonly realm?: string };
    if (!route.path.startsWith(path) || realm?.includes(asked) !== true) continue;
    const page = limit && { limit: Math.min(200, Number(limit[1])) };
    await read(name as RouteName, { ...request, ...page });
  }
};

const tourMatches = async (read: Read, of: object, some: Some): Promise<void> => {
  const { matches: upcoming } = await read("pvpMatches.list", of);
  const seasonal = { ...of, type: "season", season: "Season 2" };
  const { matches: past } = await read("pvpMatches.list", seasonal);
  const weekly = [{ id: "Swiss Cup 2, week 12" }, { id: "Blitz Cup 1, week 11" }];
  for (const { id: match } of some([...past, ...weekly, ...upcoming]))
    await readAll(read, "/pvp-match/:match", { ...of, match });
};

const follow = async (read: Read, name: RouteName, of: object, pages: number): Promise<void> => {
  let next = {};
  for (let page = 0; page < pages; page++)
    next = { id: (await read(name, { ...of, ...next })).next_change_id };
};
