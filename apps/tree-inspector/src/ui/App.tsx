/**
 * The page: a text field, and below it the link in it. The state is in the URL fragment, and
 * nothing leaves the page.
 */
import { encode } from "@game-data/tree-link";
import { useEffect, useMemo, useState } from "preact/hooks";
import { addEntry, type Edited, removeEntry, setField } from "../model/Edit.ts";
import { type PageState, readFragment, writeFragment } from "../model/Fragment.ts";
import { begin, record, redo, undo } from "../model/History.ts";
import { inspect } from "../model/Inspection.ts";
import { forgetTree, loadTree, saveTree, type TreeData } from "../model/TreeData.ts";
import { Compare } from "./Compare.tsx";
import { Convert } from "./Convert.tsx";
import { Explorer } from "./Explorer.tsx";
import type { Names } from "./Fields.tsx";
import { Refusal } from "./Refusal.tsx";
import { Start } from "./Start.tsx";
import { Summary } from "./Summary.tsx";
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

/** Draws the page. */
export const App = () => {
  const [states, setStates] = useState(() => begin(readAddress()));
  const [refused, setRefused] = useState<string>();
  const [tree, setTree] = useState<TreeData>();
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

  const inspection = useMemo(() => inspect(state.link), [state.link]);
  const names = useMemo(() => namesOf(tree), [tree]);
  return (
    <>
      <header>
        <h1>Passive-tree link inspector</h1>
        <p>Characters, bytes and fields of a link, in your browser alone.</p>
      </header>
      <main>
        <section class="card input" aria-label="Link">
          <label for="link">A link in any form: a URL, the bare payload, or a text around it</label>
          <textarea
            id="link"
            rows={3}
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
        {inspection.kind === "refused" && <Refusal {...inspection} />}
        {inspection.kind === "refused" &&
          inspection.fault !== undefined &&
          inspection.fault.partial.fields.length > 0 && (
            <>
              <p class="lead">This part of the link is readable:</p>
              <Explorer
                payload={inspection.fault.payload.slice(
                  0,
                  Math.ceil((inspection.fault.partial.bytes.length * 8) / 6),
                )}
                bytes={inspection.fault.partial.bytes}
                fields={inspection.fault.partial.fields}
                expected={inspection.fault.partial.expected}
                names={names}
              />
              <TreePanel tree={tree} link={inspection.fault.partial.link} onTree={keepTree} />
            </>
          )}
        {inspection.kind === "link" && (
          <>
            <Summary
              found={inspection.found}
              link={inspection.layout.link}
              canonical={encode(inspection.layout.link)}
            />
            <Explorer
              payload={inspection.found.payload}
              bytes={inspection.layout.bytes}
              fields={inspection.layout.fields}
              names={names}
              actions={{
                set: (field, value) => apply(setField(inspection.layout.link, field, value)),
                remove: (list, index) => apply(removeEntry(inspection.layout.link, list, index)),
                add: (list) => apply(addEntry(inspection.layout.link, list)),
              }}
            />
            <TreePanel
              tree={tree}
              link={{ masteries: [], ...inspection.layout.link }}
              onTree={keepTree}
            />
            <Compare
              link={inspection.layout.link}
              other={state.with}
              onOther={(text) => change({ with: text }, true)}
            />
            <Convert
              link={inspection.layout.link}
              onPayload={(payload) => change({ link: payload })}
            />
          </>
        )}
      </main>
    </>
  );
};
