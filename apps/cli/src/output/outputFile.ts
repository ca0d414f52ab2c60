/**
 * Writes an export to a file or to standard output. A file appears only when it is complete.
 */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { Effect, type Scope } from "effect";
import { type Failure, failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { write } from "@game-data/terminal/Output";

/** An open output. */
export interface OutputFile {
  /** Writes text and waits while the reader is slow. */
  readonly write: (text: string) => Effect.Effect<void, Failure>;
  /** Moves the finished file to its path. Without it, no file is left behind. */
  readonly close: Effect.Effect<void, Failure>;
}

/**
 * Opens a file, or standard output for `-`. A file is written next to its path and moved there at
 * the end.
 */
export const openOutput = Effect.fnUntraced(function* (
  path: string,
): Effect.fn.Return<OutputFile, Failure, Scope.Scope> {
  if (path === "-") {
    const { stdout } = yield* Host;
    return { write: (text) => write(stdout, text), close: Effect.void };
  }
  const temporary = `${path}.${process.pid}.part`;
  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) =>
        failure(
          "unwritable-file",
          `Cannot write ${path} (${(cause as NodeJS.ErrnoException).code}).`,
        ),
    });
  const stream = yield* Effect.acquireRelease(
    attempt(async () => {
      const opened = createWriteStream(temporary, { flags: "w" });
      await once(opened, "open");
      return opened;
    }),
    (opened) =>
      Effect.promise(async () => {
        opened.destroy();
        await rm(temporary, { force: true });
      }),
  );
  return {
    write: (text) => attempt(() => flushed(stream, text)),
    close: attempt(async () => {
      stream.end();
      await finished(stream);
      await rename(temporary, path);
    }),
  };
});

const flushed = (stream: NodeJS.WritableStream, text: string) =>
  new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error == null ? resolve() : reject(error)));
  });
