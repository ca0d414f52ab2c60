/**
 * Explains failure codes and the errors of the packages: what each means and what to do.
 */
import {
  type FailureCode,
  type FailureCodeInfo,
  failureCodes,
} from "@game-data/terminal/failureCodes";
import { errorTags } from "@game-data/terminal/toFailure";
import { facts, type View } from "@game-data/terminal/View";

/** An explanation of a code. */
export interface Explanation extends FailureCodeInfo {
  readonly code: FailureCode;
  /** The package of the error, if a tag was asked for. */
  readonly package?: string;
  /** The errors that become this code. */
  readonly errors: ReadonlyArray<string>;
}

/** Explains all codes. */
export const explanations = (): ReadonlyArray<Explanation> =>
  (Object.keys(failureCodes) as Array<FailureCode>).map(explain);

/** Explains a code, or an error by its tag: one explanation for each package that has the tag. */
export const explanationsFor = (word: string): ReadonlyArray<Explanation> =>
  Object.hasOwn(failureCodes, word)
    ? [explain(word as FailureCode)]
    : Object.entries(errorTags).flatMap(([name, tags]) => {
        const code = Object.hasOwn(tags, word) ? tags[word] : undefined;
        return code === undefined ? [] : [{ package: name, ...explain(code) }];
      });

const explain = (code: FailureCode): Explanation => ({
  code,
  ...failureCodes[code],
  errors: Object.entries(errorTags).flatMap(([name, tags]) =>
    Object.entries(tags)
      .filter(([, becomes]) => becomes === code)
      .map(([tag]) => `${name} ${tag}`),
  ),
});

/** Shows an explanation. */
export const explanationFacts = (entry: Explanation): View =>
  facts([
    ["code", entry.code],
    ["package", entry.package],
    ["exit code", entry.exitCode],
    ["meaning", entry.meaning],
    ["next", entry.next],
    ["errors", entry.errors.join(", ") || undefined],
  ]);
