/** The page: search, exchange and sellers, and how far the index is. */
import { useState } from "preact/hooks";
import type { Status } from "../web/records.ts";
import { changeAddress, Link, useAddress } from "./address.tsx";
import { useApi, useEvents } from "./api.ts";
import { Refusal, Select } from "./components.tsx";
import { Exchange } from "./Exchange.tsx";
import { ago } from "./format.ts";
import { Search } from "./Search.tsx";
import { Sellers } from "./Sellers.tsx";

const VIEWS = { search: "Search", exchange: "Exchange", sellers: "Sellers" } as const;

/** Draws the page. */
export const App = () => {
  const parameters = useAddress();
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
      <Masthead view={view} league={league} status={status} />
      <main class="page" id="main">
        <h1 class="visually-hidden">{VIEWS[view as keyof typeof VIEWS] ?? "Stash index"}</h1>
        {status === undefined && <Refusal error={first.error} />}
        {status !== undefined && league === "" && (
          <p class="notice" role="status">
            No listing has arrived yet. The page fills as soon as the follower has read the first
            one.
          </p>
        )}
        {league !== "" && <View view={view} league={league} />}
      </main>
    </>
  );
};

const View = ({ league, view }: { readonly league: string; readonly view: string }) => {
  if (view === "exchange") return <Exchange league={league} />;
  return view === "sellers" ? <Sellers /> : <Search league={league} />;
};

interface MastheadProps {
  readonly view: string;
  readonly league: string;
  readonly status: Status | undefined;
}

const Masthead = ({ league, status, view }: MastheadProps) => (
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
    <div class="league">
      <Select
        label="League"
        value={league}
        options={(status?.leagues ?? []).map(({ name }) => name)}
        onChange={(chosen) => changeAddress({ league: chosen })}
      />
    </div>
    {status !== undefined && <StatusLine status={status} />}
  </header>
);

const StatusLine = ({ status: { behind, items, receivedAt, tabs } }: { status: Status }) => (
  <p class="status" data-behind={behind}>
    {items.toLocaleString("en")} items in {tabs.toLocaleString("en")} tabs
    {receivedAt !== null && `, changed ${ago(receivedAt)} ago`}
    {behind > 0 && <span class="badge badge-warn">{behind} pages behind</span>}
  </p>
);
