/** The console: one frame, seven views, one stream of the journal for all of them. */
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { JournalEntry } from "../src/journal/JournalEntry.ts";
import { type Connection, followJournal, takeKey, useControl } from "./api.ts";
import { Audit } from "./Audit.tsx";
import { Clock, type Reading } from "./Clock.tsx";
import { Faults } from "./Faults.tsx";
import { Journal } from "./Journal.tsx";
import { Limits } from "./Limits.tsx";
import { Tokens } from "./Tokens.tsx";
import { Problem } from "./ui.tsx";
import { viewOf, World } from "./World.tsx";

const VIEWS = ["journal", "world", "clock", "faults", "limits", "tokens", "audit"] as const;
type ViewName = (typeof VIEWS)[number];

/** Rows that are kept. */
const MAX_ROWS = 500;

interface Address {
  readonly view: ViewName;
  readonly query: string;
  /** The request of `#/journal/17`. */
  readonly wanted: number | undefined;
}

const addressed = (): Address => {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/u, "").split("?");
  const [name, id] = path.split("/");
  const wanted = id === undefined || !/^\d+$/u.test(id) ? undefined : Number(id);
  return { view: VIEWS.find((one) => one === name) ?? "journal", query, wanted };
};

const useJournal = () => {
  const [entries, setEntries] = useState<ReadonlyArray<JournalEntry>>([]);
  const [connection, setConnection] = useState<Connection>("connecting");
  const [isPaused, setPaused] = useState(false);
  const held = useRef<Array<JournalEntry>>([]);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  useEffect(() => {
    // Many requests a second are drawn together.
    const show = () => {
      if (paused.current || held.current.length === 0) return;
      const fresh = held.current.splice(0).toReversed();
      setEntries((known) => [...fresh, ...known].slice(0, MAX_ROWS));
    };
    const timer = setInterval(show, 150);
    const stop = followJournal((entry) => {
      held.current.push(entry);
      if (held.current.length > MAX_ROWS) held.current.shift();
    }, setConnection);
    return () => {
      clearInterval(timer);
      stop();
    };
  }, []);
  const clear = () => {
    held.current = [];
    setEntries([]);
  };
  return { entries, connection, isPaused, setPaused, clear };
};

const CONNECTIONS: Readonly<Record<Connection, string>> = {
  connecting: "connecting",
  live: "live",
  lost: "connection lost",
};

const App = () => {
  const [{ query, view, wanted }, setAddress] = useState(addressed);
  const journal = useJournal();
  const clock = useControl<Reading>("/clock", 1000);
  useEffect(() => {
    const listen = () => setAddress(addressed());
    addEventListener("hashchange", listen);
    return () => removeEventListener("hashchange", listen);
  }, []);
  useEffect(() => {
    document.title = `${titleOf(view)} · Game Data sandbox`;
  }, [view]);
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        To the content
      </a>
      <header class="masthead">
        <a class="brand" href="#/journal">
          Game Data sandbox
        </a>
        <nav class="tabs" aria-label="Views">
          {VIEWS.map((name) => (
            <a key={name} href={`#/${name}`} aria-current={name === view ? "page" : undefined}>
              {titleOf(name)}
            </a>
          ))}
          <a href="openapi.json">API</a>
        </nav>
        <output class="status">
          {clock.value?.now.replace("T", " ").slice(0, 19) ?? "…"}{" "}
          {clock.value?.frozen === true ? "clock frozen" : "clock running"},{" "}
          {CONNECTIONS[journal.connection]}
        </output>
      </header>
      <main class="page" id="main" tabIndex={-1}>
        <h1 class="visually-hidden">{titleOf(view)}</h1>
        <Problem text={clock.problem} />
        {view === "journal" && <Journal wanted={wanted} journal={journal} />}
        {view === "world" && <World {...viewOf(query)} />}
        {view === "clock" && <Clock reading={clock.value} onChange={clock.refresh} />}
        {view === "faults" && <Faults />}
        {view === "limits" && <Limits />}
        {view === "tokens" && <Tokens />}
        {view === "audit" && <Audit />}
      </main>
    </>
  );
};

const titleOf = (name: string): string => name[0]!.toUpperCase() + name.slice(1);

/** The fragment is the view's address, so the link moves the focus itself. */
const focusMain = (event: Event): void => {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
};

takeKey();
render(<App />, document.body);
