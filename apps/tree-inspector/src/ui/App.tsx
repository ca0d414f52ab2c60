/**
 * The page: a text field, and below it the link in it. The state is in the URL fragment, and
 * nothing leaves the page.
 */
import { encode, type TreeLink } from "@game-data/tree-link";
import { useEffect, useMemo, useState } from "preact/hooks";
import { addEntry, type Edited, removeEntry, setField } from "../model/Edit.ts";
import { type PageState, readFragment, writeFragment } from "../model/Fragment.ts";
import { begin, record, redo, undo } from "../model/History.ts";
import { inspect, type Inspection } from "../model/Inspection.ts";
import { forgetTree, loadTree, saveTree, type TreeData } from "../model/TreeData.ts";
import { Compare } from "./Compare.tsx";
import { Convert } from "./Convert.tsx";
import { Explorer } from "./Explorer.tsx";
import type { FieldActions, Names } from "./Fields.tsx";
import { Refusal } from "./Refusal.tsx";
import { Start } from "./Start.tsx";
import { Summary } from "./Summary.tsx";
import { Tabs } from "./Tabs.tsx";
import { TreePanel } from "./TreePanel.tsx";

const namesOf = (tree: TreeData | undefined): Names => {
  const names = new Map(tree?.nodes.map(({ id, name }) => [id, name]));
  return { node: (hash) => names.get(hash), effect: (hash) => tree?.effects[hash] };
};

const putAddress = (state: PageState) => {
  const fragment = writeFragment(state);
  history.replaceState(null, "", fragment === "" ? location.pathname : `#${fragment}`);
};

/** Reads the address, and takes out of it what is no payload. */
const readAddress = (): PageState => {
  const state = readFragment(location.hash);
  putAddress(state);
  return state;
};

/** What the explorer shows of a link, or of the readable part of one. */
const seenOf = (inspection: Inspection, actionsOn: (link: TreeLink) => FieldActions) => {
  if (inspection.kind === "empty") return undefined;
  if (inspection.kind === "link") {
    const { found, layout } = inspection;
    const { bytes, fields, link } = layout;
    const tree = { masteries: [], ...link };
    return { payload: found.payload, bytes, fields, tree, actions: actionsOn(link) };
  }
  const { fault } = inspection;
  if (fault === undefined || fault.partial.fields.length === 0) return undefined;
  const { bytes, expected, fields, link: tree } = fault.partial;
  const payload = fault.payload.slice(0, Math.ceil((bytes.length * 8) / 6));
  return { payload, bytes, fields, tree, expected };
};

/** Draws the page. */
export const App = () => {
  const [states, setStates] = useState(() => begin(readAddress()));
  const [refused, setRefused] = useState<string>();
  const [tree, setTree] = useState<TreeData>();
  const [tab, setTab] = useState(states.now.with === "" ? "Inspect" : "Compare");
  const state = states.now;

  useEffect(() => {
    const listen = () => setStates(begin(readAddress()));
    addEventListener("hashchange", listen);
    // Without IndexedDB, as in some private windows, a file lasts until the page is closed.
    loadTree().then(setTree, () => {});
    return () => removeEventListener("hashchange", listen);
  }, []);

  const go = (next: typeof states) => {
    setRefused(undefined);
    setStates(next);
    putAddress(next.now);
  };
  const change = (part: Partial<PageState>, isTyping = false) =>
    go(record(states, { ...state, ...part }, isTyping));
  const apply = (edited: Edited) =>
    edited.ok ? change({ link: edited.payload }) : setRefused(edited.message);
  const keepTree = (data: TreeData | undefined) => {
    setTree(data);
    (data === undefined ? forgetTree() : saveTree(data)).catch(() => {});
  };

  /** Undo by keyboard, except where a field has an undo of its own. */
  const onKeyDown = (event: KeyboardEvent) => {
    const { ctrlKey, metaKey, shiftKey, target } = event;
    if (!ctrlKey && !metaKey) return;
    if (target instanceof HTMLElement && target.matches("textarea, input:not(.cell)")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    go(key === "y" || shiftKey ? redo(states) : undo(states));
  };

  const inspection = useMemo(() => inspect(state.link), [state.link]);
  const names = useMemo(() => namesOf(tree), [tree]);
  const sound = inspection.kind === "link" ? inspection.layout.link : undefined;
  const seen = seenOf(inspection, (current) => ({
    set: (field, value) => apply(setField(current, field, value)),
    remove: (list, index) => apply(removeEntry(current, list, index)),
    add: (list) => apply(addEntry(current, list)),
  }));
  return (
    <>
      <header class="masthead">
        <h1 class="brand">Passive-tree link inspector</h1>
        <p class="muted">Characters, bytes and fields of a link, in your browser alone.</p>
      </header>
      <main class="page" onKeyDown={onKeyDown}>
        <section class="card input" aria-label="Link">
          <label for="link">A link in any form: a URL, the bare payload, or a text around it</label>
          <textarea
            id="link"
            rows={2}
            spellcheck={false}
            autocomplete="off"
            placeholder="https://…/passive-skill-tree/AAAABg…"
            value={state.link}
            aria-invalid={inspection.kind === "refused"}
            onInput={(event) => change({ link: event.currentTarget.value }, true)}
          />
          <p class="buttons">
            <button
              type="button"
              disabled={states.past.length === 0}
              onClick={() => go(undo(states))}
            >
              Undo
            </button>
            <button
              type="button"
              disabled={states.future.length === 0}
              onClick={() => go(redo(states))}
            >
              Redo
            </button>
            {inspection.kind !== "empty" && (
              <button type="button" onClick={() => change({ link: "", with: "" })}>
                Clear
              </button>
            )}
          </p>
          {refused !== undefined && <p role="alert">{refused}</p>}
        </section>
        {inspection.kind === "empty" && <Start onExample={(link) => change({ link })} />}
        {inspection.kind === "refused" && (
          <Refusal {...inspection} onRepair={(link) => change({ link })} />
        )}
        {inspection.kind === "link" && (
          <Summary
            found={inspection.found}
            link={inspection.layout.link}
            canonical={encode(inspection.layout.link)}
          />
        )}
        {seen !== undefined && (
          <Tabs
            current={sound === undefined && tab !== "Tree" ? "Inspect" : tab}
            onCurrent={setTab}
            tabs={{
              Inspect: (
                <Explorer {...seen} names={names} onText={(text) => change({ link: text })} />
              ),
              ...(sound !== undefined && {
                Compare: (
                  <Compare
                    link={sound}
                    other={state.with}
                    onOther={(text) => change({ with: text }, true)}
                  />
                ),
                Convert: (
                  <Convert link={sound} onPayload={(payload) => change({ link: payload })} />
                ),
              }),
              Tree: <TreePanel tree={tree} link={seen.tree} onTree={keepTree} />,
            }}
          />
        )}
      </main>
    </>
  );
};
