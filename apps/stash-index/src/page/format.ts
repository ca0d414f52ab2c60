/** Numbers, times and prices as people read them. */
import type { ListedItem } from "../web/records.ts";

const FIGURE = new Intl.NumberFormat("en", {
  maximumSignificantDigits: 3,
  maximumFractionDigits: 0,
  roundingPriority: "morePrecision",
});

/** A figure with three digits, or as a whole number if that is more. */
export const figure = (value: number): string => FIGURE.format(value);

/** Formats a value of a currency. */
export const money = (value: number | null, currency: string): string =>
  value === null ? "no rate" : `${figure(value)} ${currency}`;

/** Formats the time since an instant. */
export const ago = (millis: number, now = Date.now()): string => {
  const seconds = Math.max(0, Math.round((now - millis) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
};

/** A duration in words. */
export const duration = (millis: number): string => ago(0, millis);

/** Names an item in a list. */
export const itemName = ({ base, name }: Pick<ListedItem, "base" | "name">): string =>
  name === "" || name === base ? base : `${name}, ${base}`;
