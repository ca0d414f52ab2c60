/** Writes an export to a file, or to standard output for `-`. */
import { Effect, Sink, Stdio, Stream } from "effect";
import { Flag } from "effect/cli";
import { load } from "./command.ts";
import { Failure } from "./failures.ts";

/** `--out`, a file. */
export const outFlag = Flag.String("out").pipe(
  Flag.withAlias("o"),
  Flag.withDescription("File to write (default: standard output)"),
  Flag.withDefault("-"),
);

/**
 * Writes a stream of texts. A file is written beside its path and renamed when it is complete, so a
 * command that fails leaves the path as it was.
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
