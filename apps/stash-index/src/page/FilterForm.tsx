/** The filters. The address has them, so each change is the next search. */
import { useState } from "preact/hooks";
import { RARITIES } from "../index/rarities.ts";
import type { ItemFilters, Rates } from "../web/records.ts";
import { type Change, changeAddress, useAddress } from "./address.tsx";
import { post, type Problem, useApi, useSuggestions } from "./api.ts";
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
  const value = (name: string) => address.get(name) ?? "";
  // On a narrow screen the results are more important than the other filters.
  const [isWide] = useState(() => matchMedia("(min-width: 60rem)").matches);
  return (
    <form
      class="card filters"
      role="search"
      aria-label="Filters"
      onSubmit={(event) => event.preventDefault()}
    >
      <Words value={value("q")} isInvalid={problem?.parameter === "q"} />
      {FIXED.filter((name) => value(name) !== "").map((name) => (
        <p key={name} class="wide">
          {name}: {value(name)}{" "}
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

const ORDERS = [
  ["", "Cheapest first"],
  ["-price", "Most expensive first"],
  ["age", "Newest first"],
] as const;

const MoreFilters = ({ league, problem }: FormProps) => {
  const address = useAddress();
  const value = (name: string) => address.get(name) ?? "";
  const rates = useApi<Rates>(`exchange/currencies?league=${encodeURIComponent(league)}`).result;
  const choose = (
    name: string,
    label: string,
    options: Parameters<typeof Select>[0]["options"],
  ) => (
    <Select
      label={label}
      value={value(name)}
      options={options}
      onChange={(chosen) => changeAddress({ [name]: chosen })}
    />
  );
  return (
    <div class="filters">
      {choose("rarity", "Rarity", [["", "any"], ...RARITIES])}
      {choose("sort", "Order", ORDERS)}
      {Object.entries(NUMBERS).map(([name, label]) => (
        <label key={name}>
          {label}
          <input
            type="number"
            min="0"
            step={name.startsWith("price") ? "any" : "1"}
            value={value(name)}
            aria-invalid={problem?.parameter === name}
            onInput={(event) => changeAddress({ [name]: event.currentTarget.value }, true)}
          />
        </label>
      ))}
      {choose("currency", "Currency", [
        ["", rates === undefined ? "base" : `${rates.base} (base)`],
        ...Object.keys(rates?.values ?? {}).toSorted(),
      ])}
      {choose("corrupted", "Corrupted", [["", "any"], "no", "yes"])}
      <Mods mods={address.getAll("mod")} />
    </div>
  );
};

interface SuggestionsProps {
  readonly id: string;
  readonly texts: ReadonlyArray<string>;
}

const Suggestions = ({ id, texts }: SuggestionsProps) => (
  <datalist id={id}>
    {texts.map((text) => (
      <option key={text} value={text} />
    ))}
  </datalist>
);

const Words = ({ isInvalid, value }: { readonly isInvalid: boolean; readonly value: string }) => (
  <label class="wide">
    Name or base
    <input
      type="search"
      value={value}
      list="terms"
      autocomplete="off"
      placeholder="band, rod, helm …"
      aria-invalid={isInvalid}
      onInput={(event) => changeAddress({ q: event.currentTarget.value }, true)}
    />
    <Suggestions id="terms" texts={useSuggestions("terms", value)} />
  </label>
);

/** The mods of a search, `TEMPLATE:MIN:` in the address, and a field that adds one. */
const Mods = ({ mods }: { readonly mods: ReadonlyArray<string> }) => {
  const [typed, setTyped] = useState("");
  const suggestions = useSuggestions("mods", typed);
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
      <label>
        Add a mod
        <input
          type="search"
          value={typed}
          autocomplete="off"
          placeholder="vigour, resistance …"
          list="mods"
          onInput={({ currentTarget: { value } }) => {
            const isChosen = suggestions.includes(value);
            setTyped(isChosen ? "" : value);
            if (isChosen) change(value, `${value}::`);
          }}
        />
      </label>
      <Suggestions id="mods" texts={suggestions} />
    </fieldset>
  );
};

const templateOf = (mod: string): string => mod.replace(/:-?[\d.]*:-?[\d.]*$/u, "");

/** Returns the price check of an item: each of its mods from a tenth below the item's roll. */
export const similarItems = ({ base, links, mods, name, rarity }: ItemFilters): Change => ({
  ...CLEARED,
  name,
  base,
  check: "yes",
  rarity: rarity === "foil" ? "" : rarity,
  linksMin: links > 4 ? String(links) : "",
  mod: mods.filter(({ isKnown }) => isKnown).map(({ min, template }) => `${template}:${min}:`),
});

/** Searches for a pasted item. */
const FromItem = () => {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Problem>();
  const find = async () => {
    try {
      changeAddress(similarItems(await post<ItemFilters>("filters", { item: text })));
      setProblem(undefined);
    } catch (refused) {
      setProblem(refused as Problem);
    }
  };
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
