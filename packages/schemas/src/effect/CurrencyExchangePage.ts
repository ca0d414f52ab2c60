/** An hour of the currency exchange (§4.2): its markets, and the id of the next hour. */
import * as Plain from "../plain/generated/CurrencyExchangePage.ts";
import * as wire from "../internal/wire.ts";
import { Market } from "./Market.ts";

const fields = {
  next_change_id: /*#__PURE__*/ wire.describe(wire.uint, "unix timestamp truncated to the hour"),
  markets: /*#__PURE__*/ wire.array(Market),
};

/** An hour of the currency exchange. */
export type CurrencyExchangePage = Plain.CurrencyExchangePage;
export const CurrencyExchangePage: wire.RecordSchema<CurrencyExchangePage, typeof fields> =
  /*#__PURE__*/ wire.record(Plain.CurrencyExchangePage, "An hour of the currency exchange", fields);
