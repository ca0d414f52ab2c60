/** The economy of the world: bases, modifiers, prices, rates, and the ends of leagues and cups. */
import type { Item } from "@game-data/schemas";
import { describe, expect, it } from "vitest";
import { CURRENCIES } from "../../src/world/data/currencies.ts";
import { UNIQUES } from "../../src/world/data/uniques.ts";
import { PUBLIC_TYPES } from "../../src/world/Tabs.ts";
import { ACCOUNTS, makeWorld, someItems, WORLD_START } from "./helpers.ts";

const DAY = 86_400_000;
const { world } = makeWorld();
const stream = world.stream("pc");
const changes = Array.from({ length: 5200 }, (_, index) => {
  const { items, ...change } = stream.change(index);
  return { ...change, items: (items ?? []).filter((item) => item != null) };
});
const all = someItems(world);
const gear = [...all.game1, ...all.game2, ...all.stash, ...changes.flatMap(({ items }) => items)];

const levelOf = (item: Item): number =>
  Number(item.requirements?.find(({ type }) => type === 62)?.values?.[0]?.[0] ?? 0);

describe("items", () => {
  it("generated items require no level above their own item level", () => {
    const worn = gear.filter(
      (item) => item.rarity !== undefined && levelOf(item) > 0 && item.ilvl > 0,
    );
    expect(worn.length).toBeGreaterThan(7000);
    expect(worn.filter((item) => levelOf(item) > item.ilvl)).toEqual([]);
  });

  it("unique items of one name have the same base", () => {
    const bases = new Map(UNIQUES.map(([name, piece, material]) => [name, `${material} ${piece}`]));
    const uniques = gear.filter((item) => item.frameType === 3);
    expect(uniques.length).toBeGreaterThan(300);
    for (const item of uniques) expect(item.baseType).toBe(bases.get(item.name));
  });

  it("magic items have at most one prefix and suffix, rare items three, and `extended` counts them", () => {
    const counted = changes
      .flatMap(({ items }) => items)
      .filter((item) => item.extended != null && (item.frameType === 1 || item.frameType === 2));
    expect(counted.length).toBeGreaterThan(1000);
    for (const { explicitMods, extended, frameType } of counted) {
      const { prefixes = 0, suffixes = 0 } = extended!;
      expect(Math.max(prefixes!, suffixes!)).toBeLessThanOrEqual(frameType === 1 ? 1 : 3);
      if (explicitMods != null) expect(explicitMods.length).toBe(prefixes! + suffixes!);
    }
  });
});

const changesOf = (seed: number) => {
  const flow = makeWorld(seed).world.stream("pc");
  return Array.from({ length: 5200 }, (_, index) => flow.change(index));
};

// One economy for every seed: a few tabs hold most items, and chance alone would make them differ.
describe.each([1, 2])("the world of seed %i, near real statistics", (seed) => {
  const told = changesOf(seed);
  const listings = told.filter((change) => change.public);
  const listed = listings.flatMap(({ items }) => (items ?? []).filter((item) => item != null));
  const share = (fits: (item: Item) => boolean) => listed.filter(fits).length / listed.length;
  const expectWithin = (value: number, [low, high]: readonly [number, number]) =>
    expect([value, value >= low && value <= high]).toEqual([value, true]);

  it("listed items have high levels, and are corrupted or crafted as often as in a real economy", () => {
    const levels = listed
      .map(({ ilvl }) => ilvl)
      .filter((level) => level > 0)
      .toSorted((a, b) => a - b);
    expectWithin(levels[Math.floor(levels.length * 0.75)]!, [71, 86]);
    expectWithin(levels[Math.floor(levels.length * 0.95)]!, [80, 86]);
    expectWithin(
      share(({ corrupted }) => corrupted === true),
      [0.05, 0.12],
    );
    expectWithin(
      share(({ craftedMods }) => (craftedMods?.length ?? 0) > 0),
      [0.045, 0.08],
    );
  });

  it("most stash changes are of unlisted tabs, and a few tabs hold most items", () => {
    expectWithin(listings.length / told.length, [0.14, 0.24]);
    const counts = listings.map(({ items }) => items?.length ?? 0).toSorted((a, b) => a - b);
    const at = (part: number) => counts[Math.floor(counts.length * part)]!;
    expect(at(0.25)).toBe(0);
    expectWithin(at(0.5), [0, 2]);
    expectWithin(at(0.75), [10, 20]);
    expectWithin(at(0.95), [75, 110]);
    expectWithin(counts.at(-1)!, [200, 400]);
  });

  it("4 to 9 per cent of listed items have a price", () => {
    expectWithin(
      share(({ note }) => note != null),
      [0.04, 0.09],
    );
  });

  it("prices of listed items are mostly round amounts in two currencies", () => {
    const notes = listed.flatMap(({ note }) => (note == null ? [] : [note.split(" ")]));
    const seeded = new Set(["ember-shard", "gilt-orb"]);
    expect(notes.filter(([, , code]) => !seeded.has(code!)).length).toBeLessThan(notes.length / 50);
    const round = new Set([1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100]);
    const gathered = notes.filter(([, amount]) => round.has(Number(amount)));
    expect(gathered.length / notes.length).toBeGreaterThan(0.8);
  });
});

