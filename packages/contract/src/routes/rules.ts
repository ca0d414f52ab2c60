/**
 * The rules of parameters: which values a path or a query may hold.
 *
 * A client checks the values of a request. A server checks the texts of a URL, which
 * `parameterValue` converts to values first.
 */

/**
 * A name in a path. A URL cannot hold an empty segment, `.` or `..`, not even percent-encoded,
 * because URL parsers resolve them. It cannot hold half of a surrogate pair either.
 */
const NAME = /^(?!\.{1,2}$)\P{Cs}+$/u;

/** Excludes stash ids that are realms, because `/stash/console_a/x` would be ambiguous. */
const STASH_ID = /^(?!console_a$|console_b$)/u;

/** Regular expressions of the rules, for JSON Schema. */
export const patterns = {
  text: undefined,
  name: NAME.source,
  stashId: `${STASH_ID.source}${NAME.source.slice(1)}`,
} as const;

/**
 * The permitted values of a parameter: a word of a list, an integer of `[minimum, maximum?]`, a
 * Boolean, a non-empty text, or a name that is a path segment.
 */
export type Rule =
  | ReadonlyArray<string>
  | readonly [minimum: number, maximum?: number]
  | "bool"
  | "text"
  | "name"
  | "stashId";

/** Distinguishes a list of words from a range of integers, which is an array as well. */
export const isWords = (rule: Rule): rule is ReadonlyArray<string> =>
  Array.isArray(rule) && typeof rule[0] === "string";

/**
 * Returns the rule that the value breaks and the type of the value, but never the value itself.
 * Returns `undefined` if the value may be sent.
 */
export const violation = (rule: Rule, value: unknown): string | undefined => {
  const requirement = brokenRequirement(rule, value);
  if (!requirement) return undefined;
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return `${requirement}, got ${type}`;
};

const brokenRequirement = (rule: Rule, value: unknown): string | false => {
  if (rule === "bool") return typeof value !== "boolean" && "must be true or false";
  if (typeof rule === "string") {
    if (typeof value !== "string" || !value) return "must be a non-empty text";
    if (rule !== "text" && !NAME.test(value)) return "must be well-formed, not . or ..";
    return rule === "stashId" && !STASH_ID.test(value) && REALM_NAME;
  }
  if (isWords(rule)) return !rule.includes(value as string) && `must be one of ${rule.join(", ")}`;
  const [minimum, maximum = Infinity] = rule as readonly [number, number?];
  const isInteger = typeof value === "number" && Number.isSafeInteger(value);
  return (
    !(isInteger && value >= minimum && value <= maximum) &&
    `must be an integer from ${rule.join(" to ")}`
  );
};

/** Rule that a stash id breaks if the id could be read as a realm. */
export const REALM_NAME = "must not be the name of a realm";

/** Converts a URL's text to the number or Boolean that the rule requires. Keeps other text. */
export const parameterValue = (rule: Rule, text: string): string | number | boolean => {
  if (rule === "bool") return text === "true" || (text === "false" ? false : text);
  if (typeof rule === "string" || isWords(rule)) return text;
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(number) ? text : number;
};
