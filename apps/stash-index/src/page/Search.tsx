/** Search: filters, results that change while listings come and go, and the price check. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ListedItem, WatchEvent } from "../web/records.ts";
import { useAddress } from "./address.tsx";
import { get, useApi, useEvents } from "./api.ts";
import { Refusal } from "./components.tsx";
import { FilterForm } from "./FilterForm.tsx";
import { searchQuery } from "./filters.ts";
import { FromItem } from "./FromItem.tsx";
import { PriceCheckPanel } from "./PriceCheckPanel.tsx";
import { Results } from "./Results.tsx";

interface Found {
  readonly league: string;
  readonly currency: string;
  readonly items: ReadonlyArray<ListedItem>;
  readonly cursor: string | null;
}

/** Milliseconds for which a listing that ended stays in sight, struck through. */
const ENDED_MILLIS = 20_000;
const REFRESH_MILLIS = 400;

/** Shows the search. */
export const Search = ({ league }: { readonly league: string }) => {
  const parameters = useAddress();
  const shown = new URLSearchParams(parameters);
  shown.set("league", league);
  const filters = searchQuery(shown);
  const path = `search?${filters}&sort=${parameters.get("sort") ?? "price"}`;
  const { ended, news, version, watch } = useNews(path);
  const { error, isLoading, result } = useApi<Found>(path, version);
  useEvents<WatchEvent>(error === undefined ? `watch?${filters}` : undefined, watch);
  const { pages, showMore } = usePages(path, result);
  const items = useKept(
    pages.flatMap((page) => page.items),
    ended,
    path,
  );
  return (
    <div class="search">
      <div class="side">
        <FilterForm league={league} error={error} />
        <FromItem />
      </div>
      <section class="card results" aria-label="Results" aria-busy={isLoading}>
        <div class="results-head">
          <h2>Listings</h2>
          <p role="status" class="muted">
            {news}
          </p>
        </div>
        <Refusal error={error} />
        {error === undefined && (
          <Results
            items={items}
            ended={ended}
            currency={result?.currency ?? ""}
            isLoading={isLoading}
            wanted={parameters.getAll("mod")}
          />
        )}
        {showMore !== undefined && (
          <p class="buttons">
            <button type="button" onClick={() => void showMore()}>
              More listings
            </button>
          </p>
        )}
      </section>
      <PriceCheckPanel
        filters={filters}
        version={version}
        isOpen={parameters.get("check") === "yes"}
      />
    </div>
  );
};

/** The pages of results that are shown, and what adds one; a new search begins with one again. */
const usePages = (path: string, first: Found | undefined) => {
  const [more, setMore] = useState<ReadonlyArray<Found>>([]);
  useEffect(() => setMore([]), [path]);
  const pages = first === undefined ? [] : [first, ...more];
  const cursor = pages.at(-1)?.cursor ?? null;
  const showMore = async () => {
    const page = await get<Found>(`${path}&cursor=${cursor}`);
    setMore((before) => [...before, page]);
  };
  return { pages, showMore: cursor === null ? undefined : showMore };
};

/** What happens to the listings of a search: `version` counts what asks for them again. */
const useNews = (path: string) => {
  const [version, setVersion] = useState(0);
  const [ended, setEnded] = useState<ReadonlyMap<number, WatchEvent["kind"]>>(new Map());
  const [news, setNews] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    setEnded(new Map());
    setNews("");
  }, [path]);
  const watch = useCallback((event: WatchEvent) => {
    if (event.kind === "alive") return;
    setNews(describe(event));
    if (event.kind === "sold" || event.kind === "unlisted" || event.kind === "changed") {
      setEnded((before) => new Map([...before, [event.no, event.kind]]));
      setTimeout(
        () => setEnded((before) => new Map([...before].filter(([no]) => no !== event.no))),
        ENDED_MILLIS,
      );
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setVersion((before) => before + 1), REFRESH_MILLIS);
  }, []);
  return { ended, news, version, watch };
};

/** Listings that ended stay at their place for a while. */
const useKept = (
  items: ReadonlyArray<ListedItem>,
  ended: ReadonlyMap<number, unknown>,
  path: string,
): ReadonlyArray<ListedItem> => {
  const before = useRef<{ path: string; items: ReadonlyArray<ListedItem> }>({ path, items: [] });
  const kept = [...items];
  if (before.current.path === path)
    for (const [at, item] of before.current.items.entries())
      if (ended.has(item.no) && !items.some(({ no }) => no === item.no)) kept.splice(at, 0, item);
  before.current = { path, items: kept };
  return kept;
};

const WORDS = {
  alive: "",
  listed: "New:",
  sold: "Sold:",
  unlisted: "Unlisted:",
  repriced: "New price:",
  changed: "Changed:",
} as const;

const describe = ({ item, kind }: WatchEvent): string =>
  item === null
    ? `${WORDS[kind]} one of these listings`
    : `${WORDS[kind]} ${item.name || item.base} by ${item.seller}`;
