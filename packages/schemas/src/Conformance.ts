/**
 * Compares a value with the specification to the letter, for tests of what a program sends.
 *
 * Reports the deviations that `Drift` reports, and broken rules between members: an unlisted stash
 * has no data, the volumes of a market are of its own currencies, an hour begins on the hour, and
 * jewel data belongs to a jewel.
 *
 * Two points that the specification leaves open are not reported: members of one game are required
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

/** Whether the value has no deviation and breaks no rule. */
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
  /** Optional members are null (§2) or absent (streaming rule 3, §4.2). */
  UnlistedStash: ({ items, ...change }) => [
    ...["accountName", "stash", "league"]
      .filter((name) => (change[name] ?? null) !== null)
      .map((name) => violation(name, "null for an unlisted stash", "a value")),
    ...(Array.isArray(items) && items.length > 0
      ? [violation("items", "no items of an unlisted stash", "items")]
      : []),
  ],

  /**
   * The keys of `volume_traded` are the market's two currencies. The other dictionaries have no key
   * beside these currencies (§4.2).
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

  /** `next_change_id` is a Unix timestamp truncated to the hour (§4.2). */
  CurrencyExchangePage: ({ next_change_id: id }) =>
    typeof id === "number" && id % HOUR !== 0
      ? [violation("next_change_id", "a whole hour", "another second")]
      : [],

  /** The keys of `jewel_data` are the `x` of items in `jewels`, if there are `jewels` (§2). */
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
