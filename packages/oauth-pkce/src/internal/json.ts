/** Reads JSON that came from outside this process: responses, stored entries, cookies. */

/** A parsed JSON object; members are read as own properties only. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Parses a JSON object; `undefined` for any other text. */
export const parseObject = (text: string): JsonObject | undefined => {
  try {
    // Own members only, and a member called __proto__ stays without effect.
    return /^\s*\{/.test(text) ? { __proto__: null, ...JSON.parse(text) } : undefined;
  } catch {
    return undefined;
  }
};

/** A condition on a member's value; `undefined` stands for a missing member. */
type Condition = (value: unknown) => boolean;

/**
 * Reads the named members of an object, and no others; `undefined` where one of them breaks its
 * condition.
 */
export const readMembers = <A extends object>(
  value: unknown,
  conditions: Readonly<Record<keyof A, Condition>>,
): A | undefined => {
  if (typeof value !== "object" || value === null) return undefined;
  const found: Partial<A> = {};
  for (const name in conditions) {
    const member = (value as A)[name];
    if (!conditions[name](member)) return undefined;
    if (member !== undefined) found[name] = member;
  }
  return found as A;
};

/** Whether a value is an object whose members meet the conditions. */
export const hasMembers = (
  value: unknown,
  conditions: Readonly<Record<string, Condition>>,
): value is JsonObject => readMembers(value, conditions) !== undefined;

/** Whether a value is text. */
export const isString = (value: unknown): value is string => typeof value === "string";

/** Whether a value is a number. JSON has no `NaN` and no infinity. */
export const isNumber = (value: unknown): value is number => Number.isFinite(value);

/** Whether a value is a list of texts. */
export const isStrings = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every(isString);

/** Allows a member to be missing. */
export const optional =
  (holds: Condition): Condition =>
  (value) =>
    value === undefined || holds(value);
