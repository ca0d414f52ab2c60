/** The JSON type of a value, as reports name it; never the value. */
export const jsonTypeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "number") return typeof value;
  if (!Number.isSafeInteger(value)) return "number";
  return value < 0 ? "negative integer" : "integer";
};
