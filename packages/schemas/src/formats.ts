/** Checks of the string forms that the specification names. Each takes linear time. */

/** The string forms that the specification names. */
export type Format = "date-time" | "uuid-v4" | "hex-64" | "hex-10" | "colour" | "currency-pair";

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/u;

/** Whether a string is an ISO 8601 date-time with seconds and an offset, of a day that exists. */
export const isDateTime = (value: string): boolean => {
  const [, day] = DATE_TIME.exec(value) ?? [];
  if (day === undefined) return false;
  // Compares the days, because `Date` reads 30 February as 2 March.
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
};

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;
const HEX_64 = /^[0-9a-f]{64}$/u;
const HEX_10 = /^[0-9a-f]{10}$/u;
const COLOUR = /^[0-9a-f]{6}$/iu;
const CURRENCY_PAIR = /^[^|]+\|[^|]+$/u;

/** Checks whether a string has a form, by the name of the form. */
export const formats: { readonly [F in Format]: (value: string) => boolean } = {
  "date-time": isDateTime,
  "uuid-v4": (value) => UUID_V4.test(value),
  "hex-64": (value) => HEX_64.test(value),
  "hex-10": (value) => HEX_10.test(value),
  colour: (value) => COLOUR.test(value),
  "currency-pair": (value) => CURRENCY_PAIR.test(value),
};
