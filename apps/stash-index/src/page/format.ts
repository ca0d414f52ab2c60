/** Formats numbers, times and prices for people. */
import type { ListedItem } from "../web/records.ts";

const FIGURE = new Intl.NumberFormat("en", {
  maximumSignificantDigits: 3,
  maximumFractionDigits: 0,
  roundingPriority: "morePrecision",
});

/** Formats a number with three digits, or as a whole number if it has more. */
export const figure = (value: number): string => FIGURE.format(value);

/** Formats an amount of a currency. `null` means that the currency has no exchange rate. */
export const money = (value: number | null, currency: string): string =>
  value === null ? "no rate" : `${figure(value)} ${currency}`;

/** Formats the time since `millis`, such as `5 min`. */
export const ago = (millis: number, now = Date.now()): string => {
  const seconds = Math.max(0, Math.round((now - millis) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
};

/** Formats a length of time in milliseconds, such as `5 min`. */
export const duration = (millis: number): string => ago(0, millis);

/** Returns the name of an item in a list: its unique name with the base, or the base. */
export const itemName = ({ base, name }: Pick<ListedItem, "base" | "name">): string =>
  name === "" || name === base ? base : `${name}, ${base}`;
