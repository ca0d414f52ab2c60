/** Search from an item: pasted text or JSON. */
import { useState } from "preact/hooks";
import type { ItemFilters } from "../web/records.ts";
import { type Change, changeAddress } from "./address.tsx";
import { ApiError, post } from "./api.ts";

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
export const FromItem = () => {
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
    </details>
  );
};
