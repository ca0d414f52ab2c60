import { characterClasses } from "@game-data/contract/CharacterClass";
import { describe, expect, it } from "vitest";
import { wordsOf } from "../../src/internal/words.ts";
import { NOON_SECONDS, openData, segment, refusal } from "./harness.ts";

const sandbox = await openData();
const { get, read } = sandbox;
const NOON = NOON_SECONDS * 1000;

const ids = async (query: string): Promise<Array<string>> =>
  (await read(`/league${query}`)).leagues.map((one: { id: string }) => one.id);

const entries = async (path: string) => (await read(path)).league.entries;

/** The first event of a kind. */
const eventOf = async (flag: string): Promise<string> =>
  segment((await read("/league?type=event")).leagues.find((one: any) => one[flag] === true).id);

const isDescending = (numbers: ReadonlyArray<number>) =>
  numbers.every((one, index) => index === 0 || numbers[index - 1]! >= one);

describe("the list of leagues", () => {
  it("the list of leagues holds permanent and current challenge leagues by default [DA-24] [DA-26] [RC-016]", async () => {
    const { leagues } = await read("/league");
    expect(leagues.map((one: any) => one.id)).toContain("Standard");
    const challenge = leagues.filter((one: any) => one.category.current === true);
    expect(challenge.length).toBeGreaterThan(0);
    for (const one of challenge) {
      expect(Date.parse(one.startAt)).toBeLessThan(NOON);
      expect(Date.parse(one.endAt)).toBeGreaterThan(NOON);
    }
    // Flags are true when present, never false; a permanent league ends never.
    for (const one of leagues) expect(one.category.current ?? true).toBe(true);
    expect(leagues.find((one: any) => one.id === "Standard").endAt).toBeNull();
    expect(await ids("?type=main")).toEqual(await ids(""));
  });

  it("the list of leagues accepts the four realms, pc by default, and has only their leagues [DA-25] [NS-18]", async () => {
    for (const realm of ["pc", "console_a", "console_b", "game2"]) {
      const { leagues } = await read(`/league?realm=${realm}`);
      expect(leagues.length).toBeGreaterThan(0);
      for (const one of leagues) expect(one.realm).toBe(realm);
      expect((await read(`/league/Standard?realm=${realm}`)).league.realm).toBe(realm);
    }
    expect((await read("/league")).leagues[0].realm).toBe("pc");
    expect((await get("/league?realm=elsewhere")).status).toBe(400);
  });

  it("the list of leagues holds current events under type event [DA-27]", async () => {
    const { leagues } = await read("/league?type=event");
    expect(leagues.length).toBeGreaterThan(10);
    for (const one of leagues) {
      expect(one.event).toBe(true);
      expect(Date.parse(one.endAt)).toBeGreaterThan(NOON);
    }
  });

  it("the list of leagues holds the leagues of one season under type season, in game 1 only [DA-28]", async () => {
    const first = await ids("?type=season&season=Season%201");
    const second = await ids("?type=season&season=Season%202");
    expect(first.length).toBeGreaterThan(0);
    expect(first.some((id) => second.includes(id))).toBe(false);
    expect(await ids("?type=season&season=Season%2099")).toEqual([]);
    expect((await get("/league?type=season")).status).toBe(400);
    expect((await get("/league?type=season&season=Season%201&realm=game2")).status).toBe(400);
  });

  it("the list of leagues has pages of at most 50, from an offset [DA-29] [LM-01]", async () => {
    const all = [...(await ids("?type=event")), ...(await ids("?type=event&offset=50"))];
    expect(await ids("?type=event")).toHaveLength(50);
    expect(all.length).toBeGreaterThan(50);
    expect(await ids("?type=event&limit=7&offset=45")).toEqual(all.slice(45, 52));
    expect((await get("/league?limit=50")).status).toBe(200);
  });

  it.each(wordsOf("limit=51 limit=0 limit=-1 limit=ten offset=-1 type=other limit=1&limit=2"))(
    "the list of leagues refuses %s with 400 and the error shape [LM-01] [NS-08] [NS-27]",
    async (query) => {
      expect(refusal(await get(`/league?${query}`))).toEqual([400, 2]);
    },
  );
});

describe("one league", () => {
  it("a league is returned by its name [DA-30]", async () => {
    for (const id of [...(await ids("")), ...(await ids("?type=event")).slice(0, 3)])
      expect((await read(`/league/${segment(id)}`)).league.id).toBe(id);
  });

  it("a league that does not exist is null with status 200 [DA-30] [ER-04] [NS-28]", async () => {
    expect(await get("/league/Nowhere")).toMatchObject({ status: 200, body: { league: null } });
  });

  it("the next challenge league becomes current at the end of the one before [RC-016] [NS-01]", async () => {
    const other = await openData();
    const current = async (bearer?: string): Promise<ReadonlyArray<string>> =>
      (await other.read("/league", bearer)).leagues
        .filter((one: any) => one.category.current === true)
        .map((one: any) => one.id);
    const before = await current();
    await other.advance("100 days");
    const fresh = await other.token(["service:leagues"]);
    expect(await current(fresh)).not.toEqual(before);
    const { league } = await other.read(`/league/${segment(before[0]!)}`, fresh);
    expect(league.category).not.toHaveProperty("current");
    expect(Date.parse(league.endAt)).toBeLessThan(NOON + 100 * 86_400_000);
  });
});

