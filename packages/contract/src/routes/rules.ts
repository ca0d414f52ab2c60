/**
 * The rules of parameters: which values of a path or a query may be sent.
 *
 * A client applies them to the values of a request, a server to the texts of a URL, which
 * `parameterValue` turns into values.
 */

/**
 * A name in a path. A URL cannot carry an empty segment, `.` or `..` (not even percent-encoded: URL
 * parsers resolve them), nor half a surrogate pair.
 */
const NAME = /^(?!\.{1,2}$)\P{Cs}+$/u;

/**
 * Words that a stash id may not be, or `/stash/console_a/x` would mean two things. The id is checked
 * no further: one that belongs to no tab is answered with null, not refused.
 */
const STASH_ID = /^(?!console_a$|console_b$)/u;

/** The pattern of a rule, as JSON Schema writes it; `undefined` for a rule without one. */
export const patternOf = (rule: "text" | "name" | "stashId"): string | undefined =>
  rule === "text"
    ? undefined
    : rule === "name"
      ? NAME.source
      : `${STASH_ID.source}${NAME.source.slice(1)}`;

/**
 * What a parameter may be: one of these words, an integer of `[minimum, maximum?]`, a Boolean, a
 * text that is not empty, or a name that is a segment of a path.
 */
export type Rule =
  | ReadonlyArray<string>
  | readonly [minimum: number, maximum?: number]
  | "bool"
  | "text"
  | "name"
  | "stashId";

/** Whether the rule is a list of words. */
export const isWords = (rule: Rule): rule is ReadonlyArray<string> =>
  Array.isArray(rule) && typeof rule[0] === "string";

/**
 * Describes the problem of a value: the rule, and the type of the value, which is never shown.
 * `undefined` if it may be sent.
 */
export const violation = (rule: Rule, value: unknown): string | undefined => {
  const needed = neededBy(rule, value);
  return needed
    ? `${needed}, got ${value === null ? "null" : Array.isArray(value) ? "array" : typeof value}`
    : undefined;
};

/** What the rule asks for, if it does not let the value pass. */
const neededBy = (rule: Rule, value: any): string | false => {
  if (rule === "bool") return typeof value !== "boolean" && "must be true or false";
  if (typeof rule === "string") {
    if (typeof value !== "string" || !value) return "must be a non-empty text";
    if (rule !== "text" && !NAME.test(value)) return "must be well-formed, not . or ..";
    return rule === "stashId" && !STASH_ID.test(value) && NO_REALM;
  }
  const [minimum, maximum = value] = rule;
  if (typeof minimum === "string")
    return !rule.includes(value as never) && `must be one of ${rule.join(", ")}`;
  return (
    !(Number.isSafeInteger(value) && value >= minimum! && value <= maximum) &&
    `must be an integer from ${rule.join(" to ")}`
  );
};

/** What is said of a stash id that could be read as a realm. */
export const NO_REALM = "must not be the name of a realm";

/** The value that a text of a URL stands for: a number or a Boolean where the rule asks for one. */
export const parameterValue = (rule: Rule, text: string): string | number | boolean => {
  if (rule === "bool") return text === "true" || (text === "false" ? false : text);
  if (typeof rule === "string" || isWords(rule)) return text;
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isNaN(number) ? text : number;
};
