/**
 * Holds a value against the specification to the letter: the strict side of the schemas, for what
 * we send ourselves.
 *
 * It tells what `Drift` tells, without the leave that the tolerant schemas give, and the rules
 * between members: an unlisted stash says nothing but its id, a market's volumes are of its own
 * currencies, an hour begins on the hour, jewel data belongs to a jewel. An empty list means that
 * the value conforms.
 *
 * Two points the specification leaves open are not held against a value: members of one game are
 * asked for in that game alone, and an unlisted stash may have its members omitted, null or (for
 * `items`) empty.
 *
 * @example
 * ```ts
 * import { conforms } from "@game-data/schemas/Conformance";
 * import { Guild } from "@game-data/schemas/effect";
 *
 * if (conforms(Guild, { id: "7", name: "Lamplighters", tag: "LAMP" })) {
 *   throw new Error("an id is a number");
 * }
 * ```
 */
import type * as Schema from "effect/Schema";
import type { RuleViolation, Deviation, Rules } from "./internal/deviations/Deviation.ts";
import { findDeviations } from "./internal/deviations/findDeviations.ts";
import { isObject } from "./plain/tests.ts";

type Members = Readonly<Record<string, unknown>>;

/** Options of a report. */
export interface Options {
  /** The largest number of violations to list. Default: 1000. */
  readonly limit?: number | undefined;
}

/** The first violations of the specification: those for which the value is refused, then the others. */
export const report = (
  schema: Schema.Constraint,
  value: unknown,
  { limit }: Options = {},
): ReadonlyArray<Deviation> => findDeviations(schema, value, { limit, rules }).deviations;

/** True if the value follows the specification to the letter. */
export const conforms = (schema: Schema.Constraint, value: unknown): boolean =>
  report(schema, value, { limit: 1 }).length === 0;

const HOUR = 3600;

/**
 * §2: "if false, the optional properties are null"; the streaming rules: all but `id` and `public`
 * is omitted.
 */
const unlistedStash = (change: Members): ReadonlyArray<RuleViolation> => {
  const broken = ["accountName", "stash", "league"]
    .filter((name) => (change[name] ?? null) !== null)
    .map((name) => ({ path: [name], expected: "null for an unlisted stash", actual: "a value" }));
  const items = change["items"] ?? [];
  return Array.isArray(items) && items.length > 0
    ? [...broken, { path: ["items"], expected: "no items of an unlisted stash", actual: "items" }]
    : broken;
};

/**
 * §4.2: the keys of `volume_traded` are the market's currencies; the other dictionaries speak of
 * the same two.
 */
const market = (members: Members): ReadonlyArray<RuleViolation> => {
  const currencies = new Set(String(members["market_id"]).split("|"));
  const dictionaries = [
    "volume_traded",
    "lowest_stock",
    "highest_stock",
    "lowest_ratio",
    "highest_ratio",
  ];
  return dictionaries.flatMap((name) => {
    const dictionary = members[name];
    if (!isObject(dictionary)) return [];
    const foreign = Object.keys(dictionary).some((key) => !currencies.has(key));
    const lacking =
      name === "volume_traded" &&
      [...currencies].some((currency) => !Object.hasOwn(dictionary, currency));
    if (!foreign && !lacking) return [];
    return [{ path: [name], expected: "the two currencies of market_id", actual: "other keys" }];
  });
};

/** §4.2: a unix timestamp truncated to the hour. */
const exchangePage = (page: Members): ReadonlyArray<RuleViolation> =>
  typeof page["next_change_id"] !== "number" || page["next_change_id"] % HOUR === 0
    ? []
    : [{ path: ["next_change_id"], expected: "a whole hour", actual: "another second" }];

/**
 * §2: the keys of `jewel_data` are the `x` of items in `jewels`, where the same answer has them.
 */
const character = (members: Members): ReadonlyArray<RuleViolation> => {
  const { passives, jewels } = members;
  if (!isObject(passives) || !isObject(passives["jewel_data"]) || !Array.isArray(jewels)) return [];
  const places = new Set(
    jewels.map((jewel: unknown) => (isObject(jewel) ? String(jewel["x"]) : "")),
  );
  return Object.keys(passives["jewel_data"])
    .filter((key) => !places.has(key))
    .map((key) => ({
      path: ["passives", "jewel_data", key],
      expected: "the x of an item in jewels",
      actual: "no such item",
    }));
};

const rules: Rules = {
  UnlistedStash: unlistedStash,
  Market: market,
  CurrencyExchangePage: exchangePage,
  Character: character,
};
