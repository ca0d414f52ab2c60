/**
 * Reads the price of a listing, such as `~price 5 gilt-orb` or `~b/o 1/3 tide-shard`. Sellers write
 * it into the note of an item, or into the name of a tab for all items of the tab.
 */

/** An amount of a currency. The currency is a code such as `divine`. */
export interface Price {
  readonly amount: number;
  readonly currency: string;
}

const NOTE =
  /^~(?:price|b\/o)\s+(\d{1,9}(?:[.,]\d{1,6})?)(?:\/(\d{1,9}(?:[.,]\d{1,6})?))?\s+(\S{1,60})\s*$/u;

/** Longest note that is read, in characters. */
const MAX_LENGTH = 500;

/**
 * Returns the price of a note that contains only a price, or `undefined` for any other note and a
 * price of zero. The currency is the seller's text, and may not exist.
 *
 * @example
 * ```ts
 * import { readPrice } from "@game-data/schemas/price";
 *
 * console.log(readPrice("~price 3/2 divine")); // { amount: 1.5, currency: 'divine' }
 * ```
 */
export const readPrice = (note: unknown): Price | undefined => {
  if (typeof note !== "string" || note.length > MAX_LENGTH) return undefined;
  const match = NOTE.exec(note);
  if (match === null) return undefined;
  const [, above, below = "1", currency] = match;
  const amount = Number(above!.replace(",", ".")) / Number(below.replace(",", "."));
  return amount > 0 && Number.isFinite(amount)
    ? { amount, currency: currency!.toWellFormed() }
    : undefined;
};
