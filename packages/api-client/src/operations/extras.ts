/** The methods that take several requests: stash tabs, ranks of a ladder, filters by name. */
import type { FilterCreate } from "@game-data/contract";
import { Limits } from "@game-data/contract/routes";
import type { Requests } from "@game-data/contract/routes";
import { amount } from "@game-data/rate-limit/options";
import type { StashTab } from "@game-data/schemas";
import type { Api } from "../Api.ts";
import type { CallOptions } from "../CallOptions.ts";
import type { GameApiError } from "../Errors.ts";
import type {
  FilterCallOptions,
  FilterOutcome,
  Rank,
  RanksOptions,
  RanksRequest,
  StashCallOptions,
  StashTabs,
  TabFailure,
} from "../Model.ts";
import { topTabs } from "../stash.ts";
import { splitOptions, uncallable } from "./checkOptions.ts";
import type { Kit, AnyFace, Out } from "./Kit.ts";
import { isLastPage } from "./paging.ts";

/** Creates the filter, or updates the one of the same name and realm. */
export const upsertFilter =
  (kit: Kit, { create, list, update }: Api<AnyFace>["itemFilters"]) =>
  (filter: FilterCreate, options?: FilterCallOptions): Out<FilterOutcome> =>
    kit.flatMap(list(splitOptions(options, ["validate"])[1]), (filters) => {
      const same = filters.find(
        ({ filter_name, realm }) => filter_name === filter.filter_name && realm === filter.realm,
      );
      if (same === undefined)
        return kit.map(create(filter, options), (made) => ({ status: "created", filter: made }));
      // A public filter stays public (§3), so `public: false` is left out.
      const { public: isPublic, ...changes } = filter;
      return update(same.id, { ...changes, ...(isPublic === true && { public: true }) }, options);
    });

type LadderPage = {
  readonly total: number;
  readonly entries: ReadonlyArray<Rank>;
} | null;

/** Ranks in their order, page by page; `null` if there is no such league or ladder. */
export const fetchRanks =
  (kit: Kit, { eventLadder, ladder }: Api<AnyFace>["leagues"]) =>
  (request: RanksRequest, given?: RanksOptions): Out<ReadonlyArray<Rank> | null> => {
    const [{ onProgress }, options] = splitOptions(given, ["onProgress"]);
    const { class: byClass, count = Limits.ladderDepth, event = false, sort, ...rest } = request;
    if (!amount.fits(count) && count !== Number.POSITIVE_INFINITY)
      return kit.fail(uncallable("leagues.ranks", "count: must be an integer of at least 0"));
    const { offset: first = 0, ...league } = rest;
    const order = byClass === undefined ? { sort } : { sort: "class" as const, class: byClass };
    const page = (offset: number, limit: number): Out<LadderPage> => {
      const part = { ...league, limit, ...(offset > 0 && { offset }) };
      return event
        ? eventLadder(part, options)
        : ladder({ ...part, ...order } as Requests["leagues.ladder"], options);
    };
    const after = (ranks: ReadonlyArray<Rank>): Out<ReadonlyArray<Rank> | null> => {
      if (ranks.length >= count) return kit.succeed(ranks);
      const limit = Math.min(Limits.ladder.max, count - ranks.length);
      const offset = first + ranks.length;
      return kit.flatMap(page(offset, limit), (found) => {
        if (found === null) return kit.succeed(ranks.length === 0 ? null : ranks);
        const more = [...ranks, ...found.entries];
        if (count > Limits.ladder.max) onProgress?.(more.length);
        return isLastPage("leagues.ladder", found, offset, limit) ? kit.succeed(more) : after(more);
      });
    };
    return after([]);
  };

type TabRequest<Request> = Request & {
  readonly stash_id: string;
  readonly substash_id?: string | undefined;
};

/** The two methods that both kinds of stashes have. */
interface TabMethods<Request> {
  readonly list: (request: Request, options?: CallOptions) => Out<ReadonlyArray<StashTab>>;
  readonly get: (request: TabRequest<Request>, options?: CallOptions) => Out<StashTab | null>;
}

