/** The operations of the specification over the sandbox. */
import assert from "node:assert/strict";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { GameApi } from "../src/promise.ts";
import { failure, useSandbox } from "./sandbox.ts";

const service = useSandbox();
const operations: Array<string> = [];
let api: GameApi;
beforeAll(() => {
  api = service.open({ onResponse: ({ operation }) => operations.push(operation) });
});
afterEach(async () => {
  // Each call reached the endpoint of its own operation.
  const { entries } = await service.control("GET", "/journal");
  const endpoints = entries.map(({ endpoint }: { readonly endpoint: string }) => endpoint);
  assert.deepEqual(endpoints.toSorted(), operations.splice(0).toSorted());
  await service.control("DELETE", "/journal");
});

const gameOne = ["pc", "console_a", "console_b"] as const;
const everywhere = [...gameOne, "game2"] as const;

/** The fault that makes a 404 of an endpoint's response. */
const notFound = (body: string) => ({
  kind: "status",
  status: 404,
  headers: { "content-type": "application/json" },
  body,
});

/** Returns the first leagues of the account in each realm. */
const accountLeagues = async () => {
  const lists = gameOne.map(async (realm) =>
    (await api.accountLeagues.list({ realm })).slice(0, 2).map(({ id }) => ({ realm, league: id })),
  );
  return (await Promise.all(lists)).flat();
};

describe("account endpoints", () => {
  it("profile.get returns the bare profile [DA-07] [DA-05]", async () => {
    const { name } = service.sandbox.accounts[0]!;
    expect(await api.profile.get()).toMatchObject({ uuid: expect.any(String), name });
  });

  it("characters.list returns the characters of a realm; without one it is pc [DA-52] [DA-06]", async () => {
    const lists = await Promise.all(everywhere.map((realm) => api.characters.list({ realm })));
    expect(lists.flat().length).toBeGreaterThan(0);
    for (const [index, list] of lists.entries())
      for (const { realm } of list) expect(realm).toBe(everywhere[index]);
    expect(await api.characters.list()).toEqual(lists[0]);
  });

  it("characters.get returns a character with equipment, or null in place of one that does not exist [DA-54] [ER-06]", async () => {
    for (const realm of everywhere) {
      const [first] = await api.characters.list({ realm });
      if (first)
        expect(await api.characters.get({ realm, name: first.name })).toMatchObject({
          name: first.name,
          equipment: expect.any(Array),
        });
      expect(await api.characters.get({ realm, name: "Nobody" })).toBeNull();
    }
  });

  it("accountLeagues.list returns the account's leagues [DA-47]", async () => {
    const realms = new Set((await accountLeagues()).map(({ realm }) => realm));
    expect(realms).toEqual(new Set(gameOne));
  });

  it("stashes.list returns tabs without items; stashes.get one with items, or null [DA-57] [DA-59] [ER-07]", async () => {
    for (const where of await accountLeagues()) {
      const tab = (await api.stashes.list(where)).find(({ type }) => type !== "Folder");
      if (tab)
        expect(await api.stashes.get({ ...where, stash_id: tab.id })).toMatchObject({
          id: tab.id,
          items: expect.any(Array),
        });
      expect(await api.stashes.get({ ...where, stash_id: "0123456789" })).toBeNull();
    }
  });

  it.each(["stashes", "guildStashes"] as const)(
    "%s.get returns a sub-tab inside its parent [DA-61] [DA-64] [DA-66] [DA-67]",
    async (kind) => {
      let count = 0;
      for (const where of await accountLeagues()) {
        const tabs = await api[kind].list(where);
        const parent = tabs.find(({ children, type }) => type !== "Folder" && children?.length);
        const child = parent?.children?.[0] ?? tabs.find((tab) => tab.parent);
        const id = child?.parent ?? parent?.id;
        if (!child || !id) continue;
        count++;
        const ids = { stash_id: id, substash_id: child.id };
        const wrapped = await api[kind].get({ ...where, ...ids });
        expect(wrapped?.id).toBe(id);
        const inside = wrapped?.children?.find((tab) => tab.id === child.id);
        expect(inside?.items).toBeInstanceOf(Array);
      }
      expect(count).toBeGreaterThan(0);
    },
  );

  it("leagueAccounts.get returns allocated atlas passives [DA-62]", async () => {
    const allocated = { atlas_passive_trees: expect.any(Array) };
    for (const where of await accountLeagues())
      expect(await api.leagueAccounts.get(where)).toMatchObject(allocated);
  });
});

