/**
 * Checks a value against a schema and reports at once whether it is valid, why not, and where it
 * deviates from the specification.
 *
 * For tools and tests that look at responses one by one; a program that only wants the value
 * decodes it, which is far faster. `recordKinds` finds the schemas by name, for tools that get the
 * name at run time; it brings all records into a bundle.
 *
 * @example
 * ```ts
 * import { check, recordKinds } from "@game-data/schemas/Check";
 *
 * const { valid, issues } = check(recordKinds.get("Guild")!, { id: 1, name: "Ember" });
 * if (valid || issues[0]?.pointer !== "/tag") throw new Error("the tag is missing");
 * ```
 */
import * as Schema from "effect/Schema";
import { type Deviation, report } from "./Drift.ts";
import * as records from "./effect/index.ts";

/** The result of a check. */
export interface CheckResult {
  /** Whether the value decodes. */
  readonly valid: boolean;
  /** The deviations for which it does not, of the first 1000 of all. */
  readonly issues: ReadonlyArray<Deviation>;
  /** The deviations that are accepted, of the first 1000 of all. */
  readonly drift: ReadonlyArray<Deviation>;
}

/** The records and response bodies by name: `Item`, `PublicStashPage`, … */
export const recordKinds: ReadonlyMap<string, Schema.Constraint> = /*#__PURE__*/ new Map(
  /*#__PURE__*/ Object.entries(records).filter(([, value]) => Schema.isSchema(value)) as Array<
    [string, Schema.Constraint]
  >,
);

/**
 * Checks a value against a schema, or against the one of several that fits best: an endpoint may
 * respond in more than one shape.
 */
export const check = (
  schema: Schema.Constraint | readonly [Schema.Constraint, ...Array<Schema.Constraint>],
  value: unknown,
): CheckResult => {
  const [first, ...others] = Array.isArray(schema) ? schema : [schema];
  return others
    .map((other) => toCheckResult(other, value))
    .reduce(
      (best, next) => (next.issues.length < best.issues.length ? next : best),
      toCheckResult(first, value),
    );
};

const toCheckResult = (schema: Schema.Constraint, value: unknown): CheckResult => {
  const found = report(schema, value);
  const issues = found.filter(({ accepted }) => !accepted);
  const drift = found.filter(({ accepted }) => accepted);
  return { valid: issues.length === 0, issues, drift };
};
