/** The tests that generated checks share. They are small enough for V8 to put them in place. */

/** Whether the value is a JSON object. */
export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether the value is an unsigned integer. */
export const isUint = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** Whether the value is a list of strings. */
export const isStrings = (value: unknown): value is ReadonlyArray<string> => {
  if (!Array.isArray(value)) return false;
  for (let index = 0; index < value.length; index++)
    if (typeof value[index] !== "string") return false;
  return true;
};

/** Whether the value is a list whose elements all pass. */
export const isEach = (
  value: unknown,
  test: (element: unknown, depth: number) => boolean,
  depth = 0,
): boolean => {
  if (!Array.isArray(value)) return false;
  for (let index = 0; index < value.length; index++) if (!test(value[index], depth)) return false;
  return true;
};
