/** Deviations from the specification, as `Drift` and `Conformance` report them. */
import { type Format, formats } from "./formats.ts";
import { typeName } from "./explain.ts";
import { jsonType } from "./json.ts";
import type { Leaves, Shape } from "./PlainRecord.ts";

/** The kind of a deviation, a closed set. */
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
  /** The right type in another form, such as a string that is not a valid date-time. */
  | "other-form"
  /** A record inside records of the same kind, more than 32 levels deep. */
  | "too-deep"
  /** `null` for an optional member. Reported with `explicit` only. */
  | "explicit-null"
  /** `false` for an optional flag. Reported with `explicit` only. */
  | "explicit-false"
  /** A member of an unlisted change that streaming rule 3 omits. Reported with `explicit` only. */
  | "not-omitted"
  /** A rule between members is broken. Reported by `Conformance` only. */
  | "rule-broken";

/** A place at which a value deviates from the specification. Never contains the value. */
export interface Deviation {
  readonly kind: Kind;
  /** The place in the value (RFC 6901). The empty string is the value itself. */
  readonly pointer: string;
  /** The record and its member without indices and keys, such as `Item.influences.hunter`. */
  readonly member: string;
  /** The type or word of the specification. */
  readonly expected: string;
  /** The JSON type or a description of the actual value, never the value itself. */
  readonly actual: string;
  /** `false` if the value is refused because of the deviation. */
  readonly accepted: boolean;
}

/** A deviation before its place in the value is known. */
export type Finding = Pick<Deviation, "kind" | "expected" | "actual">;

/** The words of a deployment that replace words of the specification. */
export type DeploymentWords = Readonly<
  Partial<Record<"console_a" | "console_b" | "game2" | "livestream", string | undefined>>
>;

const REALMS = ["console_a", "console_b", "game2"] as const;

/** Returns a deviation if the value is neither a listed word nor a deployment's word for it. */
export const wordFinding = (
  words: ReadonlyArray<unknown>,
  value: unknown,
  own: DeploymentWords,
): Finding | undefined =>
  words.includes(value) || REALMS.some((realm) => own[realm] === value && words.includes(realm))
    ? undefined
    : { kind: "unknown-word", expected: `one of ${words.length} words`, actual: jsonType(value) };

/** Returns a deviation if a value of the right JSON type does not have the form of the leaf. */
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
