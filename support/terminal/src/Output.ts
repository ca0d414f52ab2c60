/**
 * How results are printed: tables for people, JSON for pipes (`--json`, `--ndjson`); results on
 * stdout, everything else on stderr.
 *
 * Colour only where the stream is a terminal and `NO_COLOR` is not set. Names that players gave
 * come from strangers: control characters are taken out before they reach a terminal.
 */
import { styleText } from "node:util";
import { Effect } from "effect";
import { CliOutput, Flag, GlobalFlag } from "effect/cli";
import type { Failure } from "./Failure.ts";
import { Program } from "./Program.ts";

/** `--json`: machine-readable output, one JSON value. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON value, and errors as JSON"),
    Flag.withDefault(false),
  ),
});

/** `--ndjson`: machine-readable output, one JSON value a line. */
export const Ndjson = GlobalFlag.Setting("ndjson")({
  flag: Flag.Boolean("ndjson").pipe(
    Flag.withDescription("Print one JSON value a line, and errors as JSON"),
    Flag.withDefault(false),
  ),
});

/**
 * Whether a command line asks for output for machines; for errors that occur before it is parsed.
 */
export const isForMachines = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  return own.includes("--json") || own.includes("--ndjson");
};

/** A style of the terminal, or several. */
export type Style = Parameters<typeof styleText>[0];

/** Text in a style, where stdout shows styles. */
export const styled = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout });

/** Writes a line on stdout, and waits while the reader is slow. */
export const line = (text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    process.stdout.write(`${text}\n`, () => resume(Effect.void));
  });

/** Prints a result: `value` with `--json` or `--ndjson`, else what `human` makes of it. */
export const print = Effect.fnUntraced(function* <A>(value: A, human: (value: A) => string) {
  const isJson = (yield* Json) || (yield* Ndjson);
  yield* line(isJson ? JSON.stringify(value) : human(value));
});

/**
 * Prints a list: an array with `--json`, a line each with `--ndjson`, else what `human` makes of
 * it.
 */
export const printList = Effect.fnUntraced(function* <A>(
  values: ReadonlyArray<A>,
  human: (values: ReadonlyArray<A>) => string,
) {
  if (!(yield* Ndjson)) return yield* print(values, human);
  for (const value of values) yield* line(JSON.stringify(value));
});

/** A word on the way, on stderr. */
export const note = (text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    endLive();
    process.stderr.write(`${text}\n`);
  });

/** Prints a failure on stderr: a sentence and the next step, or with `isJson` one JSON line. */
export const printFailure = Effect.fnUntraced(function* (failure: Failure, isJson: boolean) {
  const { code, details, exitCode, message } = failure;
  const { name } = yield* Program;
  const next = failure.next?.replaceAll(OWN_COMMANDS, name);
  if (isJson)
    return yield* note(JSON.stringify({ error: { ...details, code, message, exitCode, next } }));
  const title = styleText("red", "error:", { stream: process.stderr });
  yield* note(`${title} ${lines(message)}${next === undefined ? "" : `\n→ ${lines(next)}`}`);
});

/**
 * Next steps speak of `gamedata`. The commands of `Commands` are found in every program, under its
 * own name.
 */
const OWN_COMMANDS = /\bgamedata(?= (?:login|logout|whoami|token|doctor|explain)\b)/gu;

/** Text without what would steer a terminal. */
export const clean = (text: string): string => text.replaceAll(/\p{Cc}/gu, "\uFFFD");

/** The same for a text of several lines. */
export const lines = (text: string): string => text.split("\n").map(clean).join("\n");

/** What a cell may hold. */
export type Cell = string | number | undefined | null;

/** A table: columns as wide as their widest cell, numbers to the right. */
export const table = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  whenEmpty = "(none)",
): string => {
  if (rows.length === 0) return styled("dim", whenEmpty);
  const cells = rows.map((row) => row.map((cell) => clean(String(cell ?? ""))));
  const widths = columns.map((title, i) =>
    Math.max(...[title, ...cells.map((row) => row[i] ?? "")].map(CliOutput.displayWidth)),
  );
  const pad = (text: string, i: number, toRight: boolean) => {
    const space = " ".repeat(widths[i]! - CliOutput.displayWidth(text));
    return toRight ? space + text : text + space;
  };
  const isNumber = columns.map((_, i) =>
    rows.every((row) => typeof row[i] === "number" || row[i] == null),
  );
  return [
    styled("bold", columns.map((title, i) => pad(title, i, isNumber[i]!)).join("  ")).trimEnd(),
    ...cells.map((row) =>
      row
        .map((cell, i) => pad(cell, i, isNumber[i]!))
        .join("  ")
        .trimEnd(),
    ),
  ].join("\n");
};

/** Facts, one a line: names to the left, values beside them; what is not there is left out. */
export const facts = (pairs: ReadonlyArray<readonly [string, Cell]>): string => {
  const present = pairs.filter(([, value]) => value != null);
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present
    .map(([name, value]) => `${styled("bold", name.padEnd(width))}  ${clean(String(value))}`)
    .join("\n");
};

/**
 * Text on the way to a long result, on stderr: in place on a terminal, else a line now and then.
 */
export interface Progress {
  /** Shows where things stand. */
  readonly show: (text: string) => void;
  /** Shows the last word and ends the line. */
  readonly done: (text: string) => void;
}

/** Whether a line of progress stands on the terminal, without an end. */
let isLineOpen = false;

/** What comes next begins on a line of its own. */
const endLive = (): void => {
  if (isLineOpen) process.stderr.write("\n");
  isLineOpen = false;
};

/** A line of progress; not more than ten a second on a terminal, one in five seconds elsewhere. */
export const progress = (): Progress => {
  const isLive = process.stderr.isTTY === true;
  const pause = isLive ? 100 : 5000;
  let last = isLive ? 0 : performance.now();
  const write = (text: string, end: string) => {
    last = performance.now();
    isLineOpen = isLive && end === "";
    process.stderr.write(isLive ? `\r\u001B[2K${clean(text)}${end}` : `${clean(text)}\n`);
  };
  return {
    show: (text) => {
      if (performance.now() - last >= pause) write(text, "");
    },
    done: (text) => write(text, "\n"),
  };
};
