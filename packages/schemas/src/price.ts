/**
 * Reads the price of a listing, which sellers write as a text: the note of an item, or the name of
 * the tab for all items in it. `~price 5 gilt-orb`, `~b/o 1/3 tide-shard`.
 *
 * @example
 * ```ts
 * import { readPrice } from "@game-data/schemas/price";
 *
 * const item = { note: "sword of my uncle" };
 * const price = readPrice(item.note) ?? readPrice("~b/o 1/4 gilt-orb");
 * if (price?.amount !== 0.25 || price.currency !== "gilt-orb") throw new Error("the tab's price");
 * ```
 */

/** An amount of a currency, by the currency's code. */
export interface Price {
  readonly amount: number;
  readonly currency: string;
}

const NOTE =
  /^~(?:price|b\/o)\s+(\d{1,9}(?:[.,]\d{1,6})?)(?:\/(\d{1,9}(?:[.,]\d{1,6})?))?\s+(\S{1,60})\s*$/u;

/** Characters of the longest note that is read. */
const LONGEST = 500;

/**
 * The price that a note states and nothing else; `undefined` for none, zero, or what cannot be read.
 * The code of the currency is the seller's text and may name none.
 */
export const readPrice = (note: unknown): Price | undefined => {
  if (typeof note !== "string" || note.length > LONGEST) return undefined;
  const match = NOTE.exec(note);
  if (match === null) return undefined;
  const [, above, below = "1", currency] = match;
  const amount = Number(above!.replace(",", ".")) / Number(below.replace(",", "."));
  return amount > 0 && Number.isFinite(amount)
    ? { amount, currency: currency!.toWellFormed() }
    : undefined;
};