describe("listings", () => {
  const lives = new Map<string, Array<string | undefined>>();
  for (const change of changes) {
    if (!change.public) continue;
    for (const { id, note } of change.items)
      lives.set(id!, [...(lives.get(id!) ?? []), note ?? undefined]);
  }
  const whole = [...lives.values()].filter((notes) => notes.length > 1);

  it("some prices of listed items change from version to version", () => {
    const repriced = whole.filter((notes) => new Set(notes).size > 1);
    const priced = whole.filter((notes) => notes.some((note) => note !== undefined));
    expect(repriced.length).toBeGreaterThan(priced.length / 10);
  });

  it("the first 5200 changes of the stash stream have every stash type that can be public", () => {
    expect(new Set(changes.map(({ stashType }) => stashType))).toEqual(new Set(PUBLIC_TYPES));
  });
});

describe("rates", () => {
  const rates = world.exchange.rates("pc");
  const gilt = CURRENCIES.findIndex(([code]) => code === "gilt-orb");
  const at = (hour: number, age?: number) =>
    rates.worths({ league: age === undefined ? "Standard" : "Young", hour, age })[gilt]!;

  it("exchange rates change a little from hour to hour", () => {
    const week = Array.from({ length: 24 * 28 }, (_, hour) => at(hour));
    expect(new Set(week).size).toBeGreaterThan(250);
    for (const [hour, worth] of week.slice(1).entries())
      expect(Math.abs(worth - week[hour]!) / week[hour]!).toBeLessThan(0.06);
    expect(Math.max(...week) / Math.min(...week)).toBeGreaterThan(1.1);
  });

  it("exchange rates are the same in markets and in prices of items", () => {
    const first = world.exchange.firstHour(WORLD_START);
    let traded = 0;
    for (let index = 0; index < 24; index++) {
      const id = first + index * 3600;
      const { markets } = world.exchange.answer("pc", id, WORLD_START)!;
      for (const { highest_ratio, league, lowest_ratio, market_id } of markets) {
        if (league !== "Standard") continue;
        const [one, other] = market_id.split("|") as [string, string];
        expect(lowest_ratio[one]! <= highest_ratio[one]!).toBe(true);
        expect(lowest_ratio[other]! <= highest_ratio[other]!).toBe(true);
        if (lowest_ratio[one] === 0) continue;
        traded++;
        const hour = (id * 1000 - WORLD_START) / 3_600_000;
        const worths = rates.worths({ league, hour });
        const worth = (code: string) => worths[CURRENCIES.findIndex((row) => row[0] === code)]!;
        const rate = worth(one) / worth(other);
        const ratios = [lowest_ratio, highest_ratio].map((ratio) => ratio[other]! / ratio[one]!);
        expect(rate * 1.01).toBeGreaterThanOrEqual(Math.min(...ratios));
        expect(rate * 0.99).toBeLessThanOrEqual(Math.max(...ratios));
      }
    }
    expect(traded).toBeGreaterThan(100);
    expect(rates.price(at(7) * 5, { league: "Standard", hour: 7 })).toBe("5 gilt-orb");
  });
});

