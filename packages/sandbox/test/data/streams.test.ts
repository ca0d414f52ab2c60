import { describe, expect, it } from "vitest";
import { wordsOf } from "../../src/internal/words.ts";
import { NOON_SECONDS, openData, type Answer, refusal } from "./harness.ts";

interface Change {
  readonly id: string;
  readonly public: boolean;
  readonly accountName: string | null;
  readonly stash: string | null;
  readonly stashType: string;
  readonly league: string | null;
  readonly items: ReadonlyArray<{ readonly id: string }>;
}

const HOUR = 3600;

/** Follows a stream from an id to its end. */
const follow = async (get: (path: string) => Promise<Answer>, base: string, from?: string) => {
  const changes: Array<Change> = [];
  let id = from;
  for (;;) {
    const { body, status } = await get(id === undefined ? base : `${base}?id=${id}`);
    if (status !== 200) throw new Error(`${status}`);
    changes.push(...body.stashes);
    if (body.stashes.length === 0) return { changes, id: body.next_change_id as string };
    if (body.next_change_id === id) throw new Error("a page with changes must lead on");
    id = body.next_change_id;
  }
};

/** For tests that only read: its clock stands still, so every question has one answer. */
const shared = await openData({ world: { streamHistoryPages: 8, streamItems: 12 } });
const { get: ask, read } = shared;
let followed: ReturnType<typeof follow> | undefined;
/** The whole stream of the shared sandbox, read once. */
const whole = () => (followed ??= follow(shared.get, "/public-stash-tabs"));

