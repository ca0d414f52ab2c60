/**
 * Where an export goes: a file, whole or not at all, or standard output.
 */
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { Effect, type Scope } from "effect";
import { type Failure, failure } from "@game-data/terminal/Failure";

/** An open destination. */
export interface Destination {
  /** Writes on, and waits while the reader is slow. */
  readonly write: (text: string) => Effect.Effect<void, Failure>;
  /** Puts the file in its place. Without it, nothing is left behind. */
  readonly close: Effect.Effect<void, Failure>;
}

/**
 * Opens a file by path, or standard output for `-`. A file is written beside its place, and moved
 * there at the end.
 */
export const open = Effect.fnUntraced(function* (
  path: string,
): Effect.fn.Return<Destination, Failure, Scope.Scope> {
  if (path === "-") {
    const write = (text: string) => Effect.promise(() => flushed(process.stdout, text));
    return { write, close: Effect.void };
  }
  const temporary = `${path}.${process.pid}.part`;
  const attempt = <A>(run: () => Promise<A>) =>
    Effect.tryPromise({
      try: run,
      catch: (cause) =>
        failure(
          "unwritable-file",
          `${path} cannot be written (${(cause as NodeJS.ErrnoException).code}).`,
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
