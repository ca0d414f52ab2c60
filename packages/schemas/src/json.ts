/** JSON values: their types, and places in them. */

/** A place in a value, as a list of keys and indices. */
export type Path = ReadonlyArray<string | number>;

/** Longest key in a pointer. A service chooses the keys, and escaping a long key is slow. */
const MAX_KEY_LENGTH = 1000;

/** Returns the JSON pointer (RFC 6901) of a place. Cuts keys of more than 1,000 characters. */
export const toPointer = (path: Path): string => path.map((key) => `/${escapeKey(key)}`).join("");

const escapeKey = (key: string | number): string =>
  String(key).slice(0, MAX_KEY_LENGTH).replaceAll("~", "~0").replaceAll("/", "~1");

/** Whether the value is a JSON object, so neither `null` nor an array. */
export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether the value is an integer from 0 to 2^53 - 1. */
export const isUint = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** Returns the JSON type of a value for a report, which never contains the value. */
export const jsonType = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "number") return typeof value;
  if (!Number.isSafeInteger(value)) return "number";
  return isUint(value) ? "integer" : "negative integer";
};
