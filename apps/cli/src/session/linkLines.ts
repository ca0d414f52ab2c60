/** Links as arguments, and links on standard input, one a line. */
import { createInterface } from "node:readline";
import { ChildExit, type Failure, failure } from "@game-data/terminal/Failure";
import { Host } from "@game-data/terminal/Host";
import { printFailure, printLine } from "@game-data/terminal/Output";
import { extractPayload } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { attempt } from "./treeLinks.ts";

/**
 * Runs a function for one link, or for each line of standard input, which prints its result as one
 * JSON object with the number of the line and its payload.
 */
export const forLinks = Effect.fnUntraced(function* <A extends object, R>(
  text: string,
  run: (payload: string) => Effect.Effect<A, Failure>,
  show: (result: A) => Effect.Effect<void, Failure, R>,
) {
  if (text !== "-") {
    const found = yield* attempt(() => extractPayload(text));
    return yield* show(yield* run(found.payload));
  }
  return yield* forEachLine(yield* stdinLines, (line, number) =>
    Effect.gen(function* () {
      const { payload } = yield* attempt(() => extractPayload(line));
      const result = yield* run(payload);
      yield* printLine(JSON.stringify({ line: number, payload, ...result }));
    }),
  );
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
 * Runs a function for each line. Malformed lines are printed on stderr; the exit code is theirs.
 */
export const forEachLine = Effect.fnUntraced(function* <R>(
  lines: AsyncIterator<string>,
  run: (line: string, number: number) => Effect.Effect<void, Failure, R>,
) {
  let exitCode = 0;
  let number = 0;
  while (true) {
    const batch = yield* Effect.promise(() => takeLines(lines, LINES_AT_ONCE));
    if (batch.length === 0) break;
    for (const line of batch) {
      const index = ++number;
      if (line.trim() === "") continue;
      yield* run(line.trim(), index).pipe(
        Effect.catch((failed) => {
          exitCode = failed.exitCode;
          const { code, message } = failed;
          const details = { ...failed.details, line: index };
          return printFailure(failure(code, message, { details }), true);
        }),
      );
    }
  }
  if (exitCode !== 0) return yield* new ChildExit({ exitCode });
});
