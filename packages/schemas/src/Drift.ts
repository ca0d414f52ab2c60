/**
 * Names where a value departs from the specification, whether or not the schema accepts it.
 *
 * The schemas read tolerantly: unknown members stay, unknown words pass, documented-but-wrong types
 * of deployed services are accepted. Nothing of this is lost in silence, `report` tells it by JSON
 * pointer and kind, never with the value itself. Use it on a sample of answers, not on each: it
 * walks the value along the schema, which takes some three times as long as parsing it.
 */
import type * as Schema from "effect/Schema";
import type { Departure } from "./internal/departure.ts";
import { departures } from "./internal/departures.ts";

export type { Departure, Kind } from "./internal/departure.ts";

/** What to tell besides departures. */
export interface Options {
  /**
   * Also tell `null` and `false` where the specification permits them and absence would say the
   * same.
   */
  readonly explicit?: boolean;
}

/** All departures of a value, in the order of its members. */
export const report = (
  schema: Schema.Constraint,
  value: unknown,
  options: Options = {},
): ReadonlyArray<Departure> => departures(schema, value, options);

/** The departures for which the schema refuses the value: none if and only if it decodes. */
export const refusals = (schema: Schema.Constraint, value: unknown): ReadonlyArray<Departure> =>
  report(schema, value).filter(({ accepted }) => !accepted);

/** How often each departure occurs, by kind and member: `unknown-key Item.mutated: boolean` → 3. */
export const summary = (found: ReadonlyArray<Departure>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { kind, member, actual } of found) {
    const key = `${kind} ${member}: ${actual}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};
