import { scopes } from "@game-data/contract";
import { startSandbox } from "@game-data/sandbox";
import type { Character, StashTab } from "@game-data/schemas";
import { Effect } from "effect";
import { expect, it } from "vitest";
import { GameApi, type GameApiError } from "../src/index.ts";
import {
  countByType,
  countItems,
  currentLeague,
  fetchTabs,
  flattenTabs,
  tabIds,
} from "../src/Stash.ts";
import { clientLayer, tokenFor } from "./sandbox.ts";

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

it("fetches the tabs that are asked for, and names those that cannot be had", async () => {
  const sandbox = await startSandbox({ seed: 1 });
  try {
    const credentials = await tokenFor(sandbox, scopes);
    await Effect.runPromise(
      Effect.gen(function* () {
        const { characters, stashes } = yield* GameApi;
        const league = currentLeague(yield* characters.list()) ?? "";
        const ids = tabIds(yield* stashes.list({ league })).slice(0, 2);
        const failing = (tag: string) => ({
          get: (request: { readonly league: string; readonly stash_id: string }) =>
            request.stash_id === "broken"
              ? Effect.fail({ _tag: tag } as GameApiError)
              : stashes.get(request),
        });
        const wanted = [...ids, "ffffffffff", "broken"];
        const { failures, tabs: found } = yield* fetchTabs(failing("Timeout"), league, wanted);
        expect(found.map(({ id }) => id)).toEqual(ids);
        expect(found.every(({ items: held }) => Array.isArray(held))).toBe(true);
        expect(failures).toEqual([{ stash_id: "broken", error: { _tag: "Timeout" } }]);
        const refused = yield* Effect.flip(fetchTabs(failing("Forbidden"), league, wanted));
        expect(refused._tag).toBe("Forbidden");
      }).pipe(Effect.provide(clientLayer(sandbox, { credentials }))),
    );
  } finally {
    await sandbox.close();
  }
}, 60_000);

it("looks into the league of the character played last", () => {
  const playing = (league: string | null, current?: true) => ({ league, current }) as Character;
  expect(currentLeague([playing("A"), playing("B", true)])).toBe("B");
  expect(currentLeague([playing(null, true), playing("A")])).toBe("A");
  expect(currentLeague([playing(null)])).toBeUndefined();
});
