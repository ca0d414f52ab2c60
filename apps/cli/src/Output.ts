/**
 * How results are printed: tables for people, JSON for pipes (`--json`), results on stdout and everything else on stderr.
 *
 * Colour only where the stream is a terminal and `NO_COLOR` is not set.
 */
import { styleText } from "node:util";
import { Console, Effect } from "effect";
import { CliOutput, Flag, GlobalFlag } from "effect/cli";
import type { Failure } from "./Failure.ts";

/** `--json`: machine-readable output, one JSON value. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON value, and errors as JSON"),
    Flag.withDefault(false),
  ),
});

type Style = Parameters<typeof styleText>[0];

/** Text in a style, where stdout shows styles. */
export const styled = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout });

/** Prints a result: `value` with `--json`, else what `human` makes of it. */
export const print = Effect.fnUntraced(function* <A>(value: A, human: (value: A) => string) {
  const isJson = yield* Json;
  yield* Console.log(isJson ? JSON.stringify(value) : human(value));
});

/** A word on the way, on stderr. */
export const note = (text: string): Effect.Effect<void> =>
  Effect.sync(() => process.stderr.write(`${text}\n`));

/** Prints a failure on stderr: a sentence and the next step, or with `isJson` one JSON line. */
export const printFailure = (failure: Failure, isJson: boolean): Effect.Effect<void> => {
  const { code, details, exitCode, message, next } = failure;
  if (isJson) return note(JSON.stringify({ error: { code, message, exitCode, ...details, next } }));
  const title = styleText("red", "error:", { stream: process.stderr });
  return note(`${title} ${message}${next === undefined ? "" : `\n→ ${next}`}`);
};

/** A table: columns as wide as their widest cell, numbers to the right. */
export const table = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number | undefined>>,
): string => {
  const cells = rows.map((row) => row.map((cell) => (cell === undefined ? "" : String(cell))));
  const widths = columns.map((title, i) =>
    Math.max(...[title, ...cells.map((row) => row[i] ?? "")].map(CliOutput.displayWidth)),
  );
  const pad = (text: string, i: number, toRight: boolean) => {
    const space = " ".repeat(widths[i]! - CliOutput.displayWidth(text));
    return toRight ? space + text : text + space;
  };
  const isNumber = columns.map((_, i) => rows.every((row) => typeof row[i] === "number"));
  return [
    styled("bold", columns.map((title, i) => pad(title, i, isNumber[i]!)).join("  ")),
    ...cells.map((row) =>
      row
        .map((cell, i) => pad(cell, i, isNumber[i]!))
        .join("  ")
        .trimEnd(),
    ),
  ].join("\n");
};

/** Facts, one a line: names to the left, values beside them; what is undefined is left out. */
export const facts = (
  pairs: ReadonlyArray<readonly [string, string | number | undefined]>,
): string => {
  const present = pairs.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present
    .map(([name, value]) => `${styled("bold", name.padEnd(width))}  ${value}`)
    .join("\n");
};
