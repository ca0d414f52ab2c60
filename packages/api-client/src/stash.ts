/**
 * Helpers for stash tabs: lists all of them, counts tabs and items, and finds the league that an
 * account plays in.
 *
 * Folders and tabs with sub-tabs hold others in `children`, in responses of the service and in the
 * result of `stashes.all`.
 */
import type { Character, StashTab } from "@game-data/schemas";

/**
 * Every tab once, in order: a tab comes before those within it, which its `children` no longer
 * repeat. Folders stay in the list.
 *
 * ```ts
 * import { flattenTabs } from "@game-data/api-client/stash";
 *
 * const coins = { id: "0000000002", name: "Coins", type: "CurrencyStash", metadata: {} };
 * const trade = { id: "0000000001", name: "Trade", type: "Folder", metadata: {} };
 * const folder = { ...trade, children: [coins] };
 * const names = flattenTabs([folder]).map(({ name }) => name);
 * if (names.join() !== "Trade,Coins") throw new Error(names.join());
 * ```
 */
export const flattenTabs = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<StashTab> =>
  tabs.flatMap(({ children, ...tab }) => [tab, ...flattenTabs(children ?? [])]);

/**
 * The tabs of a list that are fetched by their own id: those in folders included, folders and
 * sub-tabs left out. `stashes.get` of such a tab brings its sub-tabs with it.
 */
export const topTabs = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<StashTab> => {
  const byId = new Map(tabs.map((tab) => [tab.id, tab]));
  return tabs.flatMap((tab) => {
    if (tab.type === "Folder") return topTabs(tab.children ?? []);
    const parent = tab.parent ? byId.get(tab.parent) : undefined;
    // A flat list names sub-tabs beside their parent.
    return parent !== undefined && parent.type !== "Folder" ? [] : [tab];
  });
};

/**
 * The items in the tabs and in all tabs within them, as far as they were fetched; those in sockets
 * are part of their item.
 */
export const countItems = (tabs: ReadonlyArray<StashTab>): number =>
  tabs.reduce(
    (sum, { children, items }) => sum + (items?.length ?? 0) + countItems(children ?? []),
    0,
  );

/** The tabs of a type. */
export interface TabType {
  readonly type: string;
  readonly tabs: number;
  readonly items: number;
}

/**
 * Counts tabs and items by type, the fullest type first. Tabs within tabs
 * count by their own type.
 */
export const countByType = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<TabType> =>
  [...Map.groupBy(flattenTabs(tabs), ({ type }) => type)]
    .map(([type, all]) => ({ type, tabs: all.length, items: countItems(all) }))
    .toSorted((a, b) => b.items - a.items);

/** The ids of the tabs that can hold items: folders themselves are left out. */
export const tabIds = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<string> =>
  flattenTabs(tabs)
    .filter(({ type }) => type !== "Folder")
    .map(({ id }) => id);

/**
 * The league that an account plays in now: that of the character played last, else of any that is
 * in one.
 */
export const currentLeague = (characters: ReadonlyArray<Character>): string | undefined => {
  const inLeague = characters.filter(({ league }) => league != null);
  return (inLeague.find(({ current }) => current === true) ?? inLeague[0])?.league ?? undefined;
};
