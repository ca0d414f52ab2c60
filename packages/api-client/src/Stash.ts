/**
 * What to do with the tabs that a stash is made of: one list of all of them, counted, fetched one
 * by one; and in which league to look.
 *
 * Folders and tabs with sub-tabs hold others in `children`; the service answers so, and
 * `stashes.all` does too.
 */
import type { Character, StashTab } from "@game-data/schemas";
import * as Effect from "effect/Effect";
import type { GameApiError } from "./Errors.ts";
import type { GameApiService, TabFailure, WholeStash } from "./GameApi.ts";

/**
 * Every tab once, in order: a tab comes before those within it, which its `children` no longer
 * repeat. Folders stay in the list.
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
 * How many tabs there are of each type and what they hold, the fullest type first. Tabs within tabs
 * count by their own type.
 */
export const countByType = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<TabType> =>
  [...Map.groupBy(flattenTabs(tabs), ({ type }) => type)]
    .map(([type, all]) => ({ type, tabs: all.length, items: countItems(all) }))
    .toSorted((a, b) => b.items - a.items);

/** The ids of the tabs that can hold items: folders are no tabs, what is in them is. */
export const tabIds = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<string> =>
  flattenTabs(tabs)
    .filter(({ type }) => type !== "Folder")
    .map(({ id }) => id);

/**
 * Some tabs of a league, one by one; `stashes.all` has them all. A tab that is not there is left
 * out, one that cannot be had is named among the failures; a refused token or request ends it all.
 */
export const fetchTabs = Effect.fn("Stash.fetchTabs")(function* (
  stashes: Pick<GameApiService["stashes"], "get">,
  league: string,
  ids: ReadonlyArray<string>,
): Effect.fn.Return<WholeStash, GameApiError> {
  const failures: Array<TabFailure> = [];
  const tabs = yield* Effect.forEach(ids, (stash_id) =>
    stashes.get({ league, stash_id }).pipe(
      Effect.catchIf(
        ({ _tag }) => !ENDING.has(_tag),
        (error) => {
          failures.push({ stash_id, error });
          return Effect.succeed(null);
        },
      ),
    ),
  );
  return { tabs: tabs.filter((tab) => tab !== null), failures };
});

const ENDING: ReadonlySet<GameApiError["_tag"]> = /*#__PURE__*/ new Set([
  "Unauthorized",
  "Forbidden",
  "InvalidRequest",
]);

/**
 * The league that an account plays in now: that of the character played last, else of any that is
 * in one.
 */
export const currentLeague = (characters: ReadonlyArray<Character>): string | undefined => {
  const inLeague = characters.filter(({ league }) => league != null);
  return (inLeague.find(({ current }) => current === true) ?? inLeague[0])?.league ?? undefined;
};