describe("item filters", () => {
  const body = { filter_name: "Mine", realm: "pc", filter: 'Show\n  BaseType "Coin"\n' } as const;

  it("itemFilters creates, lists, fetches and updates filters as JSON [DA-10] [DA-11] [DA-12] [DA-13] [DA-14] [DA-15]", async () => {
    const { filter_name, id } = await api.itemFilters.create(body, { validate: true });
    expect(filter_name).toBe("Mine");
    expect((await api.itemFilters.list()).map((filter) => filter.id)).toContain(id);
    expect((await api.itemFilters.get({ id })).filter).toBe(body.filter);
    const changes = { filter_name: "Yours" };
    const { filter } = await api.itemFilters.update(id, changes, { validate: true });
    expect(filter).toMatchObject({ id, filter_name: "Yours" });
  });

  it("itemFilters.update reports a filter that needs more processing as accepted [ER-03] [NS-07]", async () => {
    const { id } = await api.itemFilters.create(body);
    const update = (filter: string) => api.itemFilters.update(id, { filter }, { validate: true });
    expect(await update(body.filter)).not.toHaveProperty("error");
    expect(await update(`${body.filter}${"# long\n".repeat(40_000)}`)).toMatchObject({
      status: "accepted",
      error: { code: expect.any(Number), message: expect.any(String) },
    });
  });

  it("itemFilters.get fails for a filter that does not exist instead of returning null [NS-09]", async () => {
    const error = await failure(api.itemFilters.get({ id: "nope" }));
    expect(error).toMatchObject({ _tag: "NotFound", status: 404, code: 1, attempts: 1 });
  });
});

describe("leagues and matches", () => {
  it("leagues.list and leagues.get work in every realm; a league that does not exist is null [DA-24] [DA-30] [ER-04] [NS-28]", async () => {
    for (const realm of everywhere) {
      const [league, ...others] = await api.leagues.list({ realm, limit: 5 });
      expect(others.length).toBeLessThan(5);
      const { id = "" } = league ?? {};
      expect(await api.leagues.get({ realm, league: id })).toMatchObject({ id });
      expect(await api.leagues.get({ realm, league: "No such league" })).toBeNull();
    }
    await service.fault("leagues", notFound('{"league":null}'));
    expect(await api.leagues.get({ league: "No such league" })).toBeNull();
  });

  it("leagues.ladder returns entries by limit and offset, and none beyond 15,000 [DA-31] [DA-38] [ER-10]", async () => {
    const leagues = await api.leagues.list();
    const league = leagues.find(({ event }) => event !== true)?.id ?? "";
    const page = await api.leagues.ladder({ league, limit: 3, offset: 2 });
    expect(page?.entries.map(({ rank }) => rank)).toEqual([3, 4, 5]);
    expect(page?.total).toBeGreaterThanOrEqual(5);
    expect((await api.leagues.ladder({ league, offset: 15_000 }))?.entries).toEqual([]);
    const [event] = await api.leagues.list({ type: "event" });
    const events = await api.leagues.eventLadder({ league: event?.id ?? league, limit: 5 });
    expect(events?.entries.length).toBeLessThanOrEqual(5);
    expect(events?.total).toBeTypeOf("number");
  });

  it("pvpMatches lists matches and returns one match and its ladder [DA-41] [DA-44] [DA-45] [ER-05]", async () => {
    let count = 0;
    for (const realm of gameOne) {
      for (const { id } of await api.pvpMatches.list({ realm })) {
        count++;
        expect(await api.pvpMatches.get({ realm, match: id })).toMatchObject({ id });
        const ladder = await api.pvpMatches.ladder({ realm, match: id, limit: 2 });
        expect(ladder?.entries.length).toBeLessThanOrEqual(2);
      }
      expect(await api.pvpMatches.get({ realm, match: "No such match" })).toBeNull();
    }
    expect(count).toBeGreaterThan(0);
  });
});

describe("streams", () => {
  it("publicStashTabs.page continues with next_change_id, in every realm [ST-01] [ST-04]", async () => {
    for (const where of [{}, { realm: "console_a" }, { realm: "console_b" }] as const) {
      const first = await api.publicStashTabs.page(where);
      expect(first.stashes.length).toBeGreaterThan(0);
      const second = await api.publicStashTabs.page({ ...where, id: first.next_change_id });
      expect(second.next_change_id).not.toBe(first.next_change_id);
    }
  });

  it("currencyExchange.page returns an hour of trades and the id of the next hour [CX-01]", async () => {
    for (const realm of everywhere) {
      const where = realm === "pc" ? {} : { realm };
      const first = await api.currencyExchange.page(where);
      expect(first.next_change_id % 3600).toBe(0);
      const second = await api.currencyExchange.page({ ...where, id: first.next_change_id });
      expect(second.next_change_id).toBeGreaterThan(first.next_change_id);
    }
  });

  it("currencyExchange.page returns the current hour, although its status may be 404", async () => {
    const body = '{"next_change_id":1800000000,"markets":[]}';
    await service.fault("currencyExchange", notFound(body));
    const page = { next_change_id: 1_800_000_000, markets: [] };
    expect(await api.currencyExchange.page()).toEqual(page);
  });
});
