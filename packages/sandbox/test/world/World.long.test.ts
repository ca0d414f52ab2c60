/** The generated world of a seed: the same every time, to the letter of the specification. */
import { createHash } from "node:crypto";
import { Character, PublicStashPage, StashTab } from "@game-data/schemas";
import * as Conformance from "@game-data/schemas/Conformance";
import type { PlainRecord } from "@game-data/schemas/PlainRecord";
import { expect, it } from "vitest";
import { LARGE_PAGES } from "../../src/world/Sizes.ts";
import { ACCOUNTS, lieApart, makeWorld, someItems, WORLD_START } from "./helpers.ts";

const uuid = ACCOUNTS[0]!.uuid;
const STANDARD = { account: uuid, realm: "pc", league: "Standard" } as const;
const { world } = makeWorld();
const items = someItems(world);

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

it("pages of the stash stream with LARGE_PAGES have about 5 MB", () => {
  const { world: large } = makeWorld(1, LARGE_PAGES);
  const bytes = JSON.stringify(large.stream("pc").page(0, WORLD_START)).length;
  expect(bytes).toBeGreaterThan(4_000_000);
  expect(bytes).toBeLessThan(7_000_000);
});

it("a seed gives the same world in any order of requests, with other dates on another day", () => {
  const { world: busy } = makeWorld(7);
  busy.ladders.page(busy.league("pc", "Hardcore")!, "pc", "xp", { offset: 0, limit: 3 });
  busy.stream("console_a").page(0, WORLD_START);
  const first = picture(7);
  expect(picture(7)).toEqual(first);
  expect(busy.stashes(STANDARD)).toEqual(first.stashes);
  const later = picture(7, WORLD_START + 86_400_000 * 17);
  expect({ ...later, markets: first.markets }).toEqual(first);
  const other = picture(8);
  for (const name of Object.keys(first) as Array<keyof typeof first>)
    expect(other[name]).not.toEqual(first[name]);
});

// A change needs a changeset. `vitest -u` writes the new hash.
it("the generated world of seed 1 keeps the same bytes", () => {
  const { characters, stash, stream } = items;
  const text = JSON.stringify([picture(1), characters, stash, stream]);
  expect(createHash("sha256").update(text).digest("hex")).toMatchInlineSnapshot(
    `"f6b6494431cbddf233cb34468021f275e6d3496982a48d896ffce5c63fe6dcf7"`,
  );
});

it("the world of another seed conforms to the specification", () => {
  const { world: one } = makeWorld(11, { ladderSize: 100 });
  const expectFit = (record: PlainRecord<unknown>, value: unknown) =>
    expect(
      Conformance.report(record, value).filter(
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

it("only equal items of the world have the same id", () => {
  const ids = new Map<string, string>();
  for (const item of [...items.game1, ...items.game2, ...items.stash]) {
    expect(item.id).toMatch(/^[0-9a-f]{64}$/u);
    const text = JSON.stringify(item);
    expect(ids.get(item.id!) ?? text).toBe(text);
    ids.set(item.id!, text);
  }
});

it("no item has `false` or `null` in a member that can be left out", () => {
  const visit = (value: unknown, path: string): void => {
    if (value === null || value === false)
      return expect(path).toMatch(/\.(?:verified|identified)$/u);
    if (typeof value !== "object") return;
    for (const [key, inner] of Object.entries(value as object)) visit(inner, `${path}.${key}`);
  };
  const everything = [...items.game1, ...items.game2, ...items.stash, ...items.stream];
  for (const item of everything.slice(0, 3000)) visit(item, "item");
  expect(everything.length).toBeGreaterThan(3000);
});

it("items in the grid of a stash tab do not overlap", () => {
  const sizes: Record<string, number> = { QuadStash: 24, NormalStash: 12, PremiumStash: 12 };
  const tabs = world.stashes(STANDARD).filter(({ type }) => type in sizes);
  const itemsOf = (id: string) => world.stash(STANDARD, id)!.items ?? [];
  expect(tabs.filter(({ id, type }) => !lieApart(itemsOf(id), sizes[type]!))).toEqual([]);
});