const eventLadder = `/league/${await eventOf("leagueEvent")}/event-ladder`;

it.each([
  ["a league", 500, "/league/Standard/ladder"],
  ["an event", 500, eventLadder],
  ["a match", 200, "/pvp-match/Season%201%20Blitz%201/ladder"],
] as const)(
  "the ladder of %s returns 20 entries by default and at most %i, and ends after rank 15000 [DA-33] [DA-39] [DA-46] [LM-02] [LM-03] [LM-04] [LM-05] [ER-10]",
  async (_, most, path) => {
    const ladder = async (query: string): Promise<any> =>
      Object.values(await read(path + query))[0];
    const ranks = async (query: string): Promise<ReadonlyArray<number>> =>
      (await ladder(query)).entries.map(({ rank }: { readonly rank: number }) => rank);
    expect(await ranks("")).toHaveLength(20);
    expect(await ranks(`?limit=${most}&realm=console_a`)).toHaveLength(most);
    expect((await get(`${path}?limit=${most + 1}`)).status).toBe(400);
    const { entries: all, total } = await ladder(`?limit=${most}`);
    expect((await ladder("?limit=5&offset=120")).entries).toEqual(all.slice(120, 125));
    // More are on it than are shown.
    expect(total).toBe(20_000);
    expect((await ranks("?limit=200&offset=14995")).at(-1)).toBe(15_000);
    for (const offset of [15_000, 15_500, 1_000_000])
      expect(await ranks(`?offset=${offset}`)).toEqual([]);
  },
);

