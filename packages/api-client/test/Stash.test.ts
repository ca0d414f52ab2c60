import type { StashTab } from "@game-data/schemas";
import { expect, it } from "vitest";
import { countItems, flattenTabs } from "../src/Stash.ts";

const tab = (name: string, more: Partial<StashTab> = {}): StashTab => ({
  id: name.padStart(10, "0"),
  name,
  type: "NormalStash",
  metadata: {},
  ...more,
});

const items = (count: number) =>
  Array.from({ length: count }, () => ({}) as NonNullable<StashTab["items"]>[number]);

const tabs = [
  tab("folder", { type: "Folder", children: [tab("a", { items: items(2) }), tab("b")] }),
  tab("map", { items: null, children: [tab("c", { children: [tab("d", { items: items(3) })] })] }),
  tab("e", { items: items(4), children: null }),
];

it("lists every tab once, before those within it", () => {
  const flat = flattenTabs(tabs);
  expect(flat.map(({ name }) => name)).toEqual(["folder", "a", "b", "map", "c", "d", "e"]);
  expect(flat.every((one) => !("children" in one))).toBe(true);
  expect(flat[6]?.items).toBe(tabs[2]?.items);
});

it("leaves the tabs that it was given as they were", () => {
  flattenTabs(tabs);
  expect(tabs[0]?.children).toHaveLength(2);
});

it("counts the items of tabs in tabs, and a list counts the same flattened", () => {
  expect(countItems(tabs)).toBe(9);
  expect(countItems(flattenTabs(tabs))).toBe(9);
  expect(countItems([])).toBe(0);
});
