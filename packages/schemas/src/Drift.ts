/**
 * Names where a value deviates from the specification, whether or not the schema accepts it.
 *
 * The schemas read tolerantly: unknown members stay, unknown words pass, documented-but-wrong types
 * of deployed services are accepted. `report` lists each of these by JSON pointer and kind, never
 * with the value itself. Use it on a sample of responses, not on each: it walks the value along the
 * schema, which takes some three times as long as parsing it.
 *
 * @example
 * ```ts
 * import * as Drift from "@game-data/schemas/Drift";
 * import { League } from "@game-data/schemas/effect";
 *
 * const [first] = Drift.report(League, { id: "Standard", endsAt: null });
 * if (first?.kind !== "unknown-key" || first.pointer !== "/endsAt") throw new Error("no drift");
 * ```
 */
import type * as Schema from "effect/Schema";
import type { Deviation } from "./internal/deviations/Deviation.ts";
import { DEFAULT_LIMIT, findDeviations } from "./internal/deviations/findDeviations.ts";
import { findTypeErrors, type Found } from "./internal/deviations/typeErrors.ts";
import type { DeploymentWords } from "./internal/deviations/walk.ts";

export type { Deviation, Kind } from "./internal/deviations/Deviation.ts";
export type { DeploymentWords } from "./internal/deviations/walk.ts";

/** Options of a report. */
export interface Options {
  /**
   * Also report `null` and `false` where the specification permits them and absence would say the
   * same, and the members of unlisted changes that streaming rule 3 omits.
   */
  readonly explicit?: boolean | undefined;
  /** The largest number of deviations to list. Default: 1000. */
  readonly limit?: number | undefined;
  /** The words of a deployment for realms and `livestream`, which are no deviations then. */
  readonly words?: DeploymentWords | undefined;
}

/** The deviations up to the limit, and whether there are more. */
export interface Report extends Found {}

/** The first deviations of a value: those for which it is refused, then those that are accepted. */
export const report = (
  schema: Schema.Constraint,
  value: unknown,
  options: Options = {},
): ReadonlyArray<Deviation> => inspect(schema, value, options).deviations;

/** The first deviations of a value, and whether there are more. */
export const inspect = (schema: Schema.Constraint, value: unknown, options: Options = {}): Report =>
  findDeviations(schema, value, options);

/**
 * The deviations for which the schema refuses the value, at the places that `safeDecode` names: none
 * if and only if it decodes.
 */
export const typeErrors = (
  schema: Schema.Constraint,
  value: unknown,
  { limit = DEFAULT_LIMIT }: Pick<Options, "limit"> = {},
): ReadonlyArray<Deviation> => findTypeErrors(schema, value, limit).deviations;

/**
 * The number of occurrences of each deviation, by kind and member: `unknown-key Item.mutated:
 * boolean` → 3.
 */
export const summary = (found: ReadonlyArray<Deviation>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { kind, member, actual } of found) {
    const key = `${kind} ${member}: ${actual}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};
