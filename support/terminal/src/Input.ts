/**
 * Reading what a command is given: a file, or `-` for standard input.
 */
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { Clock, Effect } from "effect";
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
        `${path === "-" ? "Standard input" : path} is not JSON: ${withoutExcerpt(cause as Error)}`,
      ),
  });
});

/**
 * An hour of the exchange as unix seconds: of a time in ISO 8601 or unix seconds; without one, the
 * last hour that is over.
 */
export const readHour = Effect.fnUntraced(function* (time: string | undefined) {
  if (time === undefined) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000);
    return now - (now % HOUR) - HOUR;
  }
  const seconds = /^\d+$/u.test(time) ? Number(time) : Date.parse(time) / 1000;
  if (Number.isNaN(seconds)) return yield* failure("usage", `${time} is no time.`);
  return seconds - (seconds % HOUR);
});

const HOUR = 3600;

/** The engine quotes what it read, which may be a secret. */
const withoutExcerpt = ({ message }: Error): string =>
  message.replace(/,? (?:\.{3})?".*" is not valid JSON$/su, "");
