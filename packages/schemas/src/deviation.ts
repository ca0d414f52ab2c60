/** Deviations from the specification, as `Drift` and `Conformance` report them. */
import { type Format, formats } from "./formats.ts";
import { typeName } from "./explain.ts";
import { jsonType } from "./json.ts";
import type { Leaves, Shape } from "./PlainRecord.ts";

/** The kind of a deviation. */
export type Kind =
  /** A member that the specification does not name. */
  | "unknown-key"
  /** A word or number that the specification does not list. */
  | "unknown-word"
  /** A type other than the documented type. */
  | "other-type"
  /** A required member is absent or null. */
  | "missing"
  /** `false` although the specification says "always true". */
  | "always-true-violated"
  /** The right type in another form, such as a string that is not a date-time. */
  | "other-form"
  /** Records nested in themselves beyond the bound of the checks. */
  | "too-deep"
  /** `null` for an optional member. Reported with `explicit` only. */
  | "explicit-null"
  /** `false` for an optional flag. Reported with `explicit` only. */
  | "explicit-false"
  /** A member of an unlisted change that streaming rule 3 omits. Reported with `explicit` only. */
  | "not-omitted"
  /** A rule between members is broken. Reported by `Conformance` only. */
  | "rule-broken";

/** A deviation from the specification. */
export interface Deviation {
  readonly kind: Kind;
  /** The place in the value (RFC 6901). The empty string is the value itself. */
  readonly pointer: string;
  /** The record and its member without indices and keys, such as `Item.influences.hunter`. */
  readonly member: string;
  /** The type or word of the specification. */
  readonly expected: string;
  /** The kind of the value. Never the value itself. */
  readonly actual: string;
  /** False if the value is refused for it. */
  readonly accepted: boolean;
}

/** A deviation without its place. */
export type Finding = Pick<Deviation, "kind" | "expected" | "actual">;

/** The deployment's word for each word of the specification. */
export type DeploymentWords = Readonly<
  Partial<Record<"console_a" | "console_b" | "game2" | "livestream", string | undefined>>
>;

const REALMS = ["console_a", "console_b", "game2"] as const;

/** Returns the deviation of a value from the words of the specification or of the deployment. */
export const wordFinding = (
  words: ReadonlyArray<unknown>,
  value: unknown,
  own: DeploymentWords,
): Finding | undefined =>
  words.includes(value) || REALMS.some((realm) => own[realm] === value && words.includes(realm))
    ? undefined
    : { kind: "unknown-word", expected: `one of ${words.length} words`, actual: jsonType(value) };

/** Returns the deviation of a value of the right JSON type from a leaf of the specification. */
export const leafFinding = (leaf: keyof Leaves, value: any): Finding | undefined => {
  switch (leaf) {
    case "true":
      if (value === true) return undefined;
      return { kind: "always-true-violated", expected: "true", actual: "false" };
    case "double .01":
      if (Number(value.toFixed(2)) === value) return undefined;
      return { kind: "other-form", expected: "2 decimal places", actual: "more decimal places" };
    case "1..10":
      if (value >= 1 && value <= 10) return undefined;
      return { kind: "other-form", expected: "1 to 10", actual: "out of range" };
    default:
      return typeof value !== "string" || !(leaf in formats) || formats[leaf as Format](value)
        ? undefined
        : { kind: "other-form", expected: leaf, actual: `string of length ${value.length}` };
  }
};

/** Returns the name of the documented type, which is the first of the accepted types. */
export const documentedName = (shape: Shape): string => {
  if (shape.kind === "either") return documentedName(shape.of[0]);
  if (shape.kind !== "dictionary") return typeName(shape);
  const isAny = shape.of.kind === "leaf" && shape.of.leaf === "any";
  return isAny ? "dictionary" : `dictionary of ${documentedName(shape.of)}`;
};
