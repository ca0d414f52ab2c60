/**
 * The page: a text field, and below it what the text turns out to be. The state lives in the URL
 * fragment; nothing leaves the page.
 */
import { encode } from "@game-data/tree-link";
import { useEffect, useState } from "preact/hooks";
import { addEntry, type Edited, removeEntry, setField } from "../model/Edit.ts";
import { readFragment, writeFragment } from "../model/Fragment.ts";
import { inspect } from "../model/Inspection.ts";
import { Compare } from "./Compare.tsx";
import { Convert } from "./Convert.tsx";
import { Refusal } from "./Refusal.tsx";
import { Summary } from "./Summary.tsx";
import { ThreeWay } from "./ThreeWay.tsx";

/** A link with something of everything, to look around in. */
const EXAMPLE = encode({
  version: 6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 1,
  hashes: [2151, 4397, 11420, 29353, 41415, 57264],
  extendedHashes: [0, 1, 3],
  masteries: [{ node: 41415, effect: 47642 }],
});

/** The page. */
export const App = () => {
  const [state, setState] = useState(() => readFragment(location.hash));
  const [refused, setRefused] = useState<string>();
  useEffect(() => {
    const listen = () => setState(readFragment(location.hash));
    addEventListener("hashchange", listen);
    return () => removeEventListener("hashchange", listen);
  }, []);
  const change = (next: Partial<typeof state>) => {
    const changed = { ...state, ...next };
    setRefused(undefined);
    setState(changed);
    history.replaceState(null, "", `#${writeFragment(changed)}`);
  };
  const apply = (edited: Edited) =>
    edited.ok ? change({ link: edited.payload }) : setRefused(edited.message);

  const inspection = inspect(state.link);
  return (
    <main>
      <h1>Passive-tree link inspector</h1>
      <label for="link">A link in any form: a URL or the bare payload</label>
      <textarea
        id="link"
        rows={3}
        autofocus
        spellcheck={false}
        value={state.link}
        aria-invalid={inspection.kind === "refused"}
        onInput={(event) => change({ link: event.currentTarget.value })}
      />
      {inspection.kind === "empty" && (
        <p>
          Paste a link, or{" "}
          <button type="button" onClick={() => change({ link: EXAMPLE })}>
            look at an example
          </button>
          . Everything happens in this page; the link is sent nowhere.
        </p>
      )}
      {inspection.kind === "refused" && <Refusal {...inspection} />}
      {inspection.kind === "link" && (
        <>
          <Summary
            found={inspection.found}
            link={inspection.layout.link}
            canonical={encode(inspection.layout.link)}
          />
          {refused !== undefined && <Refusal message={`not changed: ${refused}`} />}
          <ThreeWay
            layout={inspection.layout}
            payload={inspection.found.payload}
            actions={{
              set: (field, value) => apply(setField(inspection.layout.link, field, value)),
              remove: (list, index) => apply(removeEntry(inspection.layout.link, list, index)),
              add: (list) => apply(addEntry(inspection.layout.link, list)),
            }}
          />
          <Convert
            link={inspection.layout.link}
            onPayload={(payload) => change({ link: payload })}
          />
          <Compare
            link={inspection.layout.link}
            other={state.with}
            onOther={(other) => change({ with: other })}
          />
        </>
      )}
    </main>
  );
};
