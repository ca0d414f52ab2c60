/** The search: filters, listings that change while they are shown, and the price check. */
import { useEffect, useState } from "preact/hooks";
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
  const { changes, show, version } = useChanges(path, `watch?${filters}`);
  const { error, result } = useApi<Found>(path, version);
  const { failure, items, showMore } = usePages(path, result);
  const kinds = Map.groupBy(changes, ({ ended }) => ended ?? "new");
  const ended = new Map(changes.flatMap((item) => (item.ended ? [[item.no, item]] : [])));
  const isEmpty = items.length === 0;
  useEffect(() => {
    if (isEmpty && changes.length > 0) show();
  }, [changes, isEmpty]);
  return (
    <div class="search">
      <FilterForm league={league} />
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
            {Array.from(kinds, ([kind, all]) => `${all.length} ${kind}`).join(", ")}
          </p>
          {kinds.size > 0 && (
            <button type="button" onClick={show}>
              Show the changes
            </button>
          )}
        </div>
        <Refusal error={error ?? failure} />
        {!isEmpty && (
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

const MAX_CHANGES = 2000;

/**
 * Collects the changes of a search. Shown listings that ended are marked where they are. New ones
 * appear once the reader wants them, or at once if there is no result: `show` increases `version`, so
 * that the results are loaded again.
 */
const useChanges = (path: string, events: string) => {
  const [state, setState] = useState({ changes: Array<ListedItem>(), version: 0 });
  const show = () => setState(({ version }) => ({ changes: [], version: version + 1 }));
  useEffect(() => setState(({ version }) => ({ changes: [], version })), [path]);
  useEvents<ReadonlyArray<ListedItem>>(events, (more) =>
    setState(({ changes, version }) => ({
      changes: [...changes, ...more].slice(-MAX_CHANGES),
      version,
    })),
  );
  return { ...state, show };
};
