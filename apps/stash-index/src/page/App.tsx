/** The page: search, exchange and sellers, and how far the index is. */
import { useState } from "preact/hooks";
import type { Status } from "../web/records.ts";
import { follow, hrefOf, useAddress } from "./address.ts";
import { useApi, useEvents } from "./api.ts";
import { Exchange } from "./Exchange.tsx";
import { ago } from "./format.ts";
import { Search } from "./Search.tsx";
import { Sellers } from "./Sellers.tsx";

const VIEWS = { search: "Search", exchange: "Exchange", sellers: "Sellers" } as const;

/** Draws the page. */
export const App = () => {
  const { change, parameters } = useAddress();
  const first = useApi<Status>("status");
  const [live, setLive] = useState<Status>();
  useEvents<Status>("live", setLive);
  const status = live ?? first.result;
  const view = parameters.get("view") ?? "search";
  const league = parameters.get("league") ?? status?.leagues[0]?.name ?? "";
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="masthead">
        <a class="brand" href="./">
          Stash index
        </a>
        <nav class="tabs" aria-label="Views">
          {Object.entries(VIEWS).map(([name, title]) => (
            <a
              key={name}
              href={hrefOf({ view: name })}
              onClick={follow({ view: name })}
              aria-current={view === name ? "page" : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <label class="league">
          League{" "}
          <select
            value={league}
            onChange={(event) => change({ league: event.currentTarget.value })}
          >
            {(status?.leagues ?? []).map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {status !== undefined && <StatusLine status={status} />}
        {status?.canSignIn === true && <User />}
      </header>
      <main class="page" id="main">
        <h1 class="visually-hidden">{VIEWS[view as keyof typeof VIEWS] ?? "Stash index"}</h1>
        {first.error !== undefined && status === undefined && (
          <p class="notice notice-bad" role="alert">
            {first.error.message}
          </p>
        )}
        {status !== undefined && league === "" && (
          <p class="notice" role="status">
            No listing has arrived yet. The page fills as soon as the follower has read the first
            one.
          </p>
        )}
        {league !== "" && view === "search" && <Search league={league} />}
        {league !== "" && view === "exchange" && <Exchange league={league} />}
        {league !== "" && view === "sellers" && <Sellers />}
      </main>
    </>
  );
};

const StatusLine = ({ status: { behind, items, receivedAt, tabs } }: { status: Status }) => (
  <p class="status muted" data-behind={behind}>
    {items.toLocaleString("en")} items in {tabs.toLocaleString("en")} tabs
    {receivedAt !== null && `, changed ${ago(receivedAt)} ago`}
    {behind > 0 && <span class="badge badge-warn">{behind} pages behind</span>}
  </p>
);

const User = () => {
  const { result } = useApi<{ readonly user: string | null }>("me/");
  const here = `${location.pathname}${location.search}`;
  if (result === undefined) return null;
  return result.user === null ? (
    <a class="user" href={`/auth/login?returnTo=${encodeURIComponent(here)}`}>
      Sign in
    </a>
  ) : (
    <form class="user" method="post" action="/auth/logout">
      <span>{result.user}</span> <button class="quiet">Sign out</button>
    </form>
  );
};
