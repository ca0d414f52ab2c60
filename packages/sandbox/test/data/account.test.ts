import { describe, expect, it } from "vitest";
import { ACCOUNT_SCOPES, NOON_SECONDS, openData, segment } from "./harness.ts";

const sandbox = await openData();
const { get, read } = sandbox;

type Tab = any;

const flat = (tabs: ReadonlyArray<Tab>): ReadonlyArray<Tab> =>
  tabs.flatMap((tab) => [tab, ...flat(tab.children ?? [])]);

describe("profile", () => {
  it("the profile is a bare object [DA-07]", async () => {
    const { name, uuid } = sandbox.accounts[0]!;
    expect(await read("/profile")).toMatchObject({ uuid, name });
  });

  it("the profile has a livestream only if the account has linked one [RC-009]", async () => {
    const profiles = await Promise.all(
      sandbox.accounts.map(async (_, index) =>
        read("/profile", await sandbox.token(ACCOUNT_SCOPES, index)),
      ),
    );
    const linked = profiles.filter((one) => "livestream" in one);
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.length).toBeLessThan(profiles.length);
    for (const { livestream } of linked) expect(livestream).toEqual({ name: expect.any(String) });
  });
});

describe("account leagues", () => {
  it("account leagues are current leagues with private ones, but no events or past ones [DA-47] [DA-49]", async () => {
    const { leagues } = await read("/account/leagues");
    const ids = leagues.map(({ id }: any) => id);
    const main = (await read("/league?limit=50")).leagues.map(({ id }: any) => id);
    expect(ids).toEqual(expect.arrayContaining(["Standard", ...main]));
    expect(ids).toContainEqual(expect.stringMatching(/\(PL\d+\)$/u));
    for (const { endAt, event } of leagues) {
      expect(Date.parse(endAt ?? "9999")).toBeGreaterThan(NOON_SECONDS * 1000);
      expect(event).toBeUndefined();
    }
  });

  it("account leagues take console_a and console_b in the path, and no other realm [DA-47] [DA-48]", async () => {
    for (const realm of ["console_a", "console_b"])
      expect((await read(`/account/leagues/${realm}`)).leagues[0].realm).toBe(realm);
    for (const realm of ["pc", "game2", "nonsense"])
      expect((await get(`/account/leagues/${realm}`)).status).toBe(400);
  });
});

describe("characters", () => {
  it("the list of characters has no equipment and no passives [DA-52]", async () => {
    const { characters } = await read("/character");
    expect(characters.length).toBeGreaterThan(5);
    for (const one of characters) {
      expect(one.realm).toBe("pc");
      expect(one).not.toHaveProperty("equipment");
      expect(one).not.toHaveProperty("passives");
    }
    expect(characters.filter((one: any) => one.current === true)).toHaveLength(1);
    expect(new Set(characters.map((one: any) => one.name)).size).toBe(characters.length);
  });

  it("characters belong to the realm in the path, and to pc without one [DA-06] [DA-53] [NS-17]", async () => {
    for (const realm of ["console_a", "console_b", "game2"]) {
      const { characters } = await read(`/character/${realm}`);
      expect(characters.length).toBeGreaterThan(0);
      // NS-17: the specification lists no word for game 2 here; `game2` is the only one that tells
      // the truth.
      for (const one of characters) expect(one.realm).toBe(realm);
    }
  });

  it("a character has equipment, inventory and passives [DA-54] [DA-55]", async () => {
    const { characters } = await read("/character");
    const { body } = await get(`/character/${segment(characters[0].name)}`);
    expect(body.character).toMatchObject(characters[0]);
    expect(body.character.equipment.length).toBeGreaterThan(5);
    expect(body.character.inventory.length).toBeGreaterThan(0);
    expect(body.character.passives.hashes.length).toBeGreaterThan(20);
    expect(body.character.metadata.version).toMatch(/^\d+\.\d+\.\d+$/u);
  });

  it("a character is null with status 200 if the account has none of this name [DA-54] [ER-06] [NS-28]", async () => {
    const absent = { status: 200, body: { character: null } };
    expect(await get("/character/Nobody")).toMatchObject(absent);
    const other = await sandbox.token(ACCOUNT_SCOPES, 1);
    const { name } = (await read("/character", other)).characters[0];
    expect(await get(`/character/${segment(name)}`)).toMatchObject(absent);
  });

  it("characters have the passives of their game, 1 or 2 [RC-004] [RC-074] [NS-19]", async () => {
    const first = (await read("/character")).characters[0].name;
    const { passives } = (await read(`/character/${segment(first)}`)).character;
    expect(passives).toHaveProperty("hashes_ex");
    expect(passives).toHaveProperty("mastery_effects");
    expect(passives).not.toHaveProperty("specialisations");
    const second = (await read("/character/game2")).characters[0].name;
    const { passives: other, skills } = (await read(`/character/game2/${segment(second)}`))
      .character;
    expect(skills.length).toBeGreaterThan(0);
    expect(Object.keys(other.specialisations)).toEqual(["set1", "set2", "shapeshift"]);
    const own = "hashes_ex mastery_effects bandit_choice pantheon_major alternate_ascendancy";
    for (const name of own.split(" ")) expect(other).not.toHaveProperty(name);
  });

  it("a character's jewel data are keyed by x, with a sub-graph for cluster jewels [RC-081] [RC-084]", async () => {
    const { name } = (await read("/character")).characters[0];
    const { jewels, passives } = (await read(`/character/${segment(name)}`)).character;
    const entries = Object.entries<any>(passives.jewel_data);
    expect(entries).toHaveLength(jewels.length);
    for (const [x, data] of entries) {
      const jewel = jewels.find((one: any) => String(one.x) === x);
      expect("subgraph" in data).toBe(jewel.typeLine.includes("Lattice"));
      for (const node of Object.values<any>(data.subgraph?.nodes ?? {}))
        if (node.isJewelSocket !== true && node.isProxy !== true)
          expect(passives.hashes_ex).toContain(node.skill);
    }
    expect(new Set(entries.map(([, data]) => "subgraph" in data)).size).toBe(2);
  });
});

