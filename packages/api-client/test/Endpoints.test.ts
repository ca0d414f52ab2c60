import { describe, expect, it } from "vitest";
import { lastResponse, useSandbox } from "./sandbox.ts";

const service = useSandbox();
const { call } = service;

const gameOne = ["pc", "console_a", "console_b"] as const;
const everywhere = [...gameOne, "game2"] as const;

describe("account endpoints", () => {
  it("profile.get returns the bare profile [DA-07] [DA-05]", async () => {
    const profile = await call((api) => api.profile.get());
    expect(profile).toMatchObject({
      uuid: expect.any(String),
      name: service.sandbox.accounts[0]?.name,
    });
  });

  it("characters.list returns the characters of a realm; without one it is pc [DA-52] [DA-06]", async () => {
    const counts: Array<number> = [];
    for (const realm of everywhere) {
      const characters = await call((api) => api.characters.list({ realm }));
      counts.push(characters.length);
      for (const character of characters) expect(character.name).not.toBe("");
    }
    expect(counts.some((count) => count > 0)).toBe(true);
    const [omitted, said] = await Promise.all([
      call((api) => api.characters.list()),
      call((api) => api.characters.list({ realm: "pc" })),
    ]);
    expect(omitted).toEqual(said);
  });

  it("characters.get returns a character with equipment, or null in place of one that does not exist [DA-54] [ER-06]", async () => {
    for (const realm of everywhere) {
      const [first] = await call((api) => api.characters.list({ realm }));
      if (first) {
        const character = await call((api) => api.characters.get({ realm, name: first.name }));
        expect(character).toMatchObject({ name: first.name, equipment: expect.any(Array) });
      }
      expect(await call((api) => api.characters.get({ realm, name: "Nobody" }))).toBeNull();
    }
  });

  it("a name that looks like a realm reaches the character all the same [NS-26]", async () => {
    const response = await lastResponse((onResponse) =>
      call((api) => api.characters.get({ name: "console_a" }, { onResponse })),
    );
    expect(response?.status).toBe(200);
    expect(await call((api) => api.characters.get({ name: "console_a" }))).toBeNull();
  });

  it("accountLeagues.list returns the account's leagues [DA-47]", async () => {
    for (const realm of gameOne) {
      const leagues = await call((api) => api.accountLeagues.list({ realm }));
      expect(leagues.length).toBeGreaterThan(0);
    }
  });

  it("stashes.list and stashes.get return tabs without and with items, null where there is none [DA-57] [DA-59] [ER-07]", async () => {
    for (const realm of gameOne) {
      const [league] = await call((api) => api.accountLeagues.list({ realm }));
      if (!league) continue;
      const stashes = await call((api) => api.stashes.list({ realm, league: league.id }));
      const tab = stashes.find(({ type }) => type !== "Folder");
      if (tab) {
        const whole = await call((api) =>
          api.stashes.get({ realm, league: league.id, stash_id: tab.id }),
        );
        expect(whole?.id).toBe(tab.id);
        expect(whole?.items).toBeInstanceOf(Array);
      }
      expect(
        await call((api) => api.stashes.get({ realm, league: league.id, stash_id: "0123456789" })),
      ).toBeNull();
    }
  });

  it.each(["stashes", "guildStashes"] as const)(
    "%s.get: a sub-tab comes wrapped by its parent [DA-61] [DA-64] [DA-66] [DA-67]",
    async (kind) => {
      let found = 0;
      for (const realm of gameOne) {
        for (const league of await call((api) => api.accountLeagues.list({ realm }))) {
          const tabs = await call((api) => api[kind].list({ realm, league: league.id }));
          const parent = tabs.find(
            (tab) => tab.type !== "Folder" && (tab.children?.length ?? 0) > 0,
          );
          const child = parent?.children?.[0] ?? tabs.find((tab) => tab.parent);
          const parentId = child?.parent ?? parent?.id;
          if (!child || !parentId) continue;
          found++;
          const wrapped = await call((api) =>
            api[kind].get({ realm, league: league.id, stash_id: parentId, substash_id: child.id }),
          );
          expect(wrapped?.id).toBe(parentId);
          expect(wrapped?.children?.map(({ id }) => id)).toContain(child.id);
        }
      }
      expect(found).toBeGreaterThan(0);
    },
  );

  it("leagueAccounts.get returns allocated atlas passives [DA-62]", async () => {
    for (const realm of gameOne) {
      const [league] = await call((api) => api.accountLeagues.list({ realm }));
      if (!league) continue;
      const account = await call((api) => api.leagueAccounts.get({ realm, league: league.id }));
      expect(account).toBeTypeOf("object");
    }
  });
});