/** All tabs of a league with their items; tabs in folders and sub-tabs included. */
export const fetchAllTabs =
  <Request>(kit: Kit, { get, list }: TabMethods<Request>) =>
  (request: Request, options?: StashCallOptions): Out<StashTabs> =>
    kit.flatMap(list(request, splitOptions(options, ["concurrency"])[1]), (tabs) =>
      fetchTabs(kit, get, request, { stubs: topTabs(tabs), options }),
    );

/** The tabs to fetch, and how. */
interface Wanted {
  readonly stubs: ReadonlyArray<Pick<StashTab, "id" | "children">>;
  readonly options: StashCallOptions | undefined;
}

/**
 * Fetches tabs with their items. One that cannot be fetched is listed in `failures`. A refused token
 * or request ends the call.
 */
export const fetchTabs = <Request>(
  kit: Kit,
  get: TabMethods<Request>["get"],
  request: Request,
  { options, stubs }: Wanted,
): Out<StashTabs> => {
  const [{ concurrency = 4 }, rest = {}] = splitOptions(options, ["concurrency"]);
  if (!(concurrency >= 1)) {
    return kit.fail(uncallable("stashes", "concurrency: must be a number of at least 1"));
  }
  const how = { concurrency, options: rest };
  const fetchTab = (
    ids: { readonly stash_id: string; readonly substash_id?: string },
    own: CallOptions,
  ): Out<Fetched> =>
    kit.catchIf<Fetched>(get({ ...request, ...ids }, own), isTabError, (error) => ({
      ...ids,
      error,
    }));
  const fetchChild = ({ child, tab }: SubTab, own: CallOptions): Out<Fetched> =>
    child.items !== undefined && child.items !== null
      ? kit.succeed(child)
      : kit.map(fetchTab({ stash_id: tab.id, substash_id: child.id }, own), (wrapped) =>
          // A sub-tab comes wrapped in its parent.
          isTab(wrapped)
            ? (wrapped.children?.find(({ id }) => id === child.id) ?? wrapped)
            : wrapped,
        );
  // Two passes, each bounded by `concurrency`: a loop within a loop would square it.
  const fetching = kit.each(stubs, how, ({ id }, own) => fetchTab({ stash_id: id }, own));
  return kit.flatMap(fetching, (tabs) => {
    const subTabs = stubs.flatMap((stub, index) => {
      const tab = tabs[index]!;
      return isTab(tab)
        ? (tab.children ?? stub.children ?? []).map((child) => ({ tab, child }))
        : [];
    });
    return kit.map(kit.each(subTabs, how, fetchChild), (children) => ({
      failures: [...tabs, ...children].filter(isFailure),
      tabs: withChildren(tabs, subTabs, children),
    }));
  });
};

/** A tab with its items, why there is none, or `null` if it is not there. */
type Fetched = StashTab | TabFailure | null;

const isFailure = (fetched: Fetched): fetched is TabFailure =>
  fetched !== null && "error" in fetched;

const isTab = (fetched: Fetched): fetched is StashTab => fetched !== null && !("error" in fetched);

interface SubTab {
  readonly tab: StashTab;
  readonly child: StashTab;
}

const withChildren = (
  tabs: ReadonlyArray<Fetched>,
  subTabs: ReadonlyArray<SubTab>,
  fetched: ReadonlyArray<Fetched>,
): ReadonlyArray<StashTab> => {
  const childrenOf = Map.groupBy(
    subTabs.map(({ tab }, index) => ({ tab, child: fetched[index]! })),
    ({ tab }) => tab,
  );
  return tabs.filter(isTab).map((tab) => {
    const own = childrenOf.get(tab);
    return own ? { ...tab, children: own.map(({ child }) => child).filter(isTab) } : tab;
  });
};

/** Whether an error concerns one tab only, so that the others can still be fetched. */
const isTabError = (error: GameApiError): boolean =>
  error._tag !== "Unauthorized" &&
  error._tag !== "Forbidden" &&
  error._tag !== "InvalidRequest" &&
  !(error._tag === "TransportError" && error.kind === "closed");
