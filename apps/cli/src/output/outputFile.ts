/**
 * Writes an export to a file or to standard output. A file appears only when it is complete.
 */
import { type Failure, failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { write } from "@game-data/terminal/Output";
import { Effect, type Scope } from "effect";

/** Writes a file, or fails with what the system says of it. */
export const attemptToWrite = <A>(path: string, run: () => A): Effect.Effect<A, Failure> =>
  Effect.try({
    try: run,
    catch: (cause) =>
      failure(
        "unwritable-file",
        `Cannot write ${path} (${(cause as NodeJS.ErrnoException).code}).`,
      ),
  });

/** An open output. */
export interface OutputFile {
  /** Writes text and waits while the reader is slow. */
  readonly write: (text: string) => Effect.Effect<void, Failure>;
  /** Moves the finished file to its path. Without it, no file is left behind. */
  readonly close: Effect.Effect<void, Failure>;
}

/**
 * Opens a file, or standard output for `-`. A file has its name when it is whole.
 */
export const openOutput = Effect.fnUntraced(function* (
  path: string,
): Effect.fn.Return<OutputFile, Failure, Scope.Scope> {
  if (path === "-") {
    const { stdout } = yield* Host;
    return { write: (text) => write(stdout, text), close: Effect.void };
  }
  const { replaceFile } = yield* Effect.promise(
    () => import("@game-data/contract/node/replaceFile"),
  );
  const file = yield* Effect.acquireRelease(
    attemptToWrite(path, () => replaceFile(path)),
    ({ discard }) => Effect.sync(discard),
  );
  return {
    write: (text) => attemptToWrite(path, () => file.write(text)),
    close: attemptToWrite(path, file.commit),
  };
});
