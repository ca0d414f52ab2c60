/**
 * Holds a value against a schema and says everything at once: is it valid, why not, and where does
 * it depart from the specification.
 *
 * For tools and tests that look at answers one by one; a program that only wants the value decodes
 * with the schema, which is far faster. `kinds` finds the schemas by name, for tools that are told
 * the name at run time; it brings all records into a bundle.
 */
import * as Schema from "effect/Schema";
import { type Departure, report } from "./Drift.ts";
import * as records from "./index.ts";

/** What became of a check. */
export interface Verdict {
  /** Whether the value decodes. */
  readonly valid: boolean;
  /** The departures for which it does not. */
  readonly issues: ReadonlyArray<Departure>;
  /** The departures that are accepted. */
  readonly drift: ReadonlyArray<Departure>;
}

/** The records and response bodies by name: `Item`, `PublicStashPage`, … */
export const kinds: ReadonlyMap<string, Schema.Constraint> = /*#__PURE__*/ new Map(
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
): Verdict => {
  const [first, ...others] = Array.isArray(schema) ? schema : [schema];
  return others
    .map((other) => verdictOf(other, value))
    .reduce(
      (best, next) => (next.issues.length < best.issues.length ? next : best),
      verdictOf(first, value),
    );
};

const verdictOf = (schema: Schema.Constraint, value: unknown): Verdict => {
  const departures = report(schema, value);
  const issues = departures.filter(({ accepted }) => !accepted);
  const drift = departures.filter(({ accepted }) => accepted);
  return { valid: issues.length === 0, issues, drift };
};
