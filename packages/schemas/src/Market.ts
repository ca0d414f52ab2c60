/**
 * A market of the currency exchange in one hour (§4.2), and the exchange's page.
 *
 * Values are unsigned integers per currency; ratios are of executed trades and all zero when
 * nothing was traded.
 */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/Market.ts";
import {
  dictionary,
  formatted,
  note,
  record,
  string,
  uint,
  type RecordSchema,
} from "./internal/wire.ts";

const perCurrency = /*#__PURE__*/ dictionary(uint);

const fields = {
  league: string,
  market_id: /*#__PURE__*/ note(
    /*#__PURE__*/ formatted("currency-pair"),
    "the two currency codes joined by a pipe character",
  ),
  volume_traded: /*#__PURE__*/ note(perCurrency, "keys are the market currencies"),
  lowest_stock: perCurrency,
  highest_stock: perCurrency,
  lowest_ratio: perCurrency,
  highest_ratio: perCurrency,
};

/** A market in one hour. */
export interface Market extends Schema.Struct.Type<typeof fields> {}
/** A market in one hour. */
export const Market: RecordSchema<Market, typeof fields> = /*#__PURE__*/ record<Market>()(
  "Market",
  "A market of the currency exchange in one hour",
  fields,
  check,
);

/** The two currencies of a market, or `undefined` if `market_id` is no pair. */
export const currenciesOf = (
  market: Pick<Market, "market_id">,
): readonly [string, string] | undefined => {
  const [first, second, ...rest] = market.market_id.split("|");
  return first && second && rest.length === 0 ? [first, second] : undefined;
};
