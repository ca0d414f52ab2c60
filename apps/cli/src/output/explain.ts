/**
 * What a failure code, or the tag of an error of the packages, means, and what to do.
 */
import { catalogue, type Entry, type FailureCode } from "@game-data/terminal/failureCodes";
import { errorTags } from "@game-data/terminal/toFailure";
import { facts } from "@game-data/terminal/Output";

/** What there is to say about a code. */
export interface Explanation extends Entry {
  readonly code: FailureCode;
  /** The package whose error it is, when a tag was asked for. */
  readonly package?: string;
  /** The errors of the packages that become this code. */
  readonly errors: ReadonlyArray<string>;
}

/** All codes. */
export const explanations = (): ReadonlyArray<Explanation> =>
  (Object.keys(catalogue) as Array<FailureCode>).map(explain);

/**
 * The explanations of a word: one for a code, one for each package that has a tag, none for
 * anything else.
 */
export const explanationsOf = (word: string): ReadonlyArray<Explanation> =>
  Object.hasOwn(catalogue, word)
    ? [explain(word as FailureCode)]
    : Object.entries(errorTags).flatMap(([name, tags]) => {
        const code = Object.hasOwn(tags, word) ? tags[word] : undefined;
        return code === undefined ? [] : [{ package: name, ...explain(code) }];
      });

const explain = (code: FailureCode): Explanation => ({
  code,
  ...catalogue[code],
  errors: Object.entries(errorTags).flatMap(([name, tags]) =>
    Object.entries(tags)
      .filter(([, become]) => become === code)
      .map(([tag]) => `${name} ${tag}`),
  ),
});

/** An explanation for people. */
export const described = (entry: Explanation): string =>
  facts([
    ["code", entry.code],
    ["package", entry.package],
    ["exit code", entry.exitCode],
    ["means", entry.means],
    ["next", entry.next],
    ["errors", entry.errors.join(", ") || undefined],
  ]);
