import { type Members, type PlainRecord, record } from "../record.ts";
import { Market } from "./Market.ts";

const currencyExchangePage = {
  /** Unix timestamp truncated to the hour. */
  next_change_id: "uint",
  markets: [Market],
} as const;
/** One hour of the currency exchange, and the id of the next hour. */
export interface CurrencyExchangePage extends Members<typeof currencyExchangePage> {}
export const CurrencyExchangePage: PlainRecord<CurrencyExchangePage> = record(
  "CurrencyExchangePage",
  currencyExchangePage,
);
