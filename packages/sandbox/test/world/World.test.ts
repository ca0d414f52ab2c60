/** The generated world, without a server. */
import { describe, expect, it } from "vitest";
import { changeIdOf } from "../../src/world/StashStream.ts";
import { REALMS } from "../../src/world/Leagues.ts";
import { wordsOf } from "../../src/internal/words.ts";
import { ACCOUNTS, WORLD_START, makeWorld, someItems } from "./helpers.ts";

const uuid = ACCOUNTS[0]!.uuid;
const { world } = makeWorld();
const items = someItems(world, 400);
const everything = [...items.game1, ...items.game2, ...items.stash, ...items.stream];

it("the stash stream refuses a change id that it has not issued yet", () => {
  const stream = makeWorld().world.stream("pc");
  const end = stream.visible(WORLD_START);
  expect(stream.position(stream.idAt(end), WORLD_START)).toBe(end);
  expect(stream.position(stream.idAt(end + 1), WORLD_START)).toBeUndefined();
  expect(stream.position(stream.idAt(end + 1), WORLD_START + 60_000)).toBe(end + 1);
});

it("change ids of the stash stream do not reveal their order", () => {
  const firsts = Array.from({ length: 50 }, (_, position) =>
    Number(changeIdOf("key", position).split("-")[0]),
  );
  const rising = firsts.filter((first, index) => index > 0 && first > firsts[index - 1]!).length;
  expect(rising).toBeGreaterThan(10);
  expect(rising).toBeLessThan(40);
});

it("the stash stream does not grow with streamChangesPerMinute 0", () => {
  const stream = makeWorld(1, { streamChangesPerMinute: 0 }).world.stream("pc");
  expect(stream.visible(WORLD_START + 86_400_000)).toBe(3000);
  expect(stream.madeAt(3000)).toBe(Infinity);
});

describe("what belongs to one game", () => {
  const GAME_2 = wordsOf(`
    gemSockets unidentifiedTier sanctified weaponRequirements supportGemRequirements grantedSkills
    runeMods desecratedMods desecrated gemTabs gemBackground gemSkill
  `);

  it("the members for game 2 only occur on items, all of them and only in game 2 [RC-046] [RC-004]", () => {
    const foreign = [...items.game1, ...items.stash, ...items.stream].filter((item) =>
      [...GAME_2, "realm"].some((name) => Object.hasOwn(item, name)),
    );
    expect(foreign).toEqual([]);
    const seen = new Set(items.game2.flatMap((item) => Object.keys(item)));
    for (const name of GAME_2) expect(seen).toContain(name);
    for (const item of items.game2) expect(item.realm).toBe("game2");
  });

  it("sockets of items have attr and sColour in game 1, type and item in game 2 [RC-064] [RC-004]", () => {
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

  it("crucibleMods of an item are the mods of the allocated nodes [RC-052]", () => {
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

  it("only items in the public stash stream have `extended` [RC-055]", () => {
    expect(items.stream.some((item) => item.extended !== undefined)).toBe(true);
    const elsewhere = [...items.game1, ...items.game2, ...items.stash];
    expect(elsewhere.filter((item) => Object.hasOwn(item, "extended"))).toEqual([]);
  });

  it("an account has different characters in each realm", () => {
    const ids = REALMS.map((realm) => world.characters(uuid, realm).map(({ id }) => id));
    expect(new Set(ids.flat()).size).toBe(ids.flat().length);
    expect(ids.every((list) => list.length > 0)).toBe(true);
  });
});
