/**
 * Holds a value against a schema and says everything at once: is it valid, why not, and where does
 * it depart from the specification.
 *
 * For tools and tests that look at answers one by one; a program that only wants the value decodes
 * with the schema, which is far faster. `recordKinds` finds the schemas by name, for tools that are told
 * the name at run time; it brings all records into a bundle.
 */
import * as Schema from "effect/Schema";
import { type Deviation, report } from "./Drift.ts";
import * as records from "./effect/index.ts";

/** What became of a check. */
export interface CheckResult {
  /** Whether the value decodes. */
  readonly valid: boolean;
  /** The deviations for which it does not. */
  readonly issues: ReadonlyArray<Deviation>;
  /** The deviations that are accepted. */
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
 * answer in more than one shape.
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
  const deviations = report(schema, value);
  const issues = deviations.filter(({ accepted }) => !accepted);
  const drift = deviations.filter(({ accepted }) => accepted);
  return { valid: issues.length === 0, issues, drift };
};
