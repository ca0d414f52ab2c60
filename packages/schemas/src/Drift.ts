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
import { findDeviations } from "./internal/deviations/findDeviations.ts";
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

/** The deviations up to the limit, and the number of those beyond it. */
export interface Report {
  readonly deviations: ReadonlyArray<Deviation>;
  readonly omitted: number;
}

const DEFAULT_LIMIT = 1000;

/** The first deviations of a value, in the order of its members. */
export const report = (
  schema: Schema.Constraint,
  value: unknown,
  options: Options = {},
): ReadonlyArray<Deviation> => inspect(schema, value, options).deviations;

/** The first deviations of a value, and the number of the others. */
export const inspect = (schema: Schema.Constraint, value: unknown, options: Options = {}): Report =>
  toReport(findDeviations(schema, value, { ...options, limit: options.limit ?? DEFAULT_LIMIT }));

/** The deviations for which the schema refuses the value: none if and only if it decodes. */
export const typeErrors = (
  schema: Schema.Constraint,
  value: unknown,
  options: Pick<Options, "limit"> = {},
): ReadonlyArray<Deviation> => inspectTypes(schema, value, options).deviations;

/** The deviations for which the schema refuses the value, and the number of the others. */
export const inspectTypes = (
  schema: Schema.Constraint,
  value: unknown,
  options: Pick<Options, "limit"> = {},
): Report =>
  toReport(
    findDeviations(schema, value, { limit: options.limit ?? DEFAULT_LIMIT, refusedOnly: true }),
  );

const toReport = ({ deviations, total }: ReturnType<typeof findDeviations>): Report => ({
  deviations,
  omitted: total - deviations.length,
});

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
