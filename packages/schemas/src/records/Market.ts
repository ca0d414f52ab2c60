import { dictionary, type Members, type PlainRecord, record } from "../record.ts";

const perCurrency = dictionary("uint");
const market = {
  league: "string",
  /** The two currency codes joined by a pipe character. */
  market_id: "currency-pair",
  /** The traded amounts. Keys are the two currencies of the market. */
  volume_traded: perCurrency,
  lowest_stock: perCurrency,
  highest_stock: perCurrency,
  lowest_ratio: perCurrency,
  highest_ratio: perCurrency,
} as const;
/** A market of the currency exchange in one hour. Ratios are zero if nothing was traded. */
export interface Market extends Members<typeof market> {}
export const Market: PlainRecord<Market> = record("Market", market);

/** Returns the two currency codes of a market, or `undefined` if `market_id` is not a pair. */
export const currenciesOf = ({
  market_id,
}: Pick<Market, "market_id">): readonly [string, string] | undefined => {
  const [first, second, ...rest] = market_id.split("|");
  return first && second && rest.length === 0 ? [first, second] : undefined;
};
