/** The view of the search: filters, listings with live changes, and the price check. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ListedItem, SearchResult } from "../web/records.ts";
import { useAddress } from "./address.tsx";
import { type Problem, send, useApi, useEvents } from "./api.ts";
import { Refusal } from "./components.tsx";
import { FilterForm, filterQuery, ORDERS } from "./FilterForm.tsx";
import { Listings } from "./Listings.tsx";
import { PriceCheck } from "./PriceCheck.tsx";

/** A page of results. The page in the browser treats the cursor as a text. */
type Found = Omit<typeof SearchResult.Type, "cursor"> & { readonly cursor: string | null };

export const Search = ({ league }: { readonly league: string }) => {
  const address = useAddress();
  const sort = (address.get("sort") ?? "") as keyof typeof ORDERS;
  const filters = filterQuery(address, league);
  const path = `search?${filters}&sort=${sort || "price"}`;
  const shown = useRef<ReadonlySet<number>>(new Set());
  const { counts, ended, show, version } = useChanges(path, `watch?${filters}`, shown);
  const { error, result } = useApi<Found>(path, version);
  const { failure, items, showMore } = usePages(path, result);
  shown.current = new Set(items.map(({ no }) => no));
  const marked = new Map(ended.map((item) => [item.no, item]));
  const isEmpty = result?.items.length === 0;
  useEffect(() => {
    if (isEmpty && counts.size > 0) show();
  }, [counts, isEmpty]);
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
            {Array.from(counts, ([kind, count]) => `${count} ${kind}`).join(", ")}
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
            items={items.map((item) => marked.get(item.no) ?? item)}
            currency={result?.currency ?? ""}
          />
        )}
        {isEmpty && (
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

/** Keeps the loaded pages of results. A new or repeated search starts again with one page. */
const usePages = (path: string, first: Found | undefined) => {
  const [more, setMore] = useState<ReadonlyArray<Found>>([]);
  const [failure, setFailure] = useState<Problem>();
  const latest = useRef(first);
  latest.current = first;
  useEffect(() => {
    setMore([]);
    setFailure(undefined);
  }, [path, first]);
  const pages = first === undefined ? [] : [first, ...more];
  const cursor = pages.at(-1)?.cursor ?? null;
  const showMore = () =>
    send<Found>(`${path}&cursor=${cursor}`).then(
      // Ignore a late page of results that are no longer shown.
      (page) => (latest.current === first ? setMore([...more, page]) : undefined),
      setFailure,
    );
  const items = pages.flatMap((page) => page.items);
  return { failure, items, showMore: cursor === null ? undefined : showMore };
};

const NO_CHANGES = { counts: new Map<string, number>(), ended: Array<ListedItem>() };
/** Maximum of ended listings kept for results that arrive later. Shown listings do not count. */
const MAX_ENDED = 2000;

/** Collects changes until `show` drops them and increases `version`, which loads the results again. */
const useChanges = (path: string, events: string, shown: RefObject<ReadonlySet<number>>) => {
  const [state, setState] = useState({ ...NO_CHANGES, version: 0 });
  const show = () => setState(({ version }) => ({ ...NO_CHANGES, version: version + 1 }));
  useEffect(() => setState(({ version }) => ({ ...NO_CHANGES, version })), [path]);
  useEvents<ReadonlyArray<ListedItem>>(events, (more) =>
    setState(({ version, ...before }) => {
      const counts = new Map(before.counts);
      for (const { ended: kind } of more)
        counts.set(kind ?? "new", (counts.get(kind ?? "new") ?? 0) + 1);
      const ended = [...before.ended, ...more.filter(({ ended: kind }) => kind !== null)].filter(
        ({ no }, at, all) => shown.current!.has(no) || at >= all.length - MAX_ENDED,
      );
      return { counts, ended, version };
    }),
  );
  return { ...state, show };
};
