/**
 * Reads the price of a listing from a note or the name of a tab: `~price 5 gilt-orb`, `~b/o 1/3
 * tide-shard`.
 */

/** An amount of a currency, by the currency's code. */
export interface Price {
  readonly amount: number;
  readonly currency: string;
}

const NOTE =
  /^~(?:price|b\/o)\s+(\d{1,9}(?:[.,]\d{1,6})?)(?:\/(\d{1,9}(?:[.,]\d{1,6})?))?\s+(\S{1,60})\s*$/u;

/** Characters of a note that are read. */
const LONGEST = 500;

/** The price in a note; `undefined` for none, zero, or what cannot be read. */
export const readPrice = (note: unknown): Price | undefined => {
  const [, above, below = "1", currency] =
    NOTE.exec(typeof note === "string" ? note.slice(0, LONGEST) : "") ?? [];
  if (above === undefined || currency === undefined) return undefined;
  const amount = Number(above.replace(",", ".")) / Number(below.replace(",", "."));
  return amount > 0 && Number.isFinite(amount)
    ? { amount, currency: currency.toWellFormed() }
    : undefined;
};
