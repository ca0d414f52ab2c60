/** The search: filters, listings that change while they are shown, and the price check. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { ListedItem, SearchResult } from "../web/records.ts";
import { useAddress } from "./address.tsx";
import { type Problem, send, useApi, useEvents } from "./api.ts";
import { Refusal } from "./components.tsx";
import { FilterForm, filterQuery, ORDERS } from "./FilterForm.tsx";
import { Listings } from "./Listings.tsx";
import { PriceCheck } from "./PriceCheck.tsx";

/** A cursor is opaque to the page. */
type Found = Omit<typeof SearchResult.Type, "cursor"> & { readonly cursor: string | null };

export const Search = ({ league }: { readonly league: string }) => {
  const address = useAddress();
  const sort = (address.get("sort") ?? "") as keyof typeof ORDERS;
  const filters = filterQuery(address, league);
  const path = `search?${filters}&sort=${sort || "price"}`;
  /** The numbers of the listings that are shown. */
  const shown = useRef<ReadonlySet<number>>(new Set());
  const { counts, ended, onChanges, show, version } = useChanges(path, shown);
  const { error, result } = useApi<Found>(path, version);
  const { failure, items, showMore } = usePages(path, result);
  shown.current = new Set(items.map(({ no }) => no));
  useEvents<ReadonlyArray<ListedItem>>(error ? undefined : `watch?${filters}`, onChanges);
  return (
    <div class="search">
      <FilterForm league={league} problem={error} />
      {address.has("check") && <PriceCheck filters={filters} version={version} />}
      <section class="card results" aria-label="Results">
        <div class="results-head">
          {result !== undefined && (
            <h2>
              {showMore && "The first "}
              {items.length} {items.length === 1 ? "listing" : "listings"}
              {sort === "age" ? "" : " with a price"}, {ORDERS[sort]}
            </h2>
          )}
          <p role="status" class="muted">
            {Array.from(counts, ([what, count]) => `${count} ${what}`).join(", ")}
          </p>
          {counts.size > 0 && (
            <button type="button" onClick={show}>
              Show the changes
            </button>
          )}
        </div>
        <Refusal error={error ?? failure} />
        {items.length > 0 && (
          <Listings
            items={items.map((item) => ended.get(item.no) ?? item)}
            currency={result?.currency ?? ""}
          />
        )}
        {result?.items.length === 0 && (
          <p class="lead">No listing matches. Remove a filter, or wait for new listings here.</p>
        )}
        {showMore && (
          <p class="buttons">
            <button type="button" onClick={() => void showMore()}>
              More listings
            </button>
          </p>
        )}
      </section>
    </div>
  );
};

/** The shown pages of results. A new search begins with one page again. */
const usePages = (path: string, first: Found | undefined) => {
  const [more, setMore] = useState<ReadonlyArray<Found>>([]);
  const [failure, setFailure] = useState<Problem>();
  useEffect(() => {
    setMore([]);
    setFailure(undefined);
  }, [path]);
  const pages = first === undefined ? [] : [first, ...more];
  const cursor = pages.at(-1)?.cursor ?? null;
  const showMore = () =>
    send<Found>(`${path}&cursor=${cursor}`).then((page) => setMore([...more, page]), setFailure);
  const items = pages.flatMap((page) => page.items);
  return { failure, items, showMore: cursor === null ? undefined : showMore };
};

const NO_CHANGES = {
  /** Shown listings that ended, by their numbers. */
  ended: new Map<number, ListedItem>() as ReadonlyMap<number, ListedItem>,
  /** The number of changes of each kind, such as `sold`. */
  counts: new Map<string, number>() as ReadonlyMap<string, number>,
};

/**
 * Collects the changes of a search. Shown listings that ended are marked where they are. New ones
 * appear once the reader wants them, or at once if there is no result: `show` increases `version`, so
 * that the results are loaded again.
 */
const useChanges = (path: string, shown: { readonly current: ReadonlySet<number> }) => {
  const [state, setState] = useState({ ...NO_CHANGES, version: 0 });
  useEffect(() => setState(({ version }) => ({ ...NO_CHANGES, version })), [path]);
  const show = () => setState(({ version }) => ({ ...NO_CHANGES, version: version + 1 }));
  const onChanges = (changes: ReadonlyArray<ListedItem>): void => {
    if (changes.length === 0) return;
    if (shown.current.size === 0) return show();
    setState((before) => {
      const counts = new Map(before.counts);
      for (const { ended } of changes)
        counts.set(ended ?? "new", (counts.get(ended ?? "new") ?? 0) + 1);
      const over = changes.filter(({ ended, no }) => ended !== null && shown.current.has(no));
      const ended = new Map([...before.ended, ...over.map((item) => [item.no, item] as const)]);
      return { ...before, counts, ended };
    });
  };
  return { ...state, onChanges, show };
};
