/**
 * Deviations from the specification, and the rules between members that `Conformance`
 * adds.
 */

/** The kind of a deviation. */
export type Kind =
  /** A member that the specification does not name. */
  | "unknown-key"
  /** A word or number that the specification does not list. */
  | "unknown-word"
  /** A type other than the documented one. */
  | "other-type"
  /** A required member is absent or null. */
  | "missing"
  /** `false` where the specification says "always true". */
  | "always-true-violated"
  /**
   * The right type in another form: no date-time, other than 64 hexadecimal digits, more decimals,
   * out of range.
   */
  | "other-form"
  /** Records nested in themselves beyond the bound of the checks. */
  | "too-deep"
  /**
   * `null` for an optional member, which the specification permits: reported with `explicit` only.
   */
  | "explicit-null"
  /**
   * `false` for an optional flag, which the specification permits: reported with `explicit` only.
   */
  | "explicit-false"
  /** A member of an unlisted change that streaming rule 3 omits: reported with `explicit` only. */
  | "not-omitted"
  /** A rule between members is broken: reported by `Conformance` only. */
  | "rule-broken";

/** One deviation from the specification. */
export interface Deviation {
  /** The kind. */
  readonly kind: Kind;
  /** The place in the value (RFC 6901); the empty string is the value itself. */
  readonly pointer: string;
  /**
   * The record and its member without indices and keys, such as `Item.influences.hunter`: few
   * enough to count by.
   */
  readonly member: string;
  /** The type or word of the specification. */
  readonly expected: string;
  /** The kind of the value; never the value itself. */
  readonly actual: string;
  /** False where the schema refuses the value for it. */
  readonly accepted: boolean;
}

/** Rules between the members of a record, by the record's identifier. */
export type Rules = Readonly<
  Record<string, (record: Readonly<Record<string, unknown>>) => ReadonlyArray<RuleViolation>>
>;

/** A rule that a record breaks, at a member of it. */
export interface RuleViolation {
  readonly path: ReadonlyArray<string>;
  readonly expected: string;
  readonly actual: string;
}
