/** The console: one frame and six views. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { takeKey, useControl } from "./api.ts";
import { Clock, type Reading } from "./Clock.tsx";
import { Faults } from "./Faults.tsx";
import { Journal } from "./Journal.tsx";
import { Limits } from "./Limits.tsx";
import { Tokens } from "./Tokens.tsx";
import { Problem } from "./ui.tsx";
import { viewOf, World } from "./World.tsx";

const VIEWS = ["journal", "world", "clock", "faults", "limits", "tokens"] as const;
type ViewName = (typeof VIEWS)[number];

interface Address {
  readonly view: ViewName;
  readonly query: string;
  /** Id of a request in the address: 17 for `#/journal/17`. */
  readonly wanted: number | undefined;
}

const addressed = (): Address => {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/u, "").split("?");
  const [name, id] = path.split("/");
  const wanted = id === undefined || !/^\d+$/u.test(id) ? undefined : Number(id);
  return { view: VIEWS.find((one) => one === name) ?? "journal", query, wanted };
};

const App = () => {
  const [{ query, view, wanted }, setAddress] = useState(addressed);
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
          {clock.problem === undefined
            ? `${clock.value?.now.replace("T", " ").slice(0, 19) ?? "…"} ${clock.value?.frozen === true ? "clock frozen" : "clock running"}, live`
            : "connection lost"}
        </output>
      </header>
      <main class="page" id="main" tabIndex={-1}>
        <h1 class="visually-hidden">{titleOf(view)}</h1>
        <Problem text={clock.problem} />
        {view === "journal" && <Journal wanted={wanted} />}
        {view === "world" && <World {...viewOf(query)} />}
        {view === "clock" && <Clock reading={clock.value} onChange={clock.refresh} />}
        {view === "faults" && <Faults />}
        {view === "limits" && <Limits />}
        {view === "tokens" && <Tokens />}
      </main>
    </>
  );
};

const titleOf = (name: string): string => name[0]!.toUpperCase() + name.slice(1);

/** Moves the focus without changing the fragment, which is the address of the view. */
const focusMain = (event: Event): void => {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main")?.focus();
};

takeKey();
render(<App />, document.body);
