/**
 * Links as arguments, and links on standard input, one a line. Errors of `tree-link` become failures
 * with the rule, the offset and the field.
 */
import { createInterface } from "node:readline";
import { ChildExit, type Failure, failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { outputFormat, print, printFailure, printLine } from "@game-data/terminal/Output";
import { TreeLinkError } from "@game-data/tree-link";
import { explain } from "@game-data/tree-link/text";
import { extractPayload, findLinks, TreeLinkUrlError } from "@game-data/tree-link/url";
import { Effect } from "effect";

/** Calls a function of `tree-link`. Other errors are defects. */
export const attempt = <A>(run: () => A): Effect.Effect<A, Failure> =>
  Effect.try({
    try: run,
    catch: (cause) => {
      if (cause instanceof TreeLinkError) {
        const { actual, field, offset, reason, unit } = cause;
        const place = reason === "invalid-type" ? "" : ` At ${unit} ${offset}.`;
        return failure("bad-link", `Invalid link: ${explain(cause)}${place}`, {
          details: {
            reason,
            offset,
            unit,
            ...(field === undefined ? {} : { field }),
            ...(actual === undefined ? {} : { actual }),
          },
        });
      }
      if (cause instanceof TreeLinkUrlError)
        return failure("bad-link", `Invalid link: ${cause.message}`, {
          details: { reason: cause.reason },
        });
      throw cause;
    },
  });

/** Calls a function of `tree-link` that encodes fields; an error is one of the fields. */
export const attemptToEncode = <A>(run: () => A): Effect.Effect<A, Failure> =>
  Effect.mapError(attempt(run), ({ details, message }) =>
    failure("bad-link", message.replace(/^Invalid link/u, "Cannot encode a link"), {
      ...(details !== undefined && { details }),
      next: "see the fields of a link with: gamedata tree decode LINK --json",
    }),
  );

/**
 * Runs a function for one link, or for each link of standard input, whose lines may hold several.
 * Each of those gives a row: the number of the line, the payload and the result.
 */
export const forLinks = Effect.fnUntraced(function* <A extends object, R>(
  text: string,
  run: (payload: string) => Effect.Effect<A, Failure>,
  show: (result: A) => Effect.Effect<void, Failure, R>,
) {
  if (text !== "-") return yield* show(yield* run(yield* payloadOf(text)));
  const printLink = Effect.fnUntraced(function* (part: string, line: number) {
    const payload = yield* payloadOf(part);
    const row = { line, payload, ...(yield* run(payload)) };
    yield* printRow(row, JSON.stringify(row));
  });
  return yield* forEachLine(yield* stdinLines, printLink, linksOf);
});

const payloadOf = (part: string) => attempt(() => extractPayload(part).payload);

/** The payloads of a line that has several; of one link the line, which may say why it is none. */
const linksOf = (line: string) => {
  const links = findLinks(line);
  return links.length > 1 ? links.map(({ payload }) => payload) : [line];
};

/** Prints a result of many: a line of text, or what the jq program makes of the value. */
export const printRow = Effect.fnUntraced(function* (value: unknown, text: string) {
  if ((yield* outputFormat) === "jq") yield* print(value, () => text);
  else yield* printLine(text);
});

/** The lines of standard input, as they arrive: a million links do not fit into one string. */
export const stdinLines = Effect.map(Host, ({ stdin }) =>
  createInterface({ input: stdin, crlfDelay: Infinity })[Symbol.asyncIterator](),
);

/** Takes up to `count` lines. */
export const takeLines = async (lines: AsyncIterator<string>, count: number) => {
  const taken: Array<string> = [];
  while (taken.length < count) {
    const { done, value } = await lines.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
};

/** Lines that were taken, and then the rest. */
export async function* chain(head: ReadonlyArray<string>, rest: AsyncIterableIterator<string>) {
  yield* head;
  yield* rest;
}

const LINES_AT_ONCE = 1_000;

/**
 * Runs a function for each line, or for each of its parts. Malformed ones are printed on stderr; the
 * exit code is theirs. A jq program that fails ends it.
 */
export const forEachLine = Effect.fnUntraced(function* <R>(
  lines: AsyncIterator<string>,
  run: (part: string, number: number) => Effect.Effect<void, Failure, R>,
  partsOf: (line: string) => ReadonlyArray<string> = (line) => [line],
) {
  let exitCode = 0;
  let number = 0;
  while (true) {
    const batch = yield* Effect.promise(() => takeLines(lines, LINES_AT_ONCE));
    if (batch.length === 0) break;
    for (const line of batch) {
      const index = ++number;
      if (line.trim() === "") continue;
      for (const part of partsOf(line.trim()))
        yield* run(part, index).pipe(
          Effect.catchIf(
            ({ code }) => code !== "bad-jq",
            (failed) => {
              exitCode = failed.exitCode;
              const { code, message, next } = failed;
              const details = { ...failed.details, line: index };
              const options = { details, ...(next !== undefined && { next }) };
              return printFailure(failure(code, message, options), true);
            },
          ),
        );
    }
  }
  if (exitCode !== 0) return yield* new ChildExit({ exitCode });
});
