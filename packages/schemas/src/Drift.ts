/**
 * Reports where a value deviates from the specification, whether or not it is accepted.
 *
 * The records read tolerantly: unknown members stay, unknown words pass, and types that deployed
 * services send in place of the documented ones are accepted. `report` lists each of these by JSON
 * pointer and kind, never with the value itself, and a structure before its members. It takes several
 * times as long as parsing, so use it on a sample of responses.
 */
import type { Deviation } from "./deviation.ts";
import { findDeviations, findTypeErrors, type Options, type Report } from "./findDeviations.ts";
import { type Source, sourceShape } from "./source.ts";

export type { DeploymentWords, Deviation, Kind } from "./deviation.ts";
export type { Options, Report } from "./findDeviations.ts";
export type { Source } from "./source.ts";

/** Returns the deviations of a value up to the limit, beginning with refused places. */
export const report = (
  source: Source,
  value: unknown,
  options: Options = {},
): ReadonlyArray<Deviation> => inspect(source, value, options).deviations;

/** Returns the deviations that `report` returns, and whether there may be more. */
export const inspect = (source: Source, value: unknown, options: Options = {}): Report =>
  findDeviations(sourceShape(source), value, options);

/** Returns the deviations for which a value is refused: none if and only if it decodes. */
export const typeErrors = (
  source: Source,
  value: unknown,
  { limit }: Pick<Options, "limit"> = {},
): ReadonlyArray<Deviation> => findTypeErrors(sourceShape(source), value, limit).deviations;

/** Returns the number of occurrences of each deviation, such as `unknown-key Item.later: boolean`. */
export const summary = (deviations: ReadonlyArray<Deviation>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { actual, kind, member } of deviations) {
    const key = `${kind} ${member}: ${actual}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};
