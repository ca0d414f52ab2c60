/**
 * Reading what a command is given: a file, or `-` for standard input.
 */
import { readFileSync } from "node:fs";
import { Effect } from "effect";
import { type Failure, failure } from "./Failure.ts";

const STDIN = 0;

/** The text of a file, or of standard input for `-`. */
export const readText = (path: string): Effect.Effect<string, Failure> =>
  Effect.try({
    try: () => readFileSync(path === "-" ? STDIN : path, "utf8"),
    catch: (cause) => {
      const { code } = cause as NodeJS.ErrnoException;
      return code === "ENOENT"
        ? failure("no-such-file", `There is no file ${path}.`)
        : failure("unreadable-file", `${path} cannot be read (${code}).`);
    },
  });

/** The JSON of a file, or of standard input for `-`. */
export const readJson = Effect.fnUntraced(function* (path: string) {
  const text = yield* readText(path);
  return yield* Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) =>
      failure(
        "bad-json",
        `${path === "-" ? "Standard input" : path} is not JSON: ${(cause as Error).message}`,
      ),
  });
});
