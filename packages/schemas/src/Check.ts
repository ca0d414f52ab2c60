/**
 * Checks a value and reports whether it is valid, why it is not, and where it deviates from the
 * specification.
 *
 * For tools and tests that inspect single responses. To read a value, decode it, which is far
 * faster. `recordKinds` finds the records by name, for tools that get the name at run time. It
 * brings all records into a bundle.
 */
import type { Deviation } from "./deviation.ts";
import { report } from "./Drift.ts";
import * as records from "./index.ts";
import type { PlainRecord } from "./PlainRecord.ts";
import type { Source } from "./source.ts";

/** Whether a value decodes, and its deviations from the specification. */
export interface CheckResult {
  /** Whether the value decodes. */
  readonly valid: boolean;
  /** The deviations for which the value is refused, among the first 1000 deviations. */
  readonly issues: ReadonlyArray<Deviation>;
  /** The accepted deviations among the first 1000 deviations. */
  readonly drift: ReadonlyArray<Deviation>;
}

/** All records by their names, such as `Item` and `PublicStashPage`. */
export const recordKinds: ReadonlyMap<string, PlainRecord<unknown>> = new Map(
  Object.entries(records).filter((entry): entry is [string, PlainRecord<any>] =>
    Object.hasOwn(Object(entry[1]), "safeDecode"),
  ),
);

/** Checks a value against a record, an Effect Schema of a record, or a type in the notation. */
export const check = (source: Source, value: unknown): CheckResult => {
  const deviations = report(source, value);
  const issues = deviations.filter(({ accepted }) => !accepted);
  const drift = deviations.filter(({ accepted }) => accepted);
  return { valid: issues.length === 0, issues, drift };
};
