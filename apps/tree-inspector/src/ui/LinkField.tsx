/** The text field of the page, with undo and redo. */
import type { PageTexts } from "./usePage.ts";

interface Props {
  readonly page: PageTexts;
  readonly isRefused: boolean;
}

/** The field and its buttons. */
export const LinkField = ({ isRefused, page }: Props) => {
  const { change, redo, state, undo } = page;
  return (
    <section class="card input" aria-label="Link">
      <label for="link">A link in any form: a URL, the bare payload, or a text around it</label>
      <textarea
        id="link"
        rows={2}
        spellcheck={false}
        autocomplete="off"
        placeholder="https://…/passive-skill-tree/AAAABg…"
        value={state.link}
        aria-invalid={isRefused}
        onInput={(event) => change({ link: event.currentTarget.value }, true)}
      />
      <p class="buttons">
        <button type="button" disabled={undo === undefined} onClick={undo}>
          Undo
        </button>
        <button type="button" disabled={redo === undefined} onClick={redo}>
          Redo
        </button>
        {state.link !== "" && (
          <button type="button" onClick={() => change({ link: "", with: "" })}>
            Clear
          </button>
        )}
      </p>
    </section>
  );
};