describe("a league's ladder", () => {
  it("a league's ladder has total, cached_since, and entries with ascending ranks [DA-31]", async () => {
    const { league } = await read("/league/Standard/ladder");
    expect(Object.keys(league)).toEqual(["total", "cached_since", "entries"]);
    expect(league.total).toBe(20_000);
    expect(league.cached_since).toMatch(/^2026-03-01T12:00:00Z$/u);
    expect(league.entries.map((one: any) => one.rank)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });

  it("ladders and matches accept the realms of game 1, and refuse game2 [DA-32]", async () => {
    const match = "/pvp-match/Swiss%20Cup%202";
    const ladders = ["/league/Standard/ladder", "/league/Standard/event-ladder", `${match}/ladder`];
    for (const path of [...ladders, "/pvp-match", match]) {
      for (const realm of ["pc", "console_a", "console_b"])
        expect((await get(`${path}?realm=${realm}`)).status).toBe(200);
      expect((await get(`${path}?realm=game2`)).status).toBe(400);
    }
    for (const [query, realm] of [
      ["realm=console_a&limit=1", "console_a"],
      ["limit=1", "pc"],
    ])
      expect((await entries(`/league/Standard/ladder?${query}`))[0].account.realm).toBe(realm);
  });

  it.each([
    ["xp", (one: any) => one.experience],
    ["depth", (one: any) => one.depth.default],
    ["depthsolo", (one: any) => one.depth.solo],
  ] as const)("a league's ladder is sorted by %s, descending [DA-34]", async (sort, measure) => {
    const list = await entries(`/league/Standard/ladder?sort=${sort}&limit=500&offset=9000`);
    const measured = list.map(({ character }: any) => measure(character));
    expect(isDescending(measured)).toBe(true);
    expect(new Set(measured).size).toBeGreaterThan(3);
  });

  it("a ladder is sorted by time, score or ancestor rank if that is the objective of its league [DA-34]", async () => {
    const list = async (flag: string, sort: string) =>
      (await entries(`/league/${await eventOf(flag)}/ladder?sort=${sort}&limit=300`)).map(
        (one: any) => one.character,
      );
    const times = await list("timedEvent", "time");
    expect(isDescending(times.map((one: any) => -one.time))).toBe(true);
    const scores = await list("scoreEvent", "score");
    expect(isDescending(scores.map((one: any) => one.score))).toBe(true);
    const ranks = await list("ancestorEvent", "ancestor");
    expect(isDescending(ranks.map((one: any) => one.progress.ancestor))).toBe(true);
    expect((await get("/league/Standard/ladder?sort=other")).status).toBe(400);
  });

  it("a ladder with sort=class lists only this class, by experience [DA-34] [DA-35] [DA-36] [NS-08]", async () => {
    for (const name of characterClasses) {
      const { league } = await read(`/league/Standard/ladder?sort=class&class=${name}&limit=300`);
      expect(league.total).toBeLessThan(20_000);
      for (const one of league.entries) expect(one.character.class.toLowerCase()).toBe(name);
      expect(isDescending(league.entries.map((one: any) => one.character.experience))).toBe(true);
    }
    for (const query of ["sort=class", "sort=class&class=baker"])
      expect((await get(`/league/Standard/ladder?${query}`)).status).toBe(400);
  });

  it("a league's ladder is sorted by time in a timed event, else by xp, without `sort` [DA-37]", async () => {
    const timed = `/league/${await eventOf("timedEvent")}/ladder`;
    const plain = "/league/Standard/ladder";
    expect(await entries(timed)).toEqual(await entries(`${timed}?sort=time`));
    expect(await entries(plain)).toEqual(await entries(`${plain}?sort=xp`));
    expect(await entries(`${timed}?sort=xp`)).not.toEqual(await entries(timed));
  });

  it("a league's ladder contains the characters of the seeded accounts", async () => {
    const own = (await read("/character")).characters[0];
    for (let offset = 0; offset < 15_000; offset += 500) {
      const page = await entries(
        `/league/${segment(own.league)}/ladder?limit=500&offset=${offset}`,
      );
      const entry = page.find((one: any) => one.character.id === own.id);
      if (entry === undefined) continue;
      const { experience, level, name } = own;
      expect(entry.character).toMatchObject({ class: own.class, experience, level, name });
      expect(entry.account.name).toBe(sandbox.accounts[0]!.name);
      return;
    }
    expect.unreachable("a character of level 85 or more stands among the first 15 000");
  });

  it("the ladder of a league or match that does not exist is null with status 200 [ER-04] [ER-05] [NS-28]", async () => {
    for (const path of ["/league/Nowhere/ladder", "/league/Nowhere/event-ladder"])
      expect(await get(path)).toMatchObject({ status: 200, body: { league: null } });
    const match = await get("/pvp-match/Nowhere/ladder");
    expect(match).toMatchObject({ status: 200, body: { match: null } });
  });
});

describe("an event's ladder of private leagues", () => {
  it("an event's ladder has total and entries, each with a private league and its time [DA-38]", async () => {
    const { league } = await read(eventLadder);
    expect(Object.keys(league)).toEqual(["total", "entries"]);
    expect(league.entries[0].private_league).toEqual({
      name: expect.any(String),
      url: expect.stringMatching(/^https:/u),
    });
    expect(isDescending(league.entries.map((one: any) => -one.time))).toBe(true);
    const none = { total: 0, entries: [] };
    expect((await read("/league/Standard/event-ladder")).league).toEqual(none);
  });
});

describe("PvP matches", () => {
  it("the list of PvP matches has upcoming matches by default [DA-41] [DA-42]", async () => {
    const { matches } = await read("/pvp-match");
    expect(matches.length).toBeGreaterThan(0);
    for (const one of matches) {
      expect(one.upcoming).toBe(true);
      expect(Date.parse(one.startAt)).toBeGreaterThan(NOON);
      expect(one.pvp).toBe(true);
    }
    expect((await read("/pvp-match?type=upcoming")).matches).toEqual(matches);
  });

  it("the list of PvP matches by season or league requires this parameter [DA-43] [NS-08]", async () => {
    const { matches } = await read("/pvp-match?type=season&season=Season%201");
    expect(matches.length).toBeGreaterThan(0);
    for (const one of matches) expect(one.id).toMatch(/^Season 1/u);
    const { leagues } = await read("/league");
    const { id } = leagues.find((one: any) => one.category.current === true);
    const ofLeague = await read(`/pvp-match?type=league&league=${segment(id)}`);
    expect(ofLeague.matches.length).toBeGreaterThan(0);
    expect((await read("/pvp-match?type=league&league=Nowhere")).matches).toEqual([]);
    for (const type of ["season", "league"])
      expect((await get(`/pvp-match?type=${type}`)).status).toBe(400);
  });

  it("a PvP match is returned by its name, with or without a realm, and is null if there is none [DA-44] [ER-05]", async () => {
    const [first] = (await read("/pvp-match")).matches;
    const path = `/pvp-match/${segment(first.id)}`;
    expect((await read(path)).match).toEqual(first);
    expect((await read(`${path}?realm=console_b`)).match.realm).toBe("console_b");
    expect(await get("/pvp-match/Nowhere")).toMatchObject({ status: 200, body: { match: null } });
  });

  it("PvP matches have ladders of teams, with ratings only for Glicko matches [DA-45] [RC-031]", async () => {
    const { matches } = await read("/pvp-match?type=season&season=Season%201");
    expect(new Set(matches.map((one: any) => one.glickoRatings)).size).toBe(2);
    for (const one of matches) {
      const { match } = await read(`/pvp-match/${segment(one.id)}/ladder`);
      expect(Object.keys(match)).toEqual(["total", "entries"]);
      expect(match.entries.length).toBeGreaterThan(0);
      for (const entry of match.entries) {
        expect("rating" in entry).toBe(one.glickoRatings);
        expect(entry.members.length).toBeGreaterThan(0);
      }
    }
  });
});
