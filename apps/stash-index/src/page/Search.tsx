/** Search: filters, results that change while listings come and go, and the price check. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ListedItem, WatchEvent } from "../web/records.ts";
import { searchQuery, useAddress } from "./address.ts";
import { get, useApi, useEvents } from "./api.ts";
import { FilterForm } from "./FilterForm.tsx";
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
  const { parameters } = useAddress();
  const shown = new URLSearchParams(parameters);
  shown.set("league", league);
  const filters = searchQuery(shown);
  const sort = parameters.get("sort") ?? "price";
  const [version, setVersion] = useState(0);
  const [more, setMore] = useState<ReadonlyArray<Found>>([]);
  const [ended, setEnded] = useState<ReadonlyMap<number, WatchEvent["kind"]>>(new Map());
  const [news, setNews] = useState("");
  const path = `search?${filters}&sort=${sort}`;
  const { error, isLoading, result } = useApi<Found>(path, version);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    setMore([]);
    setEnded(new Map());
    setNews("");
  }, [path]);

  const onEvent = useCallback((event: WatchEvent) => {
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
  useEvents<WatchEvent>(error === undefined ? `watch?${filters}` : undefined, onEvent);

  const pages = result === undefined ? [] : [result, ...more];
  const items = useKept(
    pages.flatMap((page) => page.items),
    ended,
    path,
  );
  const cursor = pages.at(-1)?.cursor ?? null;
  const showMore = async () => {
    const page = await get<Found>(`${path}&cursor=${cursor}`);
    setMore((before) => [...before, page]);
  };
  return (
    <div class="search">
      <div class="side">
        <FilterForm league={league} error={error} />
        <FromItem league={league} />
      </div>
      <section class="card results" aria-label="Results" aria-busy={isLoading}>
        <div class="results-head">
          <h2>Listings</h2>
          <p role="status" class="muted">
            {news}
          </p>
        </div>
        {error === undefined ? (
          <Results
            items={items}
            ended={ended}
            currency={result?.currency ?? ""}
            isLoading={isLoading}
          />
        ) : (
          <p class="notice notice-bad" role="alert">
            {error.parameter === undefined ? "" : `${error.parameter}: `}
            {error.message}
          </p>
        )}
        {cursor !== null && (
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
