/**
 * What stands above single endpoints: ladders as streams, whole stashes, filters by name.
 */
import { Limits } from "@game-data/contract";
import type { FilterCreate } from "@game-data/contract";
import type { ItemFilter, StashTab } from "@game-data/schemas";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Stream from "effect/Stream";
import type { CallOptions } from "../CallOptions.ts";
import type { GameApiError } from "../Errors.ts";
import type { FilterCallOptions, FilterOutcome, TabFailure, WholeStash } from "../GameApi.ts";

interface LadderRequest {
  readonly limit?: number;
  readonly offset?: number;
}

/**
 * The entries of a ladder from `offset` on, page by page; ends with the ladder, or with the 15 000
 * entries that a ladder shows.
 */
export const ladderEntries =
  <Request extends LadderRequest, Entry>(
    page: (
      request: Request,
      options?: CallOptions,
    ) => Effect.Effect<
      { readonly total: number; readonly entries: ReadonlyArray<Entry> } | null,
      GameApiError
    >,
    largest: number,
  ) =>
  (request: Request, options?: CallOptions): Stream.Stream<Entry, GameApiError> => {
    const limit = request.limit ?? largest;
    return Stream.paginate(request.offset ?? 0, (offset) =>
      Effect.map(page({ ...request, limit, offset }, options), (ladder) => {
        const entries = ladder?.entries ?? [];
        const next = offset + entries.length;
        // A short page is the last one, whatever `total` says: ladders move while they are read.
        const isLast =
          ladder === null ||
          entries.length < limit ||
          next >= Math.min(ladder.total, Limits.ladderDepth);
        return [entries, isLast ? Option.none<number>() : Option.some(next)] as const;
      }),
    );
  };

interface TabRequest {
  readonly league: string;
  readonly realm?: string;
  readonly stash_id: string;
  readonly substash_id?: string;
}

/** All tabs of a league with their items: tabs in folders and sub-tabs included. */
export const wholeStash =
  <Request extends { readonly league: string }>(
    list: (
      request: Request,
      options?: CallOptions,
    ) => Effect.Effect<ReadonlyArray<StashTab>, GameApiError>,
    get: (
      request: TabRequest,
      options?: CallOptions,
    ) => Effect.Effect<StashTab | null, GameApiError>,
  ) =>
  (
    request: Request,
    options: CallOptions & { readonly concurrency?: number | undefined } = {},
  ): Effect.Effect<WholeStash, GameApiError> =>
    Effect.gen(function* () {
      const failures: Array<TabFailure> = [];
      const concurrency = options.concurrency ?? 4;

      /** A tab that cannot be had is named and left out; a token that is refused ends it all. */
      const attempt = (stash_id: string, substash_id?: string) =>
        get(
          { ...request, stash_id, ...(substash_id !== undefined && { substash_id }) },
          options,
        ).pipe(
          Effect.catchIf(isOneTabsFault, (error) => {
            failures.push({ stash_id, ...(substash_id !== undefined && { substash_id }), error });
            return Effect.succeed(null);
          }),
        );

      const fetchTab = Effect.fnUntraced(function* (stub: StashTab) {
        const tab = yield* attempt(stub.id);
        const stubs = tab?.children ?? stub.children ?? [];
        if (tab === null || stubs.length === 0) return tab;
        const children = yield* Effect.forEach(
          stubs,
          (child) =>
            child.items !== undefined && child.items !== null
              ? Effect.succeed<StashTab | null>(child)
              : Effect.map(
                  attempt(tab.id, child.id),
                  (wrapped) => wrapped?.children?.find(({ id }) => id === child.id) ?? wrapped,
                ),
          { concurrency },
        );
        return { ...tab, children: children.filter((child) => child !== null) };
      });

      const stubs = flatten(yield* list(request, options));
      const tabs = yield* Effect.forEach(stubs, fetchTab, { concurrency });
      return { tabs: tabs.filter((tab) => tab !== null), failures };
    });

const isOneTabsFault = (error: GameApiError) =>
  error._tag !== "Unauthorized" && error._tag !== "Forbidden" && error._tag !== "InvalidRequest";

/**
 * Tabs that have items of their own: those in folders count, folders don't, sub-tabs come with
 * their parent.
 */
const flatten = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<StashTab> => {
  const byId = new Map(tabs.map((tab) => [tab.id, tab]));
  return tabs.flatMap((tab) => {
    if (tab.type === "Folder") return flatten(tab.children ?? []);
    const parent = tab.parent ? byId.get(tab.parent) : undefined;
    // A flat list names sub-tabs beside their parent.
    return parent !== undefined && parent.type !== "Folder" ? [] : [tab];
  });
};

/** Creates the filter, or updates the one of the same name and realm. */
export const pushFilter =
  (calls: {
    readonly list: (
      options?: CallOptions,
    ) => Effect.Effect<ReadonlyArray<ItemFilter>, GameApiError>;
    readonly create: (
      filter: FilterCreate,
      options?: FilterCallOptions,
    ) => Effect.Effect<ItemFilter, GameApiError>;
    readonly update: (
      id: string,
      changes: Omit<FilterCreate, "public"> & { readonly public?: true },
      options?: FilterCallOptions,
    ) => Effect.Effect<FilterOutcome, GameApiError>;
  }) =>
  (filter: FilterCreate, options?: FilterCallOptions): Effect.Effect<FilterOutcome, GameApiError> =>
    Effect.gen(function* () {
      const filters = yield* calls.list(options);
      const same = filters.find(
        ({ filter_name, realm }) => filter_name === filter.filter_name && realm === filter.realm,
      );
      if (same === undefined) {
        return { status: "created", filter: yield* calls.create(filter, options) };
      }
      // A public filter stays public (§3): `public: false` is not said to it.
      const { public: isPublic, ...changes } = filter;
      return yield* calls.update(
        same.id,
        { ...changes, ...(isPublic === true && { public: true }) },
        options,
      );
    });
