/** The form of filters. Filters are in the page's address, so each change starts a search. */
import { useEffect, useState } from "preact/hooks";
import { RARITIES } from "../index/rarities.ts";
import type { Filters } from "../search/Filters.ts";
import type { Rates } from "../web/records.ts";
import { changeAddress, useAddress } from "./address.tsx";
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
/** Filters that have no input field. A user sets them by a link or an item, and can remove them. */
const FIXED = ["name", "base", "seller", "modText"] as const;
const FILTERS = ["q", "rarity", "corrupted", "currency", "mod", ...FIXED, ...Object.keys(NUMBERS)];

/** Returns the filters of an address as a query string of the API. */
export const filterQuery = (address: URLSearchParams, league: string): string =>
  new URLSearchParams([
    ["league", league],
    ...[...address].filter(([name, value]) => FILTERS.includes(name) && value !== ""),
  ]).toString();

const CLEARED = Object.fromEntries([...FILTERS, "sort", "check"].map((name) => [name, ""]));

export const FilterForm = ({ league }: { readonly league: string }) => {
  const address = useAddress();
  const isChecked = address.has("check");
  // On a narrow screen the other filters are collapsed, so that the results are visible.
  const [isWide] = useState(() => matchMedia("(min-width: 60rem)").matches);
  return (
    <search class="card filters" aria-label="Filters">
      <SuggestingField
        label="Name or base"
        what="terms"
        value={address.get("q") ?? ""}
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
        <button
          type="button"
          class="primary"
          onClick={() => changeAddress({ check: isChecked ? "" : "yes" })}
        >
          {isChecked ? "Hide the price check" : "Check the price"}
        </button>
        <button type="button" onClick={() => changeAddress(CLEARED)}>
          Clear
        </button>
      </p>
      <details class="wide" open={isWide}>
        <summary>More filters</summary>
        <MoreFilters league={league} />
      </details>
      <FromItem />
    </search>
  );
};

/** Labels of the orders of listings, by the value of `sort`. */
export const ORDERS = {
  "": "cheapest first",
  "-price": "most expensive first",
  age: "newest first",
};

const MoreFilters = ({ league }: { readonly league: string }) => {
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
  readonly onInput: (value: string, isSuggested: boolean) => void;
}

/** A search field that shows suggestions after two letters. */
const SuggestingField = ({ label, onInput, value, what }: SuggestingFieldProps) => {
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

/** Fields for the mods of a search, `TEMPLATE:MIN:` in the address, and a field to add a mod. */
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

/** Searches for items whose mods have at least 90 % of the item's values, and checks prices. */
export const checkSimilar = async (item: string, init?: RequestInit): Promise<void> => {
  const filters = await post<typeof Filters.Encoded>("filters", { item }, init);
  changeAddress({ ...CLEARED, ...filters, check: "yes" });
};

const PAUSE_MILLIS = 300;
/** A text area for an item. Starts a search when the text has not changed for `PAUSE_MILLIS`. */
const FromItem = () => {
  // A new object for each input, so that pasting the same text again starts a search.
  const [typed, setTyped] = useState({ item: "" });
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    setProblem(undefined);
    if (typed.item.trim() === "") return undefined;
    const abort = new AbortController();
    const fail = (error: Problem) => abort.signal.aborted || setProblem(error);
    const timer = setTimeout(
      () => checkSimilar(typed.item, { signal: abort.signal }).catch(fail),
      PAUSE_MILLIS,
    );
    return () => (clearTimeout(timer), abort.abort());
  }, [typed]);
  return (
    <details class="wide">
      <summary>Search from an item</summary>
      <label>
        Paste an item, as text or JSON
        <textarea
          rows={5}
          spellcheck={false}
          onInput={({ currentTarget: { value: item } }) => setTyped({ item })}
        />
      </label>
      <Refusal error={problem} />
    </details>
  );
};
