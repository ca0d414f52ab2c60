/**
 * Writes an export to a file or to standard output. A file appears only when it is complete.
 */
import { type Failure, failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { write } from "@game-data/terminal/Output";
import { Effect, type Scope } from "effect";

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
  const attempt = <A>(run: () => A) =>
    Effect.try({
      try: run,
      catch: (cause) =>
        failure(
          "unwritable-file",
          `Cannot write ${path} (${(cause as NodeJS.ErrnoException).code}).`,
        ),
    });
  const file = yield* Effect.acquireRelease(
    attempt(() => replaceFile(path)),
    ({ discard }) => Effect.sync(discard),
  );
  return { write: (text) => attempt(() => file.write(text)), close: attempt(file.commit) };
});
