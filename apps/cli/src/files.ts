/** Reads the input files of commands and standard input, and writes the output of exports. */
import { Effect, FileSystem, Sink, Stdio, Stream } from "effect";
import { Flag } from "effect/cli";
import { load } from "./command.ts";
import { Failure } from "./failures.ts";

const unreadable = (path: string) =>
  new Failure({ code: "FileUnreadable", message: `Cannot read ${path}.` });

const stdinText = Stream.unwrap(
  Effect.map(Stdio.Stdio, ({ stdin }) =>
    Stream.mapError(Stream.decodeText(stdin), () => unreadable("standard input")),
  ),
);

/** The lines of standard input, as they arrive. */
export const stdinLines = Stream.splitLines(stdinText);

/** Reads a file, or standard input for `-`, as text. */
export const readText = Effect.fnUntraced(function* (path: string) {
  if (path === "-") return yield* Stream.mkString(stdinText);
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

/** Parses JSON. `name` is the name of the text in the failure's message. */
export const parseJson = (text: string, name: string): Effect.Effect<unknown, Failure> =>
  Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) => {
      // The engine's message ends with a quote of the input, which may hold a secret.
      const reason = (cause as Error).message.replace(/(?:^|, (?:\.{3})?)"[^]*$/u, "");
      return new Failure({
        code: "BadJson",
        message: `${name} is not JSON: ${reason || "it has no value"}.`,
        next: "check the file, or the output of the program before the pipe",
      });
    },
  });

/** The flag `--out FILE` of exports; `-` is standard output. */
export const outFlag = Flag.String("out").pipe(
  Flag.withAlias("o"),
  Flag.withDescription("File to write (default: standard output)"),
  Flag.withDefault("-"),
);

/**
 * Writes a stream of texts to a file, or to standard output for `-`. Writes a temporary file and
 * renames it when it is complete, so a failed command leaves an existing file unchanged.
 */
export const writeOutput = Effect.fnUntraced(function* <E, R>(
  path: string,
  texts: Stream.Stream<string, E, R>,
) {
  if (path === "-") {
    const stdio = yield* Stdio.Stdio;
    const sink = Sink.mapError(stdio.stdout(), () => unwritable("standard output"));
    return yield* Stream.run(texts, sink);
  }
  const { replaceFile } = yield* load(() => import("@game-data/contract/node/replaceFile"));
  const file = yield* Effect.acquireRelease(
    tryWriting(path, () => replaceFile(path)),
    ({ discard }) => Effect.sync(discard),
  );
  yield* Stream.runForEach(texts, (text) => tryWriting(path, () => file.write(text)));
  return yield* tryWriting(path, file.commit);
}, Effect.scoped);

const unwritable = (what: string) =>
  new Failure({
    code: "FileUnwritable",
    message: `Cannot write ${what}.`,
    next: "check the folder, its permissions and the disk",
  });

const tryWriting = <A>(path: string, run: () => A): Effect.Effect<A, Failure> =>
  Effect.try({
    try: run,
    catch: (cause) => unwritable(`${path} (${(cause as NodeJS.ErrnoException).code})`),
  });
