/** An hour of the currency exchange (§4.2): its markets, and the id of the next hour. */
import * as Plain from "../plain/generated/CurrencyExchangePage.ts";
import { array, describe, record, uint, type RecordSchema } from "../internal/wire.ts";
import { Market } from "./Market.ts";

const fields = {
  next_change_id: /*#__PURE__*/ describe(uint, "unix timestamp truncated to the hour"),
  markets: /*#__PURE__*/ array(Market),
};

/** An hour of the currency exchange. */
export type CurrencyExchangePage = Plain.CurrencyExchangePage;
/** An hour of the currency exchange. */
export const CurrencyExchangePage: RecordSchema<CurrencyExchangePage, typeof fields> =
  /*#__PURE__*/ record<CurrencyExchangePage>()(
    Plain.CurrencyExchangePage,
    "An hour of the currency exchange",
    fields,
  );
