/** Stash tabs of an account or of its guild: all of a league, or some. */
import type { StashTab } from "@game-data/schemas";
import * as Effect from "effect/Effect";
import type { CallOptions } from "../CallOptions.ts";
import type { GameApiError } from "../Errors.ts";
import type { StashCallOptions, StashTabs, TabFailure } from "../Model.ts";
import { topTabs } from "../stash.ts";

/** The two methods that both kinds of stashes have. */
export interface TabMethods<Request> {
  readonly list: (
    request: Request,
    options?: CallOptions,
  ) => Effect.Effect<ReadonlyArray<StashTab>, GameApiError>;
  readonly get: (
    request: Request & { readonly stash_id: string; readonly substash_id?: string | undefined },
    options?: CallOptions,
  ) => Effect.Effect<StashTab | null, GameApiError>;
}

type TabStub = Pick<StashTab, "id" | "children">;

/** All tabs of a league with their items; tabs in folders and sub-tabs included. */
export const fetchAllTabs = <Request>(
  methods: TabMethods<Request>,
  request: Request,
  options: StashCallOptions = {},
): Effect.Effect<StashTabs, GameApiError> =>
  Effect.flatMap(methods.list(request, options), (tabs) =>
    fetchTabs(methods, request, topTabs(tabs), options),
  );

/** Some tabs of a league with their items, by their ids. */
export const fetchSomeTabs = <Request>(
  methods: TabMethods<Request>,
  request: Request,
  ids: ReadonlyArray<string>,
  options?: StashCallOptions,
): Effect.Effect<StashTabs, GameApiError> =>
  fetchTabs(
    methods,
    request,
    ids.map((id) => ({ id, children: [] })),
    options,
  );

/**
 * A tab that cannot be fetched is listed in `failures`. A refused token or request ends the call.
 */
const fetchTabs = Effect.fnUntraced(function* <Request>(
  { get }: TabMethods<Request>,
  request: Request,
  stubs: ReadonlyArray<TabStub>,
  { concurrency = 4, ...options }: StashCallOptions = {},
): Effect.fn.Return<StashTabs, GameApiError> {
  const failures: Array<TabFailure> = [];

  const fetchTabOrNull = (stash_id: string, substash_id?: string) => {
    const ids = { stash_id, ...(substash_id !== undefined && { substash_id }) };
    return Effect.catchIf(get({ ...request, ...ids }, options), isTabError, (error) => {
      failures.push({ ...ids, error });
      return Effect.succeed(null);
    });
  };

  // Two passes, each bounded by `concurrency`: a loop within a loop would square it.
  const tabs = yield* Effect.forEach(stubs, ({ id }) => fetchTabOrNull(id), { concurrency });
  const subTabs = stubs.flatMap((stub, index) => {
    const tab = tabs[index];
    return tab === null || tab === undefined
      ? []
      : (tab.children ?? stub.children ?? []).map((child) => ({ tab, child }));
  });
  const fetched = yield* Effect.forEach(
    subTabs,
    ({ child, tab }) =>
      child.items !== undefined && child.items !== null
        ? Effect.succeed<StashTab | null>(child)
        : Effect.map(
            fetchTabOrNull(tab.id, child.id),
            // A sub-tab comes wrapped in its parent.
            (wrapped) => wrapped?.children?.find(({ id }) => id === child.id) ?? wrapped,
          ),
    { concurrency },
  );
  const childrenOf = Map.groupBy(
    subTabs.map(({ tab }, index) => ({ tab, child: fetched[index] })),
    ({ tab }) => tab,
  );
  return {
    failures,
    tabs: tabs.flatMap((tab) => {
      if (tab === null) return [];
      const children = childrenOf.get(tab);
      if (children === undefined) return [tab];
      return [{ ...tab, children: children.flatMap(({ child }) => child ?? []) }];
    }),
  };
});

/** Whether an error concerns one tab only, so that the others can still be fetched. */
const isTabError = (error: GameApiError): boolean =>
  error._tag !== "Unauthorized" && error._tag !== "Forbidden" && error._tag !== "InvalidRequest";