describe("stashes", () => {
  it("the list of stashes has every tab: top tabs, sub-tabs, tabs in folders, without items [DA-57] [DA-58]", async () => {
    const { stashes } = await read("/stash/Standard");
    const tabs = flat(stashes);
    expect(tabs.some((tab) => tab.parent !== undefined)).toBe(true);
    expect(tabs.some((tab) => tab.folder !== undefined)).toBe(true);
    expect(tabs.every((tab) => tab.items === undefined)).toBe(true);
    expect(new Set(tabs.map((tab) => tab.id)).size).toBe(tabs.length);
    for (const tab of stashes)
      for (const child of tab.children ?? []) expect(child.parent ?? child.folder).toBe(tab.id);
  });

  it("a stash tab is returned with its items [DA-59]", async () => {
    const { stashes } = await read("/stash/Standard");
    const { stash } = await read(`/stash/Standard/${stashes[0].id}`);
    const { id, name, type } = stashes[0];
    expect(stash).toMatchObject({ id, name, type });
    expect(stash.items.length).toBeGreaterThan(5);
    // A tab in a folder is asked for by its own id.
    const inside = flat(stashes).find((tab) => tab.folder !== undefined)!;
    expect((await read(`/stash/Standard/${inside.id}`)).stash.items.length).toBeGreaterThan(0);
  });

  it("a sub-tab of a stash is returned inside its parent [DA-60] [DA-61]", async () => {
    const { stashes } = await read("/stash/Standard");
    const parent = stashes.find((tab: Tab) => tab.type === "MapStash");
    const child = parent.children[3];
    const { stash } = await read(`/stash/Standard/${parent.id}/${child.id}`);
    expect(stash.id).toBe(parent.id);
    expect(stash.children).toHaveLength(1);
    expect(stash.children[0]).toMatchObject({ id: child.id, parent: parent.id });
    expect(stash.children[0].items.length).toBeGreaterThan(0);
  });

  it("a stash is null for a tab that does not exist, or a sub-tab of another parent [DA-60] [ER-07]", async () => {
    const { stashes } = await read("/stash/Standard");
    const [map, unique] = ["MapStash", "UniqueStash"].map((type) =>
      stashes.find((tab: Tab) => tab.type === type),
    );
    const absent = { status: 200, body: { stash: null } };
    const others = [`${map.id}/${unique.children[0].id}`, `${map.id}/0123456789`];
    for (const path of ["0123456789", "nonsense", ...others])
      expect(await get(`/stash/Standard/${path}`)).toMatchObject(absent);
  });

  it("stashes belong to the realm in the path: pc by default, console_a or console_b [DA-06] [DA-48] [DA-56]", async () => {
    const ids = async (path: string) => (await read(path)).stashes.map((tab: Tab) => tab.id);
    const paths = ["/stash/Standard", "/stash/console_a/Standard", "/stash/console_b/Standard"];
    expect(new Set((await Promise.all(paths.map(ids))).map(([first]) => first)).size).toBe(3);
    // `game2` is no realm here: the segment is read as a league, and there is none of that name.
    expect(await read("/stash/game2/Standard")).toEqual({ stash: null });
  });

  it("stashes of a league that does not exist are 404, because a list cannot be null [NS-09] [NS-28]", async () => {
    const { body, status } = await get("/stash/Nowhere");
    expect(status).toBe(404);
    expect(body.error.code).toBe(1);
    expect(await read("/stash/Nowhere/0123456789")).toEqual({ stash: null });
  });

  it("stashes of a private league exist only for its own account [DA-57]", async () => {
    const { leagues } = await read("/account/leagues");
    const { id } = leagues.find((one: any) => one.id.includes("(PL"));
    expect((await read(`/stash/${segment(id)}`)).stashes.length).toBeGreaterThan(0);
    const other = await sandbox.token(ACCOUNT_SCOPES, 2);
    expect((await get(`/stash/${segment(id)}`, other)).status).toBe(404);
  });
});

