/**
 * The page: a text field, and below it the link of its text. The state is in the URL fragment, and
 * nothing is sent to a server.
 */
import { encode } from "@game-data/tree-link";
import { useMemo } from "preact/hooks";
import { addEntry, removeEntry, setField } from "../model/Edit.ts";
import { inspect, type Inspection } from "../model/Inspection.ts";
import { Convert } from "./Convert.tsx";
import { Explorer } from "./Explorer.tsx";
import type { FieldActions } from "./Fields.tsx";
import { Refusal } from "./Refusal.tsx";
import { Start } from "./Start.tsx";
import { Summary } from "./Summary.tsx";
import { type PageTexts, useOutcomeFocus, usePage, useUndoKeys } from "./usePage.ts";

/** Returns the explorer's props, for a link or for the readable part of a damaged link. */
const explored = (inspection: Inspection, { apply }: PageTexts) => {
  if (inspection.kind === "empty") return undefined;
  if (inspection.kind === "link") {
    const { found, layout } = inspection;
    const { bytes, fields, link } = layout;
    const actions: FieldActions = {
      set: (field, value) => apply(setField(link, field, value)),
      remove: (list, index) => apply(removeEntry(link, list, index)),
      add: (list) => apply(addEntry(link, list)),
    };
    return { payload: found.payload, bytes, fields, actions };
  }
  const { fault } = inspection;
  if (fault === undefined || fault.partial.fields.length === 0) return undefined;
  const { bytes, expected, fields } = fault.partial;
  const payload = fault.payload.slice(0, Math.ceil((bytes.length * 8) / 6));
  return { payload, bytes, fields, expected };
};

export const App = () => {
  const page = usePage();
  const { change, link: text, settle } = page;
  useUndoKeys(page);
  useOutcomeFocus(text);
  const inspection = useMemo(() => inspect(text), [text]);
  const content = explored(inspection, page);
  return (
    <>
      <header class="masthead">
        <h1 class="brand">Passive-tree link inspector</h1>
        <p class="muted">Characters, bytes and fields of a link, in your browser alone.</p>
      </header>
      <main class="page" onInput={settle} onKeyDown={({ key }) => key === "Escape" && settle()}>
        <LinkField page={page} isRefused={inspection.kind === "refused"} />
        {inspection.kind === "refused" && (
          <Refusal id="outcome" {...inspection} onRepair={change} />
        )}
        {!("found" in inspection || "fault" in inspection) && <Start onExample={change} />}
        {inspection.kind === "link" && (
          <Summary
            found={inspection.found}
            link={inspection.layout.link}
            canonical={encode(inspection.layout.link)}
          />
        )}
        {content !== undefined && <Explorer {...content} refused={page.refused} onText={change} />}
        {inspection.kind === "link" && <Convert link={inspection.layout.link} onPayload={change} />}
      </main>
    </>
  );
};

/** The text field of the page, with undo and redo. */
const LinkField = ({ isRefused, page }: { page: PageTexts; isRefused: boolean }) => {
  const { change, link, redo, undo } = page;
  return (
    <section class="card input" aria-label="Link">
      <label for="link">A link in any form: a URL, the bare payload, or a text around it</label>
      <textarea
        id="link"
        rows={2}
        spellcheck={false}
        autocomplete="off"
        placeholder="https://…/passive-skill-tree/AAAABg…"
        value={link}
        aria-invalid={isRefused}
        onInput={(event) => change(event.currentTarget.value, true)}
      />
      <p class="buttons">
        <button type="button" disabled={undo === undefined} onClick={undo}>
          Undo
        </button>
        <button type="button" disabled={redo === undefined} onClick={redo}>
          Redo
        </button>
        {link !== "" && (
          <button type="button" onClick={() => change("")}>
            Clear
          </button>
        )}
      </p>
    </section>
  );
};
