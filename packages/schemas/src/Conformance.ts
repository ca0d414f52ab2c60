/**
 * Compares a value with the specification to the letter, for tests of what a program sends.
 *
 * It reports what `Drift` reports, and broken rules between members: an unlisted stash has no data,
 * the volumes of a market are of its own currencies, an hour begins on the hour, and jewel data
 * belongs to a jewel.
 *
 * The specification leaves two points open, which are not reported: members of one game are required
 * in that game alone, and the members of an unlisted stash may be omitted, null or (for `items`)
 * empty.
 */
import type { Deviation } from "./deviation.ts";
import {
  findDeviations,
  type Options as DriftOptions,
  type Rules,
  type RuleViolation,
} from "./findDeviations.ts";
import { isObject } from "./json.ts";
import { type Source, sourceShape } from "./source.ts";

/** Bounds the number of deviations that `report` lists. */
export type Options = Pick<DriftOptions, "limit">;

/** Returns violations of the specification up to the limit, beginning with refused places. */
export const report = (
  source: Source,
  value: unknown,
  { limit }: Options = {},
): ReadonlyArray<Deviation> =>
  findDeviations(sourceShape(source), value, { limit }, rules).deviations;

/** Whether the value follows the specification to the letter. */
export const conforms = (source: Source, value: unknown): boolean =>
  report(source, value, { limit: 1 }).length === 0;

const violation = (path: string | ReadonlyArray<string>, expected: string, actual: string) => ({
  path: typeof path === "string" ? [path] : path,
  expected,
  actual,
});

const HOUR = 3600;

const DICTIONARIES = [
  "volume_traded",
  "lowest_stock",
  "highest_stock",
  "lowest_ratio",
  "highest_ratio",
];

const rules: Rules = {
  /** §2: "if false, the optional properties are null"; streaming rule 3 (§4.2) omits them. */
  UnlistedStash: ({ items, ...change }) => [
    ...["accountName", "stash", "league"]
      .filter((name) => (change[name] ?? null) !== null)
      .map((name) => violation(name, "null for an unlisted stash", "a value")),
    ...(Array.isArray(items) && items.length > 0
      ? [violation("items", "no items of an unlisted stash", "items")]
      : []),
  ],

  /**
   * §4.2: the keys of `volume_traded` are the market's currencies, and those of the other
   * dictionaries are among them.
   */
  Market: (market) => {
    const currencies = new Set(String(market["market_id"]).split("|"));
    return DICTIONARIES.flatMap((name): ReadonlyArray<RuleViolation> => {
      const dictionary = market[name];
      if (!isObject(dictionary)) return [];
      const isForeign = Object.keys(dictionary).some((key) => !currencies.has(key));
      const isIncomplete =
        name === "volume_traded" && [...currencies].some((key) => !Object.hasOwn(dictionary, key));
      return isForeign || isIncomplete
        ? [violation(name, "the two currencies of market_id", "other keys")]
        : [];
    });
  },

  /** §4.2: a Unix timestamp truncated to the hour. */
  CurrencyExchangePage: ({ next_change_id: id }) =>
    typeof id === "number" && id % HOUR !== 0
      ? [violation("next_change_id", "a whole hour", "another second")]
      : [],

  /** §2: the keys of `jewel_data` are the `x` of items in `jewels`, if the response has jewels. */
  Character: ({ jewels, passives }) => {
    if (!isObject(passives) || !isObject(passives["jewel_data"]) || !Array.isArray(jewels))
      return [];
    const places = new Set(jewels.map((jewel) => (isObject(jewel) ? String(jewel["x"]) : "")));
    return Object.keys(passives["jewel_data"])
      .filter((key) => !places.has(key))
      .map((key) =>
        violation(["passives", "jewel_data", key], "the x of an item in jewels", "no such item"),
      );
  },
};
