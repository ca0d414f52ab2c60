/** The filters of the page: what the form draws, the address keeps and a search is asked for. */
/** A field: one of its options, or a number. */
export interface Field {
  readonly name: string;
  readonly label: string;
  /** The first one stands for any. */
  readonly options?: ReadonlyArray<string | readonly [value: string, text: string]>;
  readonly step?: "any";
}

const RARITIES = ["normal", "magic", "rare", "unique", "gem", "currency", "card"];
const ANY = ["", "any"] as const;

/** The fields in the form's order; those of `sort` and `currency` besides. */
export const FIELDS: ReadonlyArray<Field> = [
  { name: "rarity", label: "Rarity", options: [ANY, ...RARITIES] },
  {
    name: "sort",
    label: "Order",
    options: [
      ["", "Cheapest first"],
      ["-price", "Dearest first"],
      ["age", "Newest first"],
      ["relevance", "Best match"],
    ],
  },
  { name: "priceMin", label: "Price from", step: "any" },
  { name: "priceMax", label: "Price to", step: "any" },
  // Its options are those of the league.
  { name: "currency", label: "Currency", options: [] },
  { name: "ilvlMin", label: "Level from" },
  { name: "ilvlMax", label: "Level to" },
  { name: "socketsMin", label: "Sockets from" },
  { name: "linksMin", label: "Links from" },
  { name: "corrupted", label: "Corrupted", options: [ANY, "no", "yes"] },
];

/** Exact texts, which come from an item or a choice and can be taken away. */
export const CHIPS = ["name", "base", "modText"];

/** The names of all filters, as the API has them. */
const FILTERS = [
  "league",
  "q",
  ...CHIPS,
  "mod",
  ...FIELDS.flatMap(({ name }) => (name === "sort" ? [] : [name])),
];

/** The query of a search, made of the filters in the address. */
export const searchQuery = (parameters: URLSearchParams): string =>
  new URLSearchParams([...parameters].filter(([name]) => FILTERS.includes(name))).toString();

/** An address without filters. */
export const CLEARED = Object.fromEntries(
  [...FILTERS, "sort", "check"].flatMap((name) => (name === "league" ? [] : [[name, ""]])),
);

/** A mod in the address: `TEMPLATE:LEAST:MOST`. */
export const modParts = (mod: string) => {
  const [, template = "", least = "", most = ""] =
    /^(.+?)(?::(-?[\d.]*):(-?[\d.]*))?$/su.exec(mod) ?? [];
  return { template, least, most };
};