it("a segment that names a realm is the realm; after a realm it is an ordinary name [NS-26]", async () => {
  expect((await read("/stash/console_a/Standard")).stashes).toBeDefined();
  expect((await read("/character/game2")).characters).toBeDefined();
  expect(await read("/stash/pc/console_a/0123456789")).toEqual({ stash: null });
  expect(await read("/character/pc/game2")).toEqual({ character: null });
});

describe("league account", () => {
  it("a league account holds the atlas trees of a league and realm [DA-62] [DA-48]", async () => {
    const { body } = await get("/league-account/Standard");
    expect(Object.keys(body)).toEqual(["league_account"]);
    expect(body.league_account.atlas_passive_trees).toHaveLength(3);
    expect(body.league_account.atlas_passives.hashes.length).toBeGreaterThan(10);
    const console = await get("/league-account/console_b/Standard");
    expect(console.body.league_account).not.toEqual(body.league_account);
    expect((await get("/league-account/Nowhere")).status).toBe(404);
    expect((await get("/league-account/game2/Standard")).status).toBe(404);
  });
});

describe("guild stashes", () => {
  it("guild stashes have the guild's tabs, folders and sub-tabs [DA-64] [DA-65] [DA-66] [DA-67]", async () => {
    const { stashes } = await read("/guild/stash/Standard");
    const tabs = flat(stashes);
    expect(tabs.some((tab) => tab.parent !== undefined)).toBe(true);
    expect(tabs.some((tab) => tab.metadata.folder === true)).toBe(true);
    const { stash } = await read(`/guild/stash/Standard/${stashes[0].id}`);
    expect(stash.items.length).toBeGreaterThan(0);
    const maps = stashes.find((tab: Tab) => tab.type === "MapStash");
    const inner = (await read(`/guild/stash/Standard/${maps.id}/${maps.children[1].id}`)).stash;
    expect(inner.id).toBe(maps.id);
    expect(inner.children).toHaveLength(1);
    expect(inner.children[0].items.length).toBeGreaterThan(0);
    expect((await read("/guild/console_a/stash/Standard")).stashes[0].id).not.toBe(stashes[0].id);
    expect(await read("/guild/stash/Standard/0123456789")).toEqual({ stash: null });
  });

  it("guild stashes hide tabs from members of a lower rank, in the list and alone [DA-65]", async () => {
    const member = await sandbox.token(ACCOUNT_SCOPES, 1);
    const ids = async (token: string) =>
      flat((await read("/guild/stash/Standard", token)).stashes).map(({ id }) => id);
    const [all, some] = [await ids(sandbox.user), await ids(member)];
    const hidden = all.filter((id) => !some.includes(id));
    expect(some.length).toBeGreaterThan(0);
    expect(hidden.length).toBeGreaterThan(0);
    expect(some.every((id) => all.includes(id))).toBe(true);
    for (const id of hidden) {
      expect(await read(`/guild/stash/Standard/${id}`, member)).toEqual({ stash: null });
      expect((await read(`/guild/stash/Standard/${id}`)).stash).not.toBeNull();
    }
  });

  it("guild stashes are 404 in an unknown league, and stashes of an event are empty", async () => {
    expect((await get("/guild/stash/Nowhere")).status).toBe(404);
    const [race] = (await read("/league?type=event")).leagues;
    expect(await read(`/stash/${segment(race.id)}`)).toEqual({ stashes: [] });
  });

  it("guild stashes are empty for an account without a guild [DA-65]", async () => {
    const alone = await sandbox.token(ACCOUNT_SCOPES, 2);
    expect(await read("/guild/stash/Standard", alone)).toEqual({ stashes: [] });
  });
});
