/**
 * Reads what a command is given: a file, or standard input for `-`.
 */
import { readFile } from "node:fs/promises";
import { text as readAll } from "node:stream/consumers";
import { Clock, Effect } from "effect";
import { type Failure, failure } from "./Failure.ts";
import { Host } from "./Host.ts";

/** Reads a file, or standard input for `-`, as text. */
export const readText = Effect.fnUntraced(function* (
  path: string,
): Effect.fn.Return<string, Failure> {
  const { stdin } = yield* Host;
  return yield* Effect.tryPromise({
    try: () => (path === "-" ? readAll(stdin) : readFile(path, "utf8")),
    catch: (cause) => {
      const { code } = cause as NodeJS.ErrnoException;
      return code === "ENOENT"
        ? failure("no-such-file", `File not found: ${path}.`)
        : failure("unreadable-file", `Cannot read ${path} (${code}).`);
    },
  });
});

/** Reads a file, or standard input for `-`, as JSON. */
export const readJson = Effect.fnUntraced(function* (path: string) {
  return yield* parseJson(yield* readText(path), path === "-" ? "Standard input" : path);
});

/** Parses JSON; `name` says in the failure what it is. */
export const parseJson = (text: string, name: string): Effect.Effect<unknown, Failure> =>
  Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) => failure("bad-json", `${name} is not JSON: ${withoutExcerpt(cause as Error)}`),
  });

/**
 * Reads an hour of the exchange as unix seconds, from ISO 8601 or unix seconds. Default: the last
 * complete hour.
 */
export const readHour = Effect.fnUntraced(function* (time: string | undefined) {
  if (time === undefined) {
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000);
    return now - (now % HOUR) - HOUR;
  }
  const seconds = /^\d+$/u.test(time) ? Number(time) : Date.parse(time) / 1000;
  if (Number.isNaN(seconds))
    return yield* failure("usage", `Invalid time: ${time}. Use an ISO 8601 hour.`);
  return seconds - (seconds % HOUR);
});

const HOUR = 3600;

/** The engine's message quotes the input, which may hold a secret: the quotation is its last part. */
const withoutExcerpt = ({ message }: Error): string =>
  message.replace(/(?:^|, (?:\.{3})?)"[^]*$/u, "") || "it has no value";
