/** Whole stashes: every tab with its items, tabs in folders and in other tabs included. */
import type { StashTab } from "@game-data/schemas";
import * as Effect from "effect/Effect";
import type { Groups, StashCallOptions, StashTabs, TabFailure } from "../Api.ts";
import type { GameApiError } from "../Errors.ts";

type Methods = Pick<Groups["stashes"], "get" | "list">;
type League = Parameters<Methods["list"]>[0];
type Stub = Pick<StashTab, "children" | "id">;

/** Fetches all tabs of a league. Tabs that cannot be fetched are listed in `failures`. */
export const fetchAllTabs =
  (methods: Methods) =>
  (league: League, options: StashCallOptions = {}) =>
    Effect.flatMap(methods.list(league, options), (tabs) =>
      fetchTabs(methods, league, topTabs(tabs), options),
    );

/** Fetches the tabs with these ids. Absent tabs are left out. */
export const fetchSomeTabs =
  (methods: Methods) =>
  (
    { ids, ...league }: League & { readonly ids: ReadonlyArray<string> },
    options: StashCallOptions = {},
  ) => {
    const stubs = ids.map((id) => ({ id }));
    return fetchTabs(methods, league, stubs, options);
  };

const fetchTabs = Effect.fnUntraced(function* (
  { get }: Methods,
  league: League,
  stubs: ReadonlyArray<Stub>,
  { concurrency = 4, ...options }: StashCallOptions,
): Effect.fn.Return<StashTabs, GameApiError> {
  const failures: Array<TabFailure> = [];
  /** Fetches a tab, or `null` if it is absent. A refused token or request ends the whole call. */
  const fetchTab = (ids: Omit<TabFailure, "error">) =>
    Effect.catchIf(get({ ...league, ...ids }, options), concernsOneTab, (error) => {
      failures.push({ ...ids, error });
      return Effect.succeed(null);
    });
  // Two passes, because nested loops would have up to `concurrency` squared requests in flight.
  const fetched = yield* Effect.forEach(stubs, ({ id }) => fetchTab({ stash_id: id }), {
    concurrency,
  });
  const subTabs = stubs.flatMap((stub, index) => {
    const parent = fetched[index];
    const children = parent?.children ?? stub.children ?? [];
    return parent ? children.map((child) => ({ parent, child })) : [];
  });
  const children = yield* Effect.forEach(
    subTabs,
    ({ child, parent }) =>
      child.items != null
        ? Effect.succeed(child)
        : Effect.map(
            fetchTab({ stash_id: parent.id, substash_id: child.id }),
            // The service returns a sub-tab inside its parent.
            (wrapped) => wrapped?.children?.find(({ id }) => id === child.id) ?? wrapped,
          ),
    { concurrency },
  );
  const tabs = fetched.flatMap((tab) => {
    if (!tab) return [];
    const own = children.flatMap((child, index) =>
      child !== null && subTabs[index]!.parent === tab ? [child] : [],
    );
    return [own.length === 0 ? tab : { ...tab, children: own }];
  });
  return { tabs, failures };
});

/** Returns the tabs to fetch, tabs in folders included. Omits folders and sub-tabs. */
const topTabs = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<StashTab> => {
  const byId = new Map(tabs.map((tab) => [tab.id, tab]));
  return tabs.flatMap((tab) => {
    if (tab.type === "Folder") return topTabs(tab.children ?? []);
    const parent = tab.parent ? byId.get(tab.parent) : undefined;
    // A flat list contains sub-tabs beside their parent.
    return parent !== undefined && parent.type !== "Folder" ? [] : [tab];
  });
};

const concernsOneTab = (error: GameApiError): boolean =>
  !["Unauthorized", "Forbidden", "InvalidRequest"].includes(error._tag) &&
  !(error._tag === "TransportError" && error.reason === "closed");
