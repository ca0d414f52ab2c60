/**
 * A market of the currency exchange in one hour (§4.2).
 *
 * @example
 * ```ts
 * import { Market } from "@game-data/schemas/Market";
 *
 * if (Market.is({})) throw new Error("a market has currencies");
 * ```
 */
import type { Market } from "./generated/Market.ts";

export { Market } from "./generated/Market.ts";

/** The two currencies of a market, or `undefined` if `market_id` is no pair. */
export const currenciesOf = (
  market: Pick<Market, "market_id">,
): readonly [string, string] | undefined => {
  const [first, second, ...rest] = market.market_id.split("|");
  return first && second && rest.length === 0 ? [first, second] : undefined;
};