describe("the public stash stream", () => {
  it("a page of the stash stream has a next_change_id and stashes [ST-01] [ST-04]", async () => {
    const body = await read("/public-stash-tabs");
    expect(Object.keys(body)).toEqual(["next_change_id", "stashes"]);
    expect(body.next_change_id).toMatch(/^\d+(?:-\d+){4}$/u);
    expect(body.stashes).toHaveLength(150);
    expect((await ask("/public-stash-tabs?id=")).status).toBe(400);
  });

  it("the stash stream differs for each realm of the path, which is pc by default [ST-03] [DA-06]", async () => {
    const first = async (path: string) => (await read(path)).stashes[0].id;
    const ids = await Promise.all(
      ["", "/console_a", "/console_b"].map((realm) => first(`/public-stash-tabs${realm}`)),
    );
    expect(new Set(ids).size).toBe(3);
    for (const realm of ["pc", "game2"])
      expect((await ask(`/public-stash-tabs/${realm}`)).status).toBe(400);
  });

  it("the stash stream holds stashes of all leagues of the realm [ST-05]", async () => {
    const { changes } = await whole();
    const seen = new Set(changes.flatMap(({ league }) => (league === null ? [] : [league])));
    const { leagues } = await read("/league");
    for (const { id } of leagues) expect(seen).toContain(id);
  });

  it("the stash stream holds the public tabs of the seeded accounts, as those accounts see them [ST-05]", async () => {
    const { accounts } = shared;
    const { changes } = await whole();
    const mine = changes.filter(
      (one) => one.accountName === accounts[0]!.name && one.league === "Standard",
    );
    const { stashes } = await read("/stash/Standard");
    const shop = stashes.find((tab: any) => tab.name === "~price 5 gilt-orb");
    const { stash } = await read(`/stash/Standard/${shop.id}`);
    const listed = mine.find((one) => one.stash === "~price 5 gilt-orb")!;
    expect(listed.items.map(({ id }) => id)).toEqual(stash.items.map(({ id }: any) => id));
  });

  it("the id of a page leads to the next page of the stash stream, always the same one [ST-06]", async () => {
    const first = await read("/public-stash-tabs");
    const second = await read(`/public-stash-tabs?id=${first.next_change_id}`);
    expect(second.stashes[0]).not.toEqual(first.stashes[0]);
    expect(await read(`/public-stash-tabs?id=${first.next_change_id}`)).toEqual(second);
    const { changes } = await whole();
    expect(changes).toHaveLength(1200);
    expect(changes.slice(0, 300)).toEqual([...first.stashes, ...second.stashes]);
  });

  it("the stash stream refuses an id that is not of this endpoint and realm [ST-04] [NS-09]", async () => {
    const { next_change_id: id } = await read("/public-stash-tabs");
    for (const path of [`/console_a?id=${id}`, "?id=1-2-3-4-5", "?id=nonsense", `?id=${id}0`])
      expect(refusal(await ask(`/public-stash-tabs${path}`))).toEqual([400, 2]);
  });

  it("a changed stash appears in the stash stream under the same id, with most of its items [ST-07]", async () => {
    const { changes } = await whole();
    const byId = Map.groupBy(changes, ({ id }) => id);
    let kept = 0;
    let replaced = 0;
    for (const versions of byId.values()) {
      // Each once in a round of 400.
      expect(versions).toHaveLength(3);
      for (const [index, later] of versions.entries()) {
        const earlier = versions[index - 1];
        if (earlier === undefined || !earlier.public || !later.public) continue;
        expect(later.accountName).toBe(earlier.accountName);
        expect(later.stash).toBe(earlier.stash);
        const before = new Set(earlier.items.map((item) => item.id));
        const same = later.items.filter(({ id }) => before.has(id)).length;
        kept += same;
        replaced += later.items.length - same;
      }
    }
    expect(byId.size).toBe(400);
    expect(replaced).toBeGreaterThan(100);
    expect(kept).toBeGreaterThan(replaced);
  });

  it("an unlisted stash in the stash stream has only its id, its type and no items [ST-08] [RC-037] [NS-16]", async () => {
    const { changes } = await whole();
    const unlisted = changes.filter((one) => !one.public);
    expect(unlisted.length).toBeGreaterThan(100);
    for (const one of unlisted) {
      // The table requires `stashType` and `items`; everything else is null (docs/choices.md).
      const nothing = { public: false, accountName: null, stash: null, league: null, items: [] };
      expect(one).toEqual({ id: one.id, stashType: one.stashType, ...nothing });
    }
    // Most are never listed; others were listed before or come back.
    const ids = new Set(changes.filter((one) => one.public).map(({ id }) => id));
    const atTimes = unlisted.filter(({ id }) => ids.has(id)).length;
    expect([atTimes > 30, atTimes < unlisted.length / 2]).toEqual([true, true]);
  });

  it("the stash stream ends with an empty page that has the requested id [ST-09]", async () => {
    const { id } = await whole();
    const end = { next_change_id: id, stashes: [] };
    expect(await read(`/public-stash-tabs?id=${id}`)).toEqual(end);
  });

  it("the id of the end of the stash stream leads to new changes once there are some [ST-10]", async () => {
    const { advance, get } = await openData({ world: { streamHistoryPages: 1 } });
    const { id } = await follow(get, "/public-stash-tabs");
    await advance("1 minute");
    const { body } = await get(`/public-stash-tabs?id=${id}`);
    expect(body.stashes).toHaveLength(20);
    expect(body.next_change_id).not.toBe(id);
  });

  it("the stash stream shows a change five minutes after it was made, and not before [ST-11] [LM-09]", async () => {
    const { accounts, advance, get } = await openData({
      world: {
        streamStashes: 16,
        streamHistoryPages: 1,
        streamChangesPerMinute: 8,
        streamItems: 7,
      },
    });
    const listed = async (): Promise<number> =>
      (await get("/stash/Standard")).body.stashes.filter((tab: any) => tab.metadata.public === true)
        .length;
    const { changes } = await follow(get, "/public-stash-tabs");
    const mine = new Set(
      changes.flatMap((one) =>
        one.accountName === accounts[0]!.name && one.league === "Standard" ? [one.id] : [],
      ),
    );
    // The account's own view changes when the change is made: wait until one of its public tabs is
    // unlisted.
    expect(await listed()).toBe(mine.size);
    let quarters = 0;
    while ((await listed()) === mine.size && quarters++ < 100) await advance("15 seconds");
    let { id } = await follow(get, "/public-stash-tabs");
    const unlistings = async (): Promise<number> => {
      const found = await follow(get, "/public-stash-tabs", id);
      id = found.id;
      return found.changes.filter((one) => !one.public && mine.has(one.id)).length;
    };
    await advance("285 seconds");
    expect(await unlistings()).toBe(0);
    await advance("14 seconds");
    expect(await unlistings()).toBe(0);
    await advance("1 second");
    expect(await unlistings()).toBe(1);
  });
});