describe("item filters", () => {
  const body = { filter_name: "Mine", realm: "pc", filter: 'Show\n  BaseType "Coin"\n' } as const;

  it("are created, listed, fetched and updated, as JSON [DA-10] [DA-11] [DA-12] [DA-13] [DA-14] [DA-15]", async () => {
    const created = await call((api) => api.itemFilters.create(body, { validate: true }));
    expect(created).toMatchObject({ filter_name: "Mine" });
    const list = await call((api) => api.itemFilters.list());
    expect(list.map(({ id }) => id)).toContain(created.id);
    const fetched = await call((api) => api.itemFilters.get({ id: created.id }));
    expect(fetched.filter).toBe(body.filter);
    const outcome = await call((api) =>
      api.itemFilters.update(created.id, { filter_name: "Yours" }, { validate: true }),
    );
    expect(outcome.filter).toMatchObject({ id: created.id, filter_name: "Yours" });
  });

  it("an update that needs more processing says so [ER-03] [NS-07]", async () => {
    const created = await call((api) => api.itemFilters.create(body));
    const outcomes = [];
    for (const filter of [body.filter, `${body.filter}${"# long\n".repeat(40_000)}`]) {
      outcomes.push(
        await call((api) => api.itemFilters.update(created.id, { filter }, { validate: true })),
      );
    }
    for (const outcome of outcomes) {
      if (outcome.status === "accepted") {
        expect(outcome.error).toMatchObject({
          code: expect.any(Number),
          message: expect.any(String),
        });
      } else expect(outcome).not.toHaveProperty("error");
    }
    expect(outcomes.map(({ status }) => status)).toContain("accepted");
  });

  it("one that does not exist is an error, not null [NS-09]", async () => {
    const error = await service.failure((api) => api.itemFilters.get({ id: "nope" }));
    expect(error).toMatchObject({ _tag: "NotFound", status: 404, code: 1, attempts: 1 });
  });
});

describe("leagues and matches", () => {
  it("leagues.list and leagues.get, in every realm; null in place of one that does not exist [DA-24] [DA-30] [ER-04] [NS-28]", async () => {
    for (const realm of everywhere) {
      const leagues = await call((api) => api.leagues.list({ realm, limit: 5 }));
      const [first] = leagues;
      expect(leagues.length).toBeLessThanOrEqual(5);
      if (first) {
        expect(await call((api) => api.leagues.get({ realm, league: first.id }))).toMatchObject({
          id: first.id,
        });
      }
      expect(await call((api) => api.leagues.get({ realm, league: "No such league" }))).toBeNull();
    }
    const response = await lastResponse((onResponse) =>
      call((api) => api.leagues.get({ league: "No such league" }, { onResponse })),
    );
    expect([200, 404]).toContain(response?.status);
  });

  it("ladders come by limit and offset, and are empty beyond 15 000 entries [DA-31] [DA-38] [ER-10]", async () => {
    const leagues = await call((api) => api.leagues.list());
    const league = leagues.find(({ event }) => event !== true)?.id ?? "";
    const page = await call((api) => api.leagues.ladder({ league, limit: 3, offset: 2 }));
    expect(page?.entries.map(({ rank }) => rank)).toEqual([3, 4, 5]);
    expect(page?.total).toBeGreaterThanOrEqual(5);
    const beyond = await call((api) => api.leagues.ladder({ league, offset: 15_000 }));
    expect(beyond?.entries).toEqual([]);
    const [event] = await call((api) => api.leagues.list({ type: "event" }));
    const events = await call((api) =>
      api.leagues.eventLadder({ league: event?.id ?? league, limit: 5 }),
    );
    expect(events?.entries.length).toBeLessThanOrEqual(5);
    expect(events?.total).toBeTypeOf("number");
  });

  it("pvpMatches, one match and its ladder [DA-41] [DA-44] [DA-45] [ER-05]", async () => {
    let found = 0;
    for (const realm of gameOne) {
      for (const match of await call((api) => api.pvpMatches.list({ realm }))) {
        found++;
        expect(await call((api) => api.pvpMatches.get({ realm, match: match.id }))).toMatchObject({
          id: match.id,
        });
        const ladder = await call((api) =>
          api.pvpMatches.ladder({ realm, match: match.id, limit: 2 }),
        );
        expect(ladder?.entries.length).toBeLessThanOrEqual(2);
      }
      expect(await call((api) => api.pvpMatches.get({ realm, match: "No such match" }))).toBeNull();
    }
    expect(found).toBeGreaterThan(0);
  });
});

describe("streams", () => {
  it("publicStashTabs.page continues with next_change_id, in every realm [ST-01] [ST-04]", async () => {
    for (const realm of [undefined, "console_a", "console_b"] as const) {
      const where = realm === undefined ? {} : { realm };
      const first = await call((api) => api.publicStashTabs.page(where));
      expect(first.stashes.length).toBeGreaterThan(0);
      const second = await call((api) =>
        api.publicStashTabs.page({ ...where, id: first.next_change_id }),
      );
      expect(second.next_change_id).not.toBe(first.next_change_id);
    }
  });

  it("currencyExchange.page returns an hour and the next one's id [CX-01]", async () => {
    for (const realm of everywhere) {
      const where = realm === "pc" ? {} : { realm };
      const first = await call((api) => api.currencyExchange.page(where));
      expect(first.next_change_id % 3600).toBe(0);
      const second = await call((api) =>
        api.currencyExchange.page({ ...where, id: first.next_change_id }),
      );
      expect(second.next_change_id).toBeGreaterThan(first.next_change_id);
    }
  });

  it("the exchange's current hour is an answer, though it may come as 404", async () => {
    await service.fault("currencyExchange", {
      kind: "status",
      status: 404,
      headers: { "content-type": "application/json" },
      body: '{"next_change_id":1800000000,"markets":[]}',
    });
    const page = await call((api) => api.currencyExchange.page());
    expect(page).toEqual({ next_change_id: 1_800_000_000, markets: [] });
  });
});
