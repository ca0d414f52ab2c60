/**
 * Asks for the settings that a sign-in needs, and keeps the answers in the configuration file.
 */
import { failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { printError } from "@game-data/terminal/Output";
import { Effect } from "effect";
import { Prompt } from "effect/cli";
import { editSection, readIfPresent, writeConfigFile } from "./file.ts";
import { problemOf } from "./names.ts";
import { configFile, ESSENTIALS, type Settings } from "./Settings.ts";

const QUESTIONS = {
  authUrl: "Address of the OAuth server",
  baseUrl: "Address of the data API",
  clientId: "Id of your registered client",
};

/** Asks on a terminal. Elsewhere the sign-in fails with one error that lists what is missing. */
export const askForSettings = Effect.fnUntraced(function* (from: Settings) {
  const missing = ESSENTIALS.filter((name) => from[name] === undefined);
  const { stdin, stdout } = yield* Host;
  if (missing.length === 0 || stdin.isTTY !== true || stdout.isTTY !== true) return from;
  yield* printError(`No service is configured yet. The answers are kept in ${from.file}.`);
  const answers: Record<string, string> = {};
  for (const name of missing) {
    const question = Prompt.String({
      message: QUESTIONS[name],
      validate: (value) => {
        const problem = problemOf(name, value);
        return problem === undefined ? Effect.succeed(value) : Effect.fail(problem);
      },
    });
    answers[name] = yield* Effect.mapError(Prompt.run(question), () =>
      failure("setting-missing", `${name} was not given.`),
    );
  }
  const { path, profile } = yield* configFile;
  const file = yield* readIfPresent(path);
  yield* writeConfigFile(
    path,
    editSection(file, profile, (section) => ({ ...section, ...answers })),
  );
  return { ...from, ...answers };
});
