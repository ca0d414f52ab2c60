/** Reads what a command is given: a file, or standard input for `-`. */
import { Effect, FileSystem, Stdio, Stream } from "effect";
import { Failure } from "./failures.ts";

/** The lines of standard input, as they arrive. */
export const stdinLines = Stream.unwrap(
  Effect.map(Stdio.Stdio, ({ stdin }) =>
    stdin.pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.mapError(() => unreadable("standard input")),
    ),
  ),
);

const unreadable = (path: string) =>
  new Failure({ code: "FileUnreadable", message: `Cannot read ${path}.` });

/** Reads a file, or standard input for `-`, as text. */
export const readText = Effect.fnUntraced(function* (path: string) {
  if (path === "-") {
    const { stdin } = yield* Stdio.Stdio;
    return yield* Effect.mapError(Stream.mkString(Stream.decodeText(stdin)), () =>
      unreadable("standard input"),
    );
  }
  const files = yield* FileSystem.FileSystem;
  return yield* Effect.mapError(files.readFileString(path), ({ reason }) =>
    reason._tag === "NotFound"
      ? new Failure({ code: "FileNotFound", message: `File not found: ${path}.` })
      : unreadable(path),
  );
});

/** Reads a file, or standard input for `-`, as JSON. */
export const readJson = (path: string) =>
  Effect.flatMap(readText(path), (text) => parseJson(text, path === "-" ? "Standard input" : path));

/** Parses JSON. The failure calls the text `name`. */
export const parseJson = (text: string, name: string): Effect.Effect<unknown, Failure> =>
  Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) => {
      // The engine's message quotes the input, which may hold a secret, as its last part.
      const reason = (cause as Error).message.replace(/(?:^|, (?:\.{3})?)"[^]*$/u, "");
      return new Failure({
        code: "BadJson",
        message: `${name} is not JSON: ${reason || "it has no value"}.`,
        next: "check the file, or the output of the program before the pipe",
      });
    },
  });
