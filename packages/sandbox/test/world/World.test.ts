import * as Conformance from "@game-data/schemas/Conformance";
import { Character, PublicStashPage, StashTab } from "@game-data/schemas/effect";
import type { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { changeIdOf } from "../../src/world/ChangeIds.ts";
import { REALMS } from "../../src/world/Realm.ts";
import { LARGE_PAGES, resolveSizes } from "../../src/world/Sizes.ts";
import { wordsOf } from "../../src/internal/wordsOf.ts";
import { ACCOUNTS, WORLD_START, makeWorld, someItems, lieApart } from "./helpers.ts";

const uuid = ACCOUNTS[0]!.uuid;
const STANDARD = { account: uuid, realm: "pc", league: "Standard" } as const;
const { world } = makeWorld();
const items = someItems(world);
const everything = [...items.game1, ...items.game2, ...items.stash, ...items.stream];

/** Everything that a world answers, cut to a size that can be compared. */
const picture = (seed: number, worldStart = WORLD_START) => {
  const { world: one } = makeWorld(seed, {}, worldStart);
  const standard = one.league("pc", "Standard")!;
  const stashes = one.stashes(STANDARD);
  return {
    character: one.character(uuid, "pc", one.characters(uuid, "pc")[0]!.name),
    stashes,
    tab: one.stash(STANDARD, stashes[1]!.id),
    guild: one.guildStashes(STANDARD),
    atlas: one.leagueAccount(STANDARD),
    ladder: one.ladders.page(standard, "pc", "depth", { offset: 90, limit: 10 }),
    page: one.stream("pc").page(150, worldStart),
    markets: one.exchange.answer("game2", undefined, worldStart),
  };
};

it("a change id that nobody can have been given yet is none", () => {
  const stream = makeWorld().world.stream("pc");
  const end = stream.visible(WORLD_START);
  expect(stream.position(stream.idAt(end), WORLD_START)).toBe(end);
  expect(stream.position(stream.idAt(end + 1), WORLD_START)).toBeUndefined();
  expect(stream.position(stream.idAt(end + 1), WORLD_START + 60_000)).toBe(end + 1);
});

it("change ids say nothing about their order", () => {
  const firsts = Array.from({ length: 50 }, (_, position) =>
    Number(changeIdOf("key", position).split("-")[0]),
  );
  const rising = firsts.filter((first, index) => index > 0 && first > firsts[index - 1]!).length;
  expect(rising).toBeGreaterThan(10);
  expect(rising).toBeLessThan(40);
});

it("pages of the stream can have about 5 MB", () => {
  const { world: large } = makeWorld(1, LARGE_PAGES);
  const bytes = JSON.stringify(large.stream("pc").page(0, WORLD_START)).length;
  expect(bytes).toBeGreaterThan(4_000_000);
  expect(bytes).toBeLessThan(7_000_000);
});

it("sizes are whole numbers, and have least values", () => {
  const small = { streamStashes: 0, streamPageSize: 0.5, exchangeKeepHours: -3, streamItems: 7.9 };
  const least = { streamStashes: 16, streamPageSize: 1, exchangeKeepHours: 1, streamItems: 7 };
  expect(resolveSizes(small)).toMatchObject(least);
});

it("the stream stands still when nobody changes anything", () => {
  const stream = makeWorld(1, { streamChangesPerMinute: 0 }).world.stream("pc");
  expect(stream.visible(WORLD_START + 86_400_000)).toBe(3000);
  expect(stream.madeAt(3000)).toBe(Infinity);
});

describe("the world of a seed", () => {
  it("is the same every time, whatever was asked before", () => {
    const { world: busy } = makeWorld(7);
    busy.ladders.page(busy.league("pc", "Hardcore")!, "pc", "xp", { offset: 0, limit: 3 });
    busy.stream("console_a").page(0, WORLD_START);
    expect(picture(7)).toEqual(picture(7));
    expect(busy.stashes(STANDARD)).toEqual(picture(7).stashes);
  });

  it("follows the specification to the letter for another seed as well", () => {
    const { world: one } = makeWorld(11, { ladderSize: 100 });
    const expectFit = (schema: Schema.Constraint, value: unknown) =>
      expect(
        Conformance.report(schema, value).filter(
          ({ kind, member }) => kind !== "unknown-word" || !member.endsWith(".realm"),
        ),
      ).toEqual([]);
    for (const realm of ["pc", "game2"] as const)
      for (const { name } of one.characters(uuid, realm))
        expectFit(Character, one.character(uuid, realm, name));
    expectFit(PublicStashPage, one.stream("console_b").page(300, WORLD_START));
    const hardcore = { ...STANDARD, league: "Hardcore" };
    for (const { id } of one.stashes(hardcore)) expectFit(StashTab, one.stash(hardcore, id));
  });

  it("is another one for another seed", () => {
    const [one, other] = [picture(1), picture(2)];
    for (const name of Object.keys(one) as Array<keyof typeof one>)
      expect(one[name]).not.toEqual(other[name]);
  });

  it("is the same on another day but for its dates", () => {
    const [one, other] = [picture(1), picture(1, WORLD_START + 86_400_000 * 17)];
    expect({ ...other, markets: one.markets }).toEqual(one);
  });

  it("gives every thing an id of its own", () => {
    const ids = new Map<string, string>();
    for (const item of [...items.game1, ...items.game2, ...items.stash]) {
      expect(item.id).toMatch(/^[0-9a-f]{64}$/u);
      const text = JSON.stringify(item);
      expect(ids.get(item.id!) ?? text).toBe(text);
      ids.set(item.id!, text);
    }
    const characters = items.characters.map(({ one }) => one.id);
    expect(new Set(characters).size).toBe(characters.length);
  });

  it("never says `false` or `null` where a member can be left out", () => {
    const visit = (value: unknown, path: string): void => {
      if (value === null || value === false) {
        expect(path).toMatch(/\.(?:verified|identified)$/u);
      } else if (typeof value === "object") {
        for (const [key, inner] of Object.entries(value as object)) visit(inner, `${path}.${key}`);
      }
    };
    for (const item of everything.slice(0, 3000)) visit(item, "item");
  });

  it("keeps items apart in a tab's grid", () => {
    const sizes: Record<string, number> = { QuadStash: 24, NormalStash: 12, PremiumStash: 12 };
    const tabs = world.stashes(STANDARD).filter(({ type }) => type in sizes);
    const itemsOf = (id: string) => world.stash(STANDARD, id)!.items ?? [];
    expect(tabs.filter(({ id, type }) => !lieApart(itemsOf(id), sizes[type]!))).toEqual([]);
  });
});

describe("what belongs to one game", () => {
  const GAME_2 = wordsOf(`
    gemSockets unidentifiedTier sanctified weaponRequirements supportGemRequirements grantedSkills
    runeMods desecratedMods desecrated gemTabs gemBackground gemSkill
  `);

  it("members of items that are game 2 only occur on items of game 2 alone, each of them [RC-046] [RC-004]", () => {
    const foreign = [...items.game1, ...items.stash, ...items.stream].filter((item) =>
      [...GAME_2, "realm"].some((name) => Object.hasOwn(item, name)),
    );
    expect(foreign).toEqual([]);
    const seen = new Set(items.game2.flatMap((item) => Object.keys(item)));
    for (const name of GAME_2) expect(seen).toContain(name);
    for (const item of items.game2) expect(item.realm).toBe("game2");
  });

  it("sockets have attr and sColour in game 1, type and item in game 2 [RC-064] [RC-004]", () => {
    const sockets = (list: typeof everything) => list.flatMap((item) => item.sockets ?? []);
    const [first, second] = [sockets([...items.game1, ...items.stash]), sockets(items.game2)];
    expect(Math.min(first.length, second.length)).toBeGreaterThan(20);
    for (const socket of first) {
      expect(Object.keys(socket).toSorted()).toEqual(["attr", "group", "sColour"]);
    }
    for (const socket of second) {
      expect(socket).not.toHaveProperty("attr");
      expect(socket).not.toHaveProperty("sColour");
      expect(["gem", "jewel", "rune"]).toContain(socket.type);
    }
    expect(second.some((socket) => socket.item !== undefined)).toBe(true);
  });

  it("crucible mods are those of allocated nodes [RC-052]", () => {
    const withTree = everything.filter((item) => item.crucible !== undefined);
    expect(withTree.length).toBeGreaterThan(3);
    for (const { crucible, crucibleMods } of withTree) {
      const nodes = Object.values(crucible!.nodes);
      expect(nodes.some((node) => node.allocated !== true)).toBe(true);
      const allocated = nodes
        .filter((node) => node.allocated === true)
        .flatMap((node) => node.stats ?? []);
      expect(crucibleMods).toEqual(allocated);
    }
  });

  it("extended stands on items of the public stream, and nowhere else [RC-055]", () => {
    expect(items.stream.some((item) => item.extended !== undefined)).toBe(true);
    const elsewhere = [...items.game1, ...items.game2, ...items.stash];
    expect(elsewhere.filter((item) => Object.hasOwn(item, "extended"))).toEqual([]);
  });

  it("accounts have the same characters in no two realms", () => {
    const ids = REALMS.map((realm) => world.characters(uuid, realm).map(({ id }) => id));
    expect(new Set(ids.flat()).size).toBe(ids.flat().length);
    expect(ids.every((list) => list.length > 0)).toBe(true);
  });
});

describe("what a world costs", () => {
  it("is built on demand: nothing is computed to make one", () => {
    const millisOf = (run: () => void): number => {
      const begun = process.hrtime.bigint();
      run();
      return Number(process.hrtime.bigint() - begun) / 1e6;
    };
    // The best of several runs beside each other: what else the machine does hits both.
    const best = (run: () => void) => Math.min(...[1, 2, 3, 4].map(() => millisOf(run)));
    const ladder = best(() => {
      const { world: one } = makeWorld(3);
      one.ladders.page(one.league("pc", "Standard")!, "pc", "xp", { offset: 0, limit: 1 });
    });
    const worlds = best(() => {
      for (let seed = 0; seed < 20; seed++) makeWorld(seed);
    });
    expect(worlds).toBeLessThan(ladder);
  });
});
