/** An hour of the currency exchange (§4.2): its markets, and the id of the next hour. */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/CurrencyExchangePage.ts";
import { array, note, record, uint, type RecordSchema } from "./internal/wire.ts";
import { Market } from "./Market.ts";

const fields = {
  next_change_id: /*#__PURE__*/ note(uint, "unix timestamp truncated to the hour"),
  markets: /*#__PURE__*/ array(Market),
};

/** An hour of the currency exchange. */
export interface CurrencyExchangePage extends Schema.Struct.Type<typeof fields> {}
/** An hour of the currency exchange. */
export const CurrencyExchangePage: RecordSchema<CurrencyExchangePage, typeof fields> =
  /*#__PURE__*/ record<CurrencyExchangePage>()(
    "CurrencyExchangePage",
    "An hour of the currency exchange",
    fields,
    check,
  );
