/**
 * Reading what a command is given: a file, or `-` for standard input.
 */
import { readFileSync } from "node:fs";
import { Effect } from "effect";
import { ExitCode } from "./ExitCode.ts";
import { Failure } from "./Failure.ts";

const STDIN = 0;

/** The text of a file, or of standard input for `-`. */
export const readText = (path: string): Effect.Effect<string, Failure> =>
  Effect.try({
    try: () => readFileSync(path === "-" ? STDIN : path, "utf8"),
    catch: (cause) => {
      const { code } = cause as NodeJS.ErrnoException;
      const isMissing = code === "ENOENT";
      return new Failure({
        code: isMissing ? "no-such-file" : "unreadable-file",
        exitCode: isMissing ? ExitCode.notFound : ExitCode.io,
        message: isMissing ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
      });
    },
  });

/** The JSON of a file, or of standard input for `-`. */
export const readJson = Effect.fnUntraced(function* (path: string) {
  const text = yield* readText(path);
  return yield* Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) =>
      new Failure({
        code: "bad-json",
        exitCode: ExitCode.badData,
        message: `${path === "-" ? "Standard input" : path} is not JSON: ${(cause as Error).message}`,
      }),
  });
});
