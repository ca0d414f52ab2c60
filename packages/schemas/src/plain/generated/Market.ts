/**
 * A market of the currency exchange in one hour.
 *
 * Generated from the schema of `Market` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { Market } from "@game-data/schemas";
 *
 * const result = Market.safeDecode(null);
 * if (result.ok) throw new Error("null is no Market");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject, isUint } from "../tests.ts";

/** A market of the currency exchange in one hour. */
export interface Market {
  readonly league: string;
  /** The two currency codes joined by a pipe character. */
  readonly market_id: string;
  /** Keys are the market currencies. */
  readonly volume_traded: { readonly [key: string]: number } | Readonly<Record<string, never>>;
  readonly lowest_stock: { readonly [key: string]: number } | Readonly<Record<string, never>>;
  readonly highest_stock: { readonly [key: string]: number } | Readonly<Record<string, never>>;
  readonly lowest_ratio: { readonly [key: string]: number } | Readonly<Record<string, never>>;
  readonly highest_ratio: { readonly [key: string]: number } | Readonly<Record<string, never>>;
}

/** A market of the currency exchange in one hour. */
export const Market: PlainRecord<Market> = /*#__PURE__*/ makeRecord(
  "Market",
  {
    league: "s",
    market_id: "s",
    volume_traded: ["|", ["{", "u"], ["(", true]],
    lowest_stock: ["|", ["{", "u"], ["(", true]],
    highest_stock: ["|", ["{", "u"], ["(", true]],
    lowest_ratio: ["|", ["{", "u"], ["(", true]],
    highest_ratio: ["|", ["{", "u"], ["(", true]],
  },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (!isUint(member)) return false;
  }
  return true;
}

function part2(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "league" || key === "market_id") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (
      key === "volume_traded" ||
      key === "lowest_stock" ||
      key === "highest_stock" ||
      key === "lowest_ratio" ||
      key === "highest_ratio"
    ) {
      if (!(part1(member) || part2(member))) return false;
      required++;
    }
  }
  return required === 7;
}
