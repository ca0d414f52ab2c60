/** Edits of the world: what a test says about accounts, characters, items, tabs and leagues. */
import { createSandboxHandler } from "@game-data/sandbox";
import * as Conformance from "@game-data/schemas/Conformance";
import { Character, League, StashTab } from "@game-data/schemas/effect";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { toolsFor } from "./harness.ts";

const options = { seed: 1, now: "2026-03-01T12:00:00.000Z" };
const sandbox = await createSandboxHandler(options);
afterAll(() => sandbox.close());

const ACCOUNT = "Emberlyn#4071";
const at = encodeURIComponent(ACCOUNT);

const control = async (method: string, path: string, body?: unknown, to = sandbox) => {
  const response = await toolsFor(to).control(method, path, body);
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
};
const view = async (path: string, account = ACCOUNT, to = sandbox): Promise<any> => {
  const query = new URLSearchParams({ path, account });
  return (await control("GET", `/world?${query}`, undefined, to)).body;
};
const departures = (schema: any, value: unknown) =>
  Conformance.report(schema, value).filter(
    ({ kind, member }) => kind !== "unknown-word" || !member.endsWith(".realm"),
  );

beforeEach(() => control("POST", "/reset"));

describe("an item", () => {
  const id = "f00d".padStart(64, "0");

  it("is given to a character, and completed", async () => {
    const [{ name }] = (await view("/character")).characters;
    const put = await control("PUT", `/items/${id}`, {
      account: ACCOUNT,
      character: name,
      item: { typeLine: "Slate Helm", inventoryId: "Helm", rarity: "Unique", name: "Test Hat" },
    });
    expect(put.status).toBe(200);
    const { character } = await view(`/character/${name}`);
    const worn = character.equipment.filter((item: any) => item.id === id);
    const told = { typeLine: "Slate Helm", baseType: "Slate Helm", name: "Test Hat" };
    expect(worn).toMatchObject([told]);
    expect(departures(Character, character)).toEqual([]);
  });

  it("moves when it is put elsewhere, and is there once", async () => {
    const [first, second] = (await view("/character")).characters;
    const put = (name: string) =>
      control("PUT", `/items/${id}`, { account: ACCOUNT, character: name });
    await put(first.name);
    await put(second.name);
    const has = async (name: string) =>
      (await view(`/character/${name}`)).character.inventory.some((item: any) => item.id === id);
    expect([await has(first.name), await has(second.name)]).toEqual([false, true]);
  });

  it("lies in a tab, changes, is taken away, and comes back", async () => {
    const { stashes } = await view("/stash/Standard");
    const tab = stashes.find(({ type }: any) => type === "QuadStash").id;
    const items = async () => (await view(`/stash/Standard/${tab}`)).stash.items as Array<any>;
    const before = await items();
    await control("PUT", `/items/${id}`, {
      account: ACCOUNT,
      league: "Standard",
      stash: tab,
      item: { typeLine: "Gilt Orb", stackSize: 7, maxStackSize: 10, frameType: 5 },
    });
    expect((await items()).at(-1)).toMatchObject({ id, stackSize: 7, league: "Standard" });
    expect(departures(StashTab, (await view(`/stash/Standard/${tab}`)).stash)).toEqual([]);
    await control("PATCH", `/items/${id}`, { stackSize: 9 });
    expect((await items()).at(-1)).toMatchObject({ id, typeLine: "Gilt Orb", stackSize: 9 });
    await control("DELETE", `/items/${id}`);
    expect(await items()).toEqual(before);

    const [own] = before;
    await control("PATCH", `/items/${own.id}`, { note: "~price 3 gilt-orb" });
    expect((await items())[0]).toEqual({ ...own, note: "~price 3 gilt-orb" });
    await control("DELETE", `/items/${own.id}`);
    expect(await items()).toEqual(before);
    await control("DELETE", `/items/${own.id}`);
    expect(await items()).toEqual(before.slice(1));
  });
});

