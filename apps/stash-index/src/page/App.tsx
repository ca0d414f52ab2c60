/** The page of the stash index: a search with its price check, and the exchange. */
import { useEffect, useState } from "preact/hooks";
import type { Status } from "../web/records.ts";
import { Link, useAddress } from "./address.tsx";
import { useApi } from "./api.ts";
import { Select } from "./components.tsx";
import { Exchange } from "./Exchange.tsx";
import { Search } from "./Search.tsx";

const VIEWS = { search: "Search", exchange: "Exchange" } as const;

/** Requests the status again 2 seconds after each response. */
const useStatus = (): Status | undefined => {
  const [version, setVersion] = useState(0);
  const loaded = useApi<Status>("status", version);
  useEffect(() => {
    if (loaded.result === undefined && loaded.error === undefined) return undefined;
    const timer = setTimeout(() => setVersion(version + 1), 2000);
    return () => clearTimeout(timer);
  }, [loaded]);
  return loaded.result;
};

export const App = () => {
  const address = useAddress();
  const status = useStatus();
  const view = address.get("view") === "exchange" ? "exchange" : "search";
  const league = address.get("league") ?? status?.leagues[0]?.name;
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
            <Link key={name} to={{ view: name }} isCurrent={view === name}>
              {title}
            </Link>
          ))}
        </nav>
        <Select
          name="league"
          label="League"
          value={league}
          options={(status?.leagues ?? []).map(({ name }) => name)}
        />
        {status !== undefined && (
          <p class="status">
            {status.items.toLocaleString("en")} listings
            {!status.isFollowing && <span class="badge badge-bad">not up to date</span>}
            {status.behind > 0 && (
              <span class="badge badge-warn">{status.behind} pages behind</span>
            )}
          </p>
        )}
      </header>
      <main class="page" id="main">
        <h1 class="visually-hidden">{VIEWS[view]}</h1>
        {league === undefined ? (
          <p class="notice" role="status">
            {status === undefined ? "Waiting for the server." : "No listing has arrived yet."} This
            page fills as soon as the first one does.
          </p>
        ) : view === "exchange" ? (
          <Exchange league={league} />
        ) : (
          <Search league={league} />
        )}
      </main>
    </>
  );
};
