/** The filters. Each change is the next search; there is nothing to submit. */
import { useState } from "preact/hooks";
import { changeAddress, FILTERS, useAddress } from "./address.ts";
import { type ApiError, useApi } from "./api.ts";

const RARITIES = ["normal", "magic", "rare", "unique", "gem", "currency", "card"];
const SORTS = {
  price: "Cheapest first",
  "-price": "Dearest first",
  age: "Newest first",
  relevance: "Best match",
};

/** Draws the form. */
export const FilterForm = ({
  error,
  league,
}: {
  readonly error: ApiError | undefined;
  readonly league: string;
}) => {
  const { parameters } = useAddress();
  const value = (name: string) => parameters.get(name) ?? "";
  const rates = useApi<{
    readonly values: Readonly<Record<string, number>>;
    readonly base: string;
  }>(`exchange/currencies?league=${encodeURIComponent(league)}`).result;
  const number = (name: string, label: string) => (
    <label>
      {label}
      <input
        type="number"
        min="0"
        step={name.startsWith("price") ? "any" : "1"}
        value={value(name)}
        aria-invalid={error?.parameter === name}
        onInput={(event) => changeAddress({ [name]: event.currentTarget.value }, true)}
      />
    </label>
  );
  const select = (
    name: string,
    label: string,
    options: ReadonlyArray<readonly [string, string]>,
  ) => (
    <label>
      {label}
      <select
        value={value(name)}
        onChange={(event) => changeAddress({ [name]: event.currentTarget.value })}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const q = value("q");
  const suggestions = useApi<{ readonly suggestions: ReadonlyArray<string> }>(
    q.length > 1 ? `suggest?q=${encodeURIComponent(q)}` : undefined,
  ).result;
  return (
    <form
      class="card filters"
      role="search"
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
    >
      <label class="wide">
        Name or base
        <input
          type="search"
          value={q}
          list="terms"
          autocomplete="off"
          placeholder="band, rod, helm …"
          aria-invalid={error?.parameter === "q"}
          onInput={(event) => changeAddress({ q: event.currentTarget.value }, true)}
        />
        <datalist id="terms">
          {suggestions?.suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      </label>
      {["name", "base"].map((name) =>
        value(name) === "" ? null : (
          <p key={name} class="chip wide">
            {name}: {value(name)}{" "}
            <button type="button" class="quiet" onClick={() => changeAddress({ [name]: "" })}>
              Remove<span class="visually-hidden"> the filter by {name}</span>
            </button>
          </p>
        ),
      )}
      {select("rarity", "Rarity", [["", "any"], ...RARITIES.map((each) => [each, each] as const)])}
      {select(
        "sort",
        "Order",
        Object.entries(SORTS).map(([name, text]) => [name === "price" ? "" : name, text]),
      )}
      {number("priceMin", "Price from")}
      {number("priceMax", "Price to")}
      {select("currency", "Currency", [
        ["", rates === undefined ? "base" : `${rates.base} (base)`],
        ...Object.keys(rates?.values ?? {})
          .toSorted()
          .map((code) => [code, code] as const),
      ])}
      {number("ilvlMin", "Level from")}
      {number("socketsMin", "Sockets from")}
      {number("linksMin", "Links from")}
      {select("corrupted", "Corrupted", [
        ["", "any"],
        ["no", "no"],
        ["yes", "yes"],
      ])}
      <Mods mods={parameters.getAll("mod")} />
      <p class="buttons wide">
        <button
          type="button"
          onClick={() =>
            changeAddress({
              ...Object.fromEntries(FILTERS.map((name) => [name, ""])),
              league,
              check: "",
            })
          }
        >
          Clear
        </button>
        <button type="button" class="primary" onClick={() => changeAddress({ check: "yes" })}>
          Check the price
        </button>
      </p>
    </form>
  );
};

const PARTS = /^(.+?)(?::(-?[\d.]*):(-?[\d.]*))?$/su;

const Mods = ({ mods }: { readonly mods: ReadonlyArray<string> }) => {
  const [typed, setTyped] = useState("");
  const found = useApi<{ readonly suggestions: ReadonlyArray<string> }>(
    typed.length > 1 ? `suggest?what=mods&q=${encodeURIComponent(typed)}` : undefined,
  ).result;
  const put = (at: number, mod: string | undefined, isTyping = false) =>
    changeAddress(
      { mod: mod === undefined ? mods.toSpliced(at, 1) : mods.toSpliced(at, 1, mod) },
      isTyping,
    );
  return (
    <fieldset class="wide mods">
      <legend>Mods</legend>
      {mods.map((mod, at) => {
        const [, template = "", min = "", max = ""] = PARTS.exec(mod) ?? [];
        const bound = (label: string, text: string, write: (value: string) => string) => (
          <input
            type="number"
            step="any"
            aria-label={`${template}: ${label}`}
            placeholder={label}
            value={text}
            onInput={(event) => put(at, write(event.currentTarget.value), true)}
          />
        );
        return (
          <div class="mod" key={template}>
            <span>{template}</span>
            {bound("least", min, (value) => `${template}:${value}:${max}`)}
            {bound("most", max, (value) => `${template}:${min}:${value}`)}
            <button
              type="button"
              class="quiet"
              aria-label={`Remove ${template}`}
              onClick={() => put(at, undefined)}
            >
              ×
            </button>
          </div>
        );
      })}
      <label>
        Add a mod
        <input
          type="search"
          value={typed}
          autocomplete="off"
          placeholder="vigour, resistance …"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      {typed.length > 1 && (
        <ul class="choices" aria-label="Mods that match">
          {(found?.suggestions ?? []).map((template) => (
            <li key={template}>
              <button
                type="button"
                onClick={() => {
                  setTyped("");
                  changeAddress({
                    mod: [...mods.filter((mod) => !mod.startsWith(template)), `${template}::`],
                  });
                }}
              >
                {template}
              </button>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
};
