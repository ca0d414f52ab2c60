/**
 * What to do with the tabs that a stash is made of: one list of all of them, their items counted.
 *
 * Folders and tabs with sub-tabs hold others in `children`; the service answers so, and `stashes.all` does too.
 */
import type { StashTab } from "@game-data/schemas";

/**
 * Every tab once, in order: a tab comes before those within it, which its `children` no longer repeat. Folders stay in the list.
 *
 * ```ts
 * import { flattenTabs } from "@game-data/api-client/stash";
 *
 * const coins = { id: "0000000002", name: "Coins", type: "CurrencyStash", metadata: {} };
 * const folder = { id: "0000000001", name: "Trade", type: "Folder", metadata: {}, children: [coins] };
 * console.log(flattenTabs([folder]).map(({ name }) => name)); // ["Trade", "Coins"]
 * ```
 */
export const flattenTabs = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<StashTab> =>
  tabs.flatMap(({ children, ...tab }) => [tab, ...flattenTabs(children ?? [])]);

/** The items in the tabs and in all tabs within them, as far as they were fetched; those in sockets are part of their item. */
export const countItems = (tabs: ReadonlyArray<StashTab>): number =>
  tabs.reduce(
    (sum, { children, items }) => sum + (items?.length ?? 0) + countItems(children ?? []),
    0,
  );