describe("the currency exchange", () => {
  it("the currency exchange returns markets, and an hour as next_change_id [CX-01] [CX-06] [CX-08] [CX-09] [CX-10] [LM-10]", async () => {
    const body = await read("/currency-exchange");
    expect(Object.keys(body)).toEqual(["next_change_id", "markets"]);
    expect(body.next_change_id % HOUR).toBe(0);
    for (const market of body.markets) {
      const currencies = market.market_id.split("|");
      expect(currencies).toHaveLength(2);
      expect(Object.keys(market.volume_traded).toSorted()).toEqual(currencies.toSorted());
      const { league: _, market_id: __, ...counts } = market;
      expect(Object.keys(counts).toSorted()).toEqual(
        wordsOf("highest_ratio highest_stock lowest_ratio lowest_stock volume_traded"),
      );
      for (const value of Object.values<any>(counts).flatMap((each) => Object.values<number>(each)))
        expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
    }
  });

  it("the currency exchange has one market per pair and league in an hour [CX-07]", async () => {
    const { markets } = await read("/currency-exchange");
    const pairs = markets.map(
      (one: any) => `${one.league}/${one.market_id.split("|").toSorted().join("|")}`,
    );
    expect(pairs.length).toBeGreaterThan(20);
    expect(new Set(pairs).size).toBe(pairs.length);
  });

  it("the currency exchange differs for each realm of the path, which is pc by default [CX-03] [DA-06]", async () => {
    const texts = await Promise.all(
      ["", "/console_a", "/console_b", "/game2"].map(
        async (realm) => (await ask(`/currency-exchange${realm}`)).text,
      ),
    );
    expect(new Set(texts).size).toBe(4);
    expect((await ask("/currency-exchange/pc")).status).toBe(400);
  });

  it("the currency exchange without an id returns the first hour of its history [CX-05]", async () => {
    const body = await read("/currency-exchange");
    const first = NOON_SECONDS - 336 * HOUR;
    expect(body.next_change_id).toBe(first + HOUR);
    expect(await read(`/currency-exchange/${first}`)).toEqual(body);
  });

  it("the ids of the currency exchange lead from hour to hour [CX-04] [CX-11] [LM-10]", async () => {
    let id = NOON_SECONDS - 30 * HOUR;
    for (let hour = 0; hour < 30; hour++) {
      const body = await read(`/currency-exchange/${id}`);
      expect(body.next_change_id).toBe(id + HOUR);
      expect(await read(`/currency-exchange/${id}`)).toEqual(body);
      id = body.next_change_id;
    }
    expect(id).toBe(NOON_SECONDS);
  });

  it("the currency exchange returns no markets and the same id for the current hour [CX-12] [CX-13] [LM-10]", async () => {
    const { advance, read: again } = await openData();
    const current = () => again(`/currency-exchange/${NOON_SECONDS}`);
    const end = { next_change_id: NOON_SECONDS, markets: [] };
    expect(await current()).toEqual(end);
    await advance("59 minutes");
    expect(await current()).toEqual(end);
    await advance("1 minute");
    const body = await current();
    expect(body.next_change_id).toBe(NOON_SECONDS + HOUR);
    expect(body.markets.length).toBeGreaterThan(0);
  });

  it("the currency exchange has hours without markets that are not its end [CX-13]", async () => {
    let id = NOON_SECONDS - 336 * HOUR;
    const next = async () => await read(`/currency-exchange/${id}`);
    while (id < NOON_SECONDS && (await next()).markets.length > 0) id += HOUR;
    expect(id).toBeLessThan(NOON_SECONDS - HOUR);
    expect((await next()).next_change_id).toBe(id + HOUR);
  });

  it("the currency exchange removes old hours, so that its first hour changes [CX-14] [NS-33]", async () => {
    const {
      advance,
      ask: control,
      get,
      token,
    } = await openData({ world: { exchangeKeepHours: 400 } });
    const first = NOON_SECONDS - 336 * HOUR;
    await advance("10 days");
    await control("POST", "/clock", { freeze: true });
    const bearer = await token(["service:cxapi"]);
    const { body } = await get("/currency-exchange", bearer);
    expect(body.next_change_id).toBe(NOON_SECONDS + 240 * HOUR - 400 * HOUR + HOUR);
    expect(refusal(await get(`/currency-exchange/${first}`, bearer))).toEqual([404, 1]);
  });

  it("a currency exchange id off the hour, in the future or before the history is 404 [NS-33] [NS-09] [CX-04]", async () => {
    for (const id of [NOON_SECONDS - 1, NOON_SECONDS + HOUR, NOON_SECONDS - 337 * HOUR, 0])
      expect(refusal(await ask(`/currency-exchange/${id}`))).toEqual([404, 1]);
    for (const id of ["abc", "-3600", "3600.5"])
      expect((await ask(`/currency-exchange/${id}`)).status).toBe(400);
  });
});
