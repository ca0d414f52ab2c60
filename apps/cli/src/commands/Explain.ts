/**
 * `gamedata explain`: what a failure code or an error of the packages means, and what to do.
 */
import { Effect, Option } from "effect";
import { Argument, Command } from "effect/cli";
import { catalogue, type Entry, type FailureCode } from "../Catalogue.ts";
import { failure } from "../Failure.ts";
import { errorTags } from "../Failures.ts";
import { facts, print, printList, table } from "../Output.ts";

interface Explanation extends Entry {
  readonly code: string;
  /** The package whose error it is, when a tag was asked for. */
  readonly package?: string;
  /** The errors of the packages that become this code. */
  readonly errors: ReadonlyArray<string>;
}

const explain = (code: FailureCode): Explanation => ({
  code,
  ...catalogue[code],
  errors: Object.entries(errorTags).flatMap(([name, tags]) =>
    Object.entries(tags)
      .filter(([, become]) => become === code)
      .map(([tag]) => `${name} ${tag}`),
  ),
});

/** A code is one explanation; a tag that two packages use is two. */
const explanationsOf = (word: string): ReadonlyArray<Explanation> =>
  Object.hasOwn(catalogue, word)
    ? [explain(word as FailureCode)]
    : Object.entries(errorTags).flatMap(([name, tags]) => {
        const code = Object.hasOwn(tags, word) ? tags[word] : undefined;
        return code === undefined ? [] : [{ package: name, ...explain(code) }];
      });

/** The command. */
export const explainCommand = Command.make(
  "explain",
  {
    code: Argument.String("code").pipe(
      Argument.withDescription("A failure code, or the tag of an error (default: list the codes)"),
      Argument.optional,
    ),
  },
  Effect.fnUntraced(function* ({ code }) {
    if (Option.isNone(code)) {
      const all = (Object.keys(catalogue) as Array<FailureCode>).map(explain);
      return yield* printList(all, (entries) =>
        table(
          ["code", "exit", "meaning"],
          entries.map((entry) => [entry.code, entry.exitCode, entry.means]),
        ),
      );
    }
    const found = explanationsOf(code.value);
    if (found.length === 0)
      return yield* failure("unknown-code", `There is no code or error ${code.value}.`);
    yield* print(found, (entries) => entries.map(described).join("\n\n"));
  }),
).pipe(
  Command.withDescription("What a failure means, and what to do about it"),
  Command.withExamples([
    { command: "gamedata explain not-signed-in", description: "A code of this program" },
    { command: "gamedata explain GrantInvalid", description: "An error of the packages" },
  ]),
);

const described = (entry: Explanation): string =>
  facts([
    ["code", entry.code],
    ["package", entry.package],
    ["exit code", entry.exitCode],
    ["means", entry.means],
    ["next", entry.next],
    ["errors", entry.errors.join(", ") || undefined],
  ]);
