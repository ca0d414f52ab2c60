/** The filters. The address has them, so each change is the next search. */
import { useState } from "preact/hooks";
import { RARITIES } from "../index/rarities.ts";
import type { ItemFilters, Rates } from "../web/records.ts";
import { type Change, changeAddress, useAddress } from "./address.tsx";
import { post, type Problem, useApi } from "./api.ts";
import { Refusal, Select } from "./components.tsx";

const NUMBERS = {
  priceMin: "Price from",
  priceMax: "Price to",
  ilvlMin: "Level from",
  ilvlMax: "Level to",
  socketsMin: "Sockets from",
  linksMin: "Links from",
} as const;
/** Filters without a field. They come from an item, a link or a choice, and can be removed. */
const FIXED = ["name", "base", "seller", "modText"] as const;
const FILTERS = ["q", "rarity", "corrupted", "currency", "mod", ...FIXED, ...Object.keys(NUMBERS)];

/** Returns the filters of an address as a query of the API. */
export const filterQuery = (address: URLSearchParams, league: string): string =>
  new URLSearchParams([
    ["league", league],
    ...[...address].filter(([name, value]) => FILTERS.includes(name) && value !== ""),
  ]).toString();

const CLEARED = Object.fromEntries([...FILTERS, "sort", "check"].map((name) => [name, ""]));

interface FormProps {
  readonly league: string;
  readonly problem: Problem | undefined;
}

export const FilterForm = ({ league, problem }: FormProps) => {
  const address = useAddress();
  // On a narrow screen the results are more important than the other filters.
  const [isWide] = useState(() => matchMedia("(min-width: 60rem)").matches);
  return (
    <form
      class="card filters"
      role="search"
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
    >
      <SuggestingField
        label="Name or base"
        what="terms"
        value={address.get("q") ?? ""}
        isInvalid={problem?.parameter === "q"}
        onInput={(q) => changeAddress({ q }, true)}
      />
      {FIXED.filter((name) => address.has(name)).map((name) => (
        <p key={name} class="wide">
          {name}: {address.get(name)}{" "}
          <button type="button" class="quiet" onClick={() => changeAddress({ [name]: "" })}>
            Remove<span class="visually-hidden"> the filter by {name}</span>
          </button>
        </p>
      ))}
      <p class="buttons wide">
        <button type="button" class="primary" onClick={() => changeAddress({ check: "yes" })}>
          Check the price
        </button>
        <button type="button" onClick={() => changeAddress(CLEARED)}>
          Clear
        </button>
      </p>
      <details class="wide" open={isWide}>
        <summary>More filters</summary>
        <MoreFilters league={league} problem={problem} />
      </details>
      <FromItem />
    </form>
  );
};

/** The orders of listings, by the values of `sort`. */
export const ORDERS = {
  "": "cheapest first",
  "-price": "most expensive first",
  age: "newest first",
};

const MoreFilters = ({ league, problem }: FormProps) => {
  const address = useAddress();
  const rates = useApi<Rates>(`exchange/currencies?league=${encodeURIComponent(league)}`).result;
  const currencies = Object.keys(rates?.values ?? {}).toSorted();
  return (
    <div class="filters">
      <Select name="rarity" label="Rarity" options={[["", "any"], ...RARITIES]} />
      <Select name="sort" label="Order" options={Object.entries(ORDERS)} />
      {Object.entries(NUMBERS).map(([name, label]) => (
        <label key={name}>
          {label}
          <input
            type="number"
            min="0"
            step={name.startsWith("price") ? "any" : "1"}
            value={address.get(name) ?? ""}
            aria-invalid={problem?.parameter === name}
            onInput={(event) => changeAddress({ [name]: event.currentTarget.value }, true)}
          />
        </label>
      ))}
      <Select
        name="currency"
        label="Currency"
        options={[["", `${rates?.base ?? ""} (base)`], ...currencies]}
      />
      <Select name="corrupted" label="Corrupted" options={[["", "any"], "no", "yes"]} />
      <Mods mods={address.getAll("mod")} />
    </div>
  );
};

interface SuggestingFieldProps {
  readonly label: string;
  readonly what: "terms" | "mods";
  readonly value: string;
  readonly isInvalid?: boolean;
  readonly onInput: (value: string, isSuggested: boolean) => void;
}

/** A field for words, with suggestions after two letters. */
const SuggestingField = ({ isInvalid, label, onInput, value, what }: SuggestingFieldProps) => {
  const query = new URLSearchParams({ what, q: value }).toString();
  const { suggestions = [] } =
    useApi<{ readonly suggestions: ReadonlyArray<string> }>(
      /[\p{L}\p{N}]{2}/u.test(value) ? `suggest?${query}` : undefined,
    ).result ?? {};
  return (
    <label class="wide">
      {label}
      <input
        type="search"
        value={value}
        list={what}
        autocomplete="off"
        aria-invalid={isInvalid}
        onInput={({ currentTarget: { value: typed } }) =>
          onInput(typed, suggestions.includes(typed))
        }
      />
      <datalist id={what}>
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </label>
  );
};

/** The mods of a search, `TEMPLATE:MIN:` in the address, and a field that adds one. */
const Mods = ({ mods }: { readonly mods: ReadonlyArray<string> }) => {
  const [typed, setTyped] = useState("");
  const change = (template: string, ...mod: ReadonlyArray<string>) =>
    changeAddress({ mod: [...mods.filter((each) => templateOf(each) !== template), ...mod] }, true);
  return (
    <fieldset class="wide">
      <legend>Mods</legend>
      {mods.map(templateOf).map((template, at) => (
        <p key={template} class="mod">
          <label>
            {template}
            <input
              type="number"
              step="any"
              placeholder="from"
              value={mods[at]!.slice(template.length + 1, -1)}
              onInput={({ currentTarget: { value } }) => change(template, `${template}:${value}:`)}
            />
          </label>
          <button type="button" aria-label={`Remove ${template}`} onClick={() => change(template)}>
            ×
          </button>
        </p>
      ))}
      <SuggestingField
        label="Add a mod"
        what="mods"
        value={typed}
        onInput={(value, isSuggested) => {
          setTyped(isSuggested ? "" : value);
          if (isSuggested) change(value, `${value}::`);
        }}
      />
    </fieldset>
  );
};

const templateOf = (mod: string): string => mod.replace(/:-?[\d.]*:-?[\d.]*$/u, "");

/** Checks the price of an item: each of its mods from a tenth below the item's roll. */
export const checkSimilar = async (item: string): Promise<void> => {
  const { base, links, mods, name, rarity } = await post<ItemFilters>("filters", { item });
  const filters: Change = {
    name,
    base,
    check: "yes",
    rarity: rarity === "foil" ? "" : rarity,
    linksMin: links > 4 ? String(links) : "",
    mod: mods.filter(({ isKnown }) => isKnown).map(({ min, template }) => `${template}:${min}:`),
  };
  changeAddress({ ...CLEARED, ...filters });
};

/** Searches for a pasted item. */
const FromItem = () => {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const find = () => checkSimilar(text).then(() => setProblem(undefined), setProblem);
  return (
    <details class="wide">
      <summary>Search from an item</summary>
      <label>
        Item, as text or JSON
        <textarea
          rows={5}
          value={text}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <Refusal error={problem} />
      <p class="buttons">
        <button type="button" disabled={text.trim() === ""} onClick={() => void find()}>
          Search for it
        </button>
      </p>
    </details>
  );
};
