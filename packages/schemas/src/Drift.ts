/**
 * Reports the places at which a value deviates from the specification, accepted or not.
 *
 * The records read tolerantly: unknown members stay, unknown words pass, and types that deployed
 * services send in place of the documented ones are accepted. `report` lists each deviation by JSON
 * pointer and kind, never with the value itself, and a structure before its members. Reports take
 * several times as long as parsing, so use a sample of responses.
 */
import type { Deviation } from "./deviation.ts";
import { findDeviations, findTypeErrors, type Options, type Report } from "./findDeviations.ts";
import { type Source, sourceShape } from "./source.ts";

export type { DeploymentWords, Deviation, Kind } from "./deviation.ts";
export type { Options, Report } from "./findDeviations.ts";
export type { Source } from "./source.ts";

/** Returns deviations of a value up to the limit, with `accepted: false` at the beginning. */
export const report = (
  source: Source,
  value: unknown,
  options: Options = {},
): ReadonlyArray<Deviation> => inspect(source, value, options).deviations;

/** Returns the deviations that `report` returns, and whether there may be more. */
export const inspect = (source: Source, value: unknown, options: Options = {}): Report =>
  findDeviations(sourceShape(source), value, options);

/** Returns the deviations for which a value is refused. The list is empty if the value decodes. */
export const typeErrors = (
  source: Source,
  value: unknown,
  { limit }: Pick<Options, "limit"> = {},
): ReadonlyArray<Deviation> => findTypeErrors(sourceShape(source), value, limit).deviations;

/** Counts equal deviations by their description, such as `unknown-key Item.later: boolean`. */
export const summary = (deviations: ReadonlyArray<Deviation>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { actual, kind, member } of deviations) {
    const key = `${kind} ${member}: ${actual}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};
