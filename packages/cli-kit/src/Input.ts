/**
 * Reading what a command is given: a file, or `-` for standard input.
 */
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Effect } from "effect";
import { type Failure, failure } from "./Failure.ts";

/** The text of a file, or of standard input for `-`. */
export const readText = (path: string): Effect.Effect<string, Failure> =>
  Effect.tryPromise({
    try: () => (path === "-" ? text(process.stdin) : readFile(path, "utf8")),
    catch: (cause) => {
      const { code } = cause as NodeJS.ErrnoException;
      return code === "ENOENT"
        ? failure("no-such-file", `There is no file ${path}.`)
        : failure("unreadable-file", `${path} cannot be read (${code}).`);
    },
  });

/** The JSON of a file, or of standard input for `-`. */
export const readJson = Effect.fnUntraced(function* (path: string) {
  const content = yield* readText(path);
  return yield* Effect.try({
    try: () => JSON.parse(content) as unknown,
    catch: (cause) =>
      failure(
        "bad-json",
        `${path === "-" ? "Standard input" : path} is not JSON: ${(cause as Error).message}`,
      ),
  });
});
