/**
 * Names where a value departs from the specification, whether or not the schema accepts it.
 *
 * The schemas read tolerantly: unknown members stay, unknown words pass, documented-but-wrong types
 * of deployed services are accepted. Nothing of this is lost in silence, `report` tells it by JSON
 * pointer and kind, never with the value itself. Use it on a sample of answers, not on each: it
 * walks the value along the schema, which takes some three times as long as parsing it.
 */
import type * as Schema from "effect/Schema";
import type { Deviation } from "./internal/deviations/Deviation.ts";
import { findDeviations } from "./internal/deviations/findDeviations.ts";

export type { Deviation, Kind } from "./internal/deviations/Deviation.ts";

/** What to tell besides deviations. */
export interface Options {
  /**
   * Also tell `null` and `false` where the specification permits them and absence would say the
   * same.
   */
  readonly explicit?: boolean;
}

/** All deviations of a value, in the order of its members. */
export const report = (
  schema: Schema.Constraint,
  value: unknown,
  options: Options = {},
): ReadonlyArray<Deviation> => findDeviations(schema, value, options);

/** The deviations for which the schema refuses the value: none if and only if it decodes. */
export const typeErrors = (schema: Schema.Constraint, value: unknown): ReadonlyArray<Deviation> =>
  report(schema, value).filter(({ accepted }) => !accepted);

/** How often each deviation occurs, by kind and member: `unknown-key Item.mutated: boolean` → 3. */
export const summary = (found: ReadonlyArray<Deviation>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { kind, member, actual } of found) {
    const key = `${kind} ${member}: ${actual}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};