it("an account gets a locale and a stream, and gives them back", async () => {
  const before = await view("/profile");
  const path = `/accounts/${at}`;
  await control("PATCH", path, { livestream: "another" });
  expect(await view("/profile")).toEqual({ ...before, livestream: { name: "another" } });
  await control("PUT", path, { locale: "ja_JP" });
  const { livestream: _, ...rest } = before;
  expect(await view("/profile")).toEqual({ ...rest, locale: "ja_JP" });
  expect((await control("DELETE", path)).status).toBe(204);
  expect(await view("/profile")).toEqual(before);
});

it("a character is added, changed and taken back", async () => {
  const before = await view("/character");
  const path = `/accounts/${at}/characters/pc/Tester`;
  await control("PUT", path, { class: "Witch", level: 90 });
  await control("PATCH", path, { league: "Hardcore" });
  const { characters } = await view("/character");
  expect(characters.slice(0, -1)).toEqual(before.characters);
  const tester = { name: "Tester", class: "Witch", level: 90, league: "Hardcore" };
  expect(characters.at(-1)).toMatchObject(tester);
  expect(characters.at(-1)).not.toHaveProperty("equipment");
  const { character } = await view("/character/Tester");
  expect(character.inventory).toEqual([]);
  expect(departures(Character, character)).toEqual([]);
  const [{ name }] = before.characters;
  await control("PATCH", `/accounts/${at}/characters/pc/${name}`, { level: 3 });
  const seeded = (await view(`/character/${name}`)).character;
  expect(seeded.level).toBe(3);
  expect(seeded.equipment.length).toBeGreaterThan(5);
  await control("DELETE", path);
  await control("DELETE", `/accounts/${at}/characters/pc/${name}`);
  expect(await view("/character")).toEqual(before);
});

it("a tab is added and renamed, and holds what is put into it", async () => {
  const path = `/accounts/${at}/stashes/pc/Standard/00000000aa`;
  await control("PUT", path, { name: "Test tab", metadata: { colour: "ff0000" } });
  await control("PATCH", path, { name: "Renamed", metadata: { public: true } });
  const [id, item] = ["00000000aa", "1".repeat(64)];
  await control("PUT", `/items/${item}`, { account: ACCOUNT, league: "Standard", stash: id });
  const metadata = { colour: "ff0000", public: true };
  expect((await view("/stash/Standard")).stashes.at(-1)).toEqual({
    id,
    name: "Renamed",
    type: "PremiumStash",
    metadata,
  });
  expect((await view(`/stash/Standard/${id}`)).stash.items).toMatchObject([{ id: item }]);
});

it("a league is added and changed", async () => {
  await control("PUT", "/leagues/pc/Test%20League", { endAt: "2026-04-01T00:00:00Z" });
  await control("PATCH", "/leagues/pc/Standard", { description: "Edited" });
  const { leagues } = await view("/league?limit=50");
  const added = leagues.find(({ id }: any) => id === "Test League");
  expect(added).toMatchObject({ realm: "pc", endAt: "2026-04-01T00:00:00Z" });
  expect(departures(League, added)).toEqual([]);
  expect((await view("/league/Standard")).league.description).toBe("Edited");
  expect((await view("/stash/Test%20League")).stashes.length).toBeGreaterThan(0);
});

it("a snapshot keeps edits, and a reset forgets them", async () => {
  await control("PATCH", "/leagues/pc/Standard", { description: "Kept" });
  await control("PUT", `/accounts/${at}/characters/pc/Kept`, { level: 7 });
  const { body: snapshot } = await control("POST", "/snapshot");
  const edited = await view("/character");
  const other = await createSandboxHandler(options);
  try {
    expect((await control("POST", "/restore", snapshot, other)).status).toBe(200);
    expect(await view("/character", ACCOUNT, other)).toEqual(edited);
    expect((await view("/league/Standard", ACCOUNT, other)).league.description).toBe("Kept");
    await control("POST", "/reset", undefined, other);
    const { characters } = await view("/character", ACCOUNT, other);
    expect(characters).toHaveLength(edited.characters.length - 1);
  } finally {
    await other.close();
  }
});
