/**
 * An hour of the currency exchange.
 *
 * Generated from the schema of `CurrencyExchangePage` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { CurrencyExchangePage } from "@game-data/schemas";
 *
 * const result = CurrencyExchangePage.safeDecode(null);
 * if (result.ok) throw new Error("null is no CurrencyExchangePage");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isUint } from "../tests.ts";
import { check as checkMarket, Market } from "./Market.ts";

/** An hour of the currency exchange. */
export interface CurrencyExchangePage {
  /** Unix timestamp truncated to the hour. */
  readonly next_change_id: number;
  readonly markets: ReadonlyArray<Market>;
}

/** An hour of the currency exchange. */
export const CurrencyExchangePage: PlainRecord<CurrencyExchangePage> = /*#__PURE__*/ makeRecord(
  "CurrencyExchangePage",
  { next_change_id: "u", markets: ["[", ["@", Market]] },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "next_change_id") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "markets") {
      if (!isEach(member, checkMarket)) return false;
      required++;
    }
  }
  return required === 2;
}
