/**
 * A market of the currency exchange in one hour (§4.2), and the exchange's page.
 *
 * Values are unsigned integers per currency; ratios are of executed trades and all zero when
 * nothing was traded.
 */
import * as Plain from "../plain/generated/Market.ts";
import * as wire from "../internal/wire.ts";

const perCurrency = /*#__PURE__*/ wire.dictionary(wire.uint);

const fields = {
  league: wire.string,
  market_id: /*#__PURE__*/ wire.describe(
    /*#__PURE__*/ wire.formattedString("currency-pair"),
    "the two currency codes joined by a pipe character",
  ),
  volume_traded: /*#__PURE__*/ wire.describe(perCurrency, "keys are the market currencies"),
  lowest_stock: perCurrency,
  highest_stock: perCurrency,
  lowest_ratio: perCurrency,
  highest_ratio: perCurrency,
};

/** A market in one hour. */
export type Market = Plain.Market;
export const Market: wire.RecordSchema<Market, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.Market,
  "A market of the currency exchange in one hour",
  fields,
);