describe("the end of a challenge league", () => {
  const { clock, world: later } = makeWorld();
  const { uuid } = ACCOUNTS[0]!;
  const before = later.characters(uuid, "pc");
  const challenge = later
    .leagues("pc")
    .find(({ record }) => record.category?.current === true)!.record;
  const window = { offset: 0, limit: 20 };
  const over = later.league("pc", challenge.id)!;
  clock.now = Date.parse(challenge.endAt!);
  const ladder = later.ladders.page(over, "pc", "xp", window);
  clock.now = WORLD_START;
  const tabs = later.stashes({ account: uuid, realm: "pc", league: challenge.id });
  clock.now = Date.parse(challenge.endAt!) + DAY;

  it("at the end of a challenge league the next one starts, and the old ladder stays", () => {
    const now = later.leagues("pc").find(({ record }) => record.category?.current === true)!.record;
    expect(now.id).not.toBe(challenge.id);
    expect(now.startAt).toBe(challenge.endAt);
    const after = later.ladders.page(later.league("pc", challenge.id)!, "pc", "xp", window);
    expect(after).toEqual(ladder);
  });

  it("at the end of a challenge league its characters move to the parent league", () => {
    const after = later.characters(uuid, "pc");
    expect(before.some(({ league }) => league === challenge.id)).toBe(true);
    for (const [at, { league }] of after.entries()) {
      const was = before[at]!.league;
      if (was === challenge.id) expect(league).toBe("Standard");
      else if (was === `Hardcore ${challenge.id}`) expect(league).toBe("Hardcore");
      else expect(league).toBe(was);
    }
  });

  it("at the end of a challenge league its tabs move to the parent league as remove-only", () => {
    expect(later.stashes({ account: uuid, realm: "pc", league: challenge.id })).toEqual([]);
    const standard = { account: uuid, realm: "pc", league: "Standard" } as const;
    const moved = later.stashes(standard).slice(-tabs.length);
    expect(moved.map(({ id }) => id)).toEqual(tabs.map(({ id }) => id));
    for (const [at, { name }] of moved.entries())
      expect(name).toBe(`${tabs[at]!.name} (Remove-only)`);
    expect(later.stash(standard, moved[3]!.id)!.items?.length).toBeGreaterThan(0);
  });

  it("at the end of a challenge league its public stashes are unlisted once, and half continue", () => {
    const { world: fast } = makeWorld(1, { streamChangesPerMinute: 4, streamStashes: 64 });
    const flow = fast.stream("pc");
    const end = Date.parse(challenge.endAt!);
    const first = flow.visible(end) - 64 * 2;
    const [old, next] = [new Map<string, string[]>(), new Set<string>()];
    for (let index = first; index < first + 64 * 8; index++) {
      const { id, league, stash } = flow.change(index);
      const text = league === null ? "unlisted" : `${league}/${stash}`;
      old.set(id, [...(old.get(id) ?? []), text]);
      if (league != null) next.add(league);
    }
    const ended = [...old.values()].filter((texts) => texts[0]!.includes(`${challenge.id}/`));
    const leftovers = ended.filter((texts) => texts.at(-1)!.endsWith("(Remove-only)"));
    expect(leftovers.length).toBeGreaterThan(3);
    for (const texts of leftovers) {
      const last = texts.findLastIndex((text) => text.includes(`${challenge.id}/`));
      expect(texts[last + 1]).toBe("unlisted");
    }
    const gone = ended.filter((texts) => texts.at(-1) === "unlisted");
    expect(leftovers.length + gone.length).toBeGreaterThanOrEqual(ended.length);
    expect([...next].filter((name) => name.endsWith(challenge.id)).length).toBeGreaterThan(1);
  });
});

it("a PvP cup is complete after its end, and keeps its name and its ladder", () => {
  const { clock, world: one } = makeWorld();
  const cup = one.matches("pc").find(({ record }) => record.upcoming === true)!.record;
  const state = () => one.matches("pc").find(({ record }) => record.id === cup.id);
  clock.now = Date.parse(cup.startAt!) + 60_000;
  expect(state()!.record.inProgress).toBe(true);
  clock.now = Date.parse(cup.endAt!) + DAY;
  expect(state()!.record.complete).toBe(true);
  const ladder = one.matchLadder(state()!, "pc", { offset: 0, limit: 5 });
  for (const { last_game_time } of ladder.entries)
    expect(Date.parse(last_game_time!)).toBeLessThanOrEqual(Date.parse(cup.endAt!));
  clock.now += 7 * DAY;
  expect(one.matchLadder(state()!, "pc", { offset: 0, limit: 5 })).toEqual(ladder);
});
