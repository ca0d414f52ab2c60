import type { Character, StashTab } from "@game-data/schemas";
import { Effect } from "effect";
import { expect, it } from "vitest";
import { GameApi, type Transport } from "../src/index.ts";
import { countByType, countItems, currentLeague, flattenTabs, tabIds } from "../src/stash.ts";
import { fixtureTransport, layer } from "../src/testing.ts";
import { layerOver } from "./recording.ts";

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

it("counts tabs by type, the fullest first, and leaves folders out of the ids", () => {
  const [all, folder] = countByType(tabs);
  expect(all).toEqual({ type: "NormalStash", tabs: 6, items: 9 });
  expect(folder).toEqual({ type: "Folder", tabs: 1, items: 0 });
  expect(tabIds(tabs).map((id) => id.replace(/^0+/u, ""))).toEqual([
    "a",
    "b",
    "map",
    "c",
    "d",
    "e",
  ]);
});

it("fetches some tabs, leaves absent ones out, and lists those that fail", async () => {
  const ids = ["0000000001", "0000000002", "ffffffffff", "0000000bad"];
  const fixtures = (status: number) =>
    layer(
      {
        "stashes.get": ({ url }) => {
          const id = url.pathname.split("/").at(-1) ?? "";
          if (id === "0000000bad") return { status, body: {} };
          return id === "ffffffffff" ? { body: { stash: null } } : { body: { stash: tab(id) } };
        },
      },
      { retry: { times: 0 } },
    );
  const some = Effect.flatMap(GameApi, (api) => api.stashes.some({ league: "L", ids }));
  const { failures, tabs: found } = await Effect.runPromise(Effect.provide(some, fixtures(500)));
  expect(found.map(({ id }) => id)).toEqual(["0000000001", "0000000002"]);
  expect(failures).toMatchObject([{ stash_id: "0000000bad", error: { _tag: "ServerError" } }]);
  const refused = await Effect.runPromise(Effect.flip(Effect.provide(some, fixtures(403))));
  expect(refused._tag).toBe("Forbidden");
});

it.each([1, 3])("has at most %i requests in flight for a whole stash", async (concurrency) => {
  const id = (n: number) => String(n).padStart(10, "0");
  let inFlight = 0;
  let most = 0;
  const held: Transport = (request, settle) => {
    most = Math.max(most, ++inFlight);
    setTimeout(() => {
      inFlight--;
      fixtures(request, settle);
    }, 2);
    return () => undefined;
  };
  const fixtures = fixtureTransport({
    "stashes.list": {
      body: { stashes: [1, 2, 3, 4, 5].map((n) => ({ ...tab("t"), id: id(n) })) },
    },
    "stashes.get": ({ url }) => {
      const [, , , parent, child] = url.pathname.split("/");
      const children = [1, 2, 3, 4].map((n) => ({
        ...tab("sub"),
        id: id(Number(parent) * 10 + n),
        ...(child && { items: [] }),
      }));
      return { body: { stash: { ...tab("t"), id: parent, children } } };
    },
  });
  const { failures, tabs: all } = await Effect.runPromise(
    Effect.flatMap(GameApi, (api) => api.stashes.all({ league: "L" }, { concurrency })).pipe(
      Effect.provide(
        layerOver(held, { limiter: { concurrencyWithoutHeaders: 100, maxInFlight: 100 } }),
      ),
    ),
  );
  expect(failures).toEqual([]);
  expect(all.flatMap(({ children }) => children ?? [])).toHaveLength(20);
  expect(most).toBe(concurrency);
});

it("looks into the league of the character played last", () => {
  const playing = (league: string | null, current?: true) => ({ league, current }) as Character;
  expect(currentLeague([playing("A"), playing("B", true)])).toBe("B");
  expect(currentLeague([playing(null, true), playing("A")])).toBe("A");
  expect(currentLeague([playing(null)])).toBeUndefined();
});
