/**
 * The rules of parameters: which values of a path or a query may be sent.
 *
 * Plain data and predicates, shared by the schemas of the HttpApi and by the route table, which is
 * generated from them.
 */

/** A name in a path: what a URL can carry as one segment. See `Name` of `contract/server`. */
export const NAME = /^(?!\.{1,2}$)\P{Cs}+$/u;

/** Words that a stash id may not be, or `/stash/console_a/x` would mean two things. */
export const STASH_ID = /^(?!(?:console_a|console_b)$)/u;

/** `parameter=word` needs the other parameter. */
export const NEEDS: Readonly<Record<string, string>> = {
  "type=season": "season",
  "type=league": "league",
  "sort=class": "class",
};

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

/** Describes the problem of a value without showing it; `undefined` if it may be sent. */
export const violation = (rule: Rule, value: unknown): string | undefined => {
  if (typeof rule !== "string") {
    if (isWords(rule))
      return rule.includes(value as string) ? undefined : `must be one of ${rule.join(", ")}`;
    const [minimum, maximum = Number.MAX_SAFE_INTEGER] = rule as readonly [number, number?];
    const fits =
      Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
    return fits
      ? undefined
      : `must be an integer ${rule.length > 1 ? `from ${minimum} to ${maximum}` : `of at least ${minimum}`}`;
  }
  if (rule === "bool") return typeof value === "boolean" ? undefined : "must be true or false";
  if (typeof value !== "string" || value === "") return "must be a text that is not empty";
  if (rule === "text" || NAME.test(value)) {
    return rule === "stashId" && !STASH_ID.test(value)
      ? "must not be the name of a realm"
      : undefined;
  }
  return "must not be . or .. and must be well-formed Unicode";
};
