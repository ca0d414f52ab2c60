/** Search from an item: pasted text or JSON, or an item of the signed-in user. */
import { useState } from "preact/hooks";
import type { ItemFilters } from "../web/records.ts";
import { type Change, changeAddress } from "./address.tsx";
import { ApiError, post, useApi } from "./api.ts";

/** The price check of an item as the address has it: each mod from a tenth below the item's roll. */
export const toAddress = ({ base, links, mods, name, rarity }: ItemFilters): Change => ({
  q: "",
  name,
  base,
  rarity: rarity === "foil" ? "" : rarity,
  linksMin: links > 4 ? String(links) : "",
  check: "yes",
  mod: mods.filter(({ isKnown }) => isKnown).map(({ min, template }) => `${template}:${min}:`),
});

/** Draws the form. */
export const FromItem = ({ league }: { readonly league: string }) => {
  const [text, setText] = useState("");
  const [error, setError] = useState("");
  const search = async () => {
    try {
      setError("");
      changeAddress(toAddress(await post<ItemFilters>("filters", { item: text })));
    } catch (cause) {
      setError(cause instanceof ApiError ? cause.message : "The server does not answer.");
    }
  };
  return (
    <details class="card">
      <summary>Search from an item</summary>
      <label>
        Item, as text or JSON
        <textarea
          rows={5}
          value={text}
          spellcheck={false}
          aria-invalid={error !== ""}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {error !== "" && <p role="alert">The item {error}</p>}
      <p class="buttons">
        <button type="button" disabled={text.trim() === ""} onClick={() => void search()}>
          Search for it
        </button>
      </p>
      <OwnItems league={league} />
    </details>
  );
};

interface Source {
  readonly id: string;
  readonly name: string;
}

const OwnItems = ({ league }: { readonly league: string }) => {
  const { result: me } = useApi<{ readonly user: string | null }>("me/");
  const isSignedIn = typeof me?.user === "string";
  const at = `league=${encodeURIComponent(league)}`;
  const sources = useApi<{
    readonly tabs: ReadonlyArray<Source>;
    readonly characters: ReadonlyArray<Source>;
  }>(isSignedIn ? `me/sources?${at}` : undefined);
  const [from, setFrom] = useState("");
  const own = useApi<{
    readonly items: ReadonlyArray<{ readonly title: string; readonly filters: ItemFilters }>;
  }>(from === "" ? undefined : `me/items?${at}&${from}`);
  if (!isSignedIn) return <p class="muted">Sign in to take one of your own.</p>;
  const options = (kind: "tab" | "character", list: ReadonlyArray<Source> = []) =>
    list.map(({ id, name }) => (
      <option key={id} value={`${kind}=${encodeURIComponent(id)}`}>
        {name}
      </option>
    ));
  return (
    <>
      <label>
        From my{" "}
        <select value={from} onChange={(event) => setFrom(event.currentTarget.value)}>
          <option value="">tab or character …</option>
          <optgroup label="Tabs">{options("tab", sources.result?.tabs)}</optgroup>
          <optgroup label="Characters">{options("character", sources.result?.characters)}</optgroup>
        </select>
      </label>
      {own.error !== undefined && <p role="alert">{own.error.message}</p>}
      <ul class="buttons choices" aria-label="My items">
        {own.result?.items.map(({ filters, title }, index) => (
          <li key={index}>
            <button type="button" onClick={() => changeAddress(toAddress(filters))}>
              {title}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
};
