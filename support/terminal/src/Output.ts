/**
 * Prints results on stdout and messages on stderr.
 *
 * A result is a table or a list of facts for people, JSON with `--json`, one JSON value a line with
 * `--ndjson`, and what a jq program makes of the JSON with `--jq` and `--template`.
 */
import { clearScreenDown, moveCursor } from "node:readline";
import { Effect, Option } from "effect";
import { Flag, GlobalFlag } from "effect/cli";
import { failure, type Failure } from "./Failure.ts";
import { hasColor, Host, type HostWriter, Program, widthOf } from "./Host.ts";
import { clean, cleanJson, cleanLines, cleanText, render, styled, type View } from "./View.ts";

/** `--json`. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print the result as one JSON value, and errors as JSON"),
    Flag.withDefault(false),
  ),
});

/** `--ndjson`. */
export const Ndjson = GlobalFlag.Setting("ndjson")({
  flag: Flag.Boolean("ndjson").pipe(
    Flag.withDescription("Print one JSON value per line, and errors as JSON"),
    Flag.withDefault(false),
  ),
});

/** `--jq PROGRAM`. */
export const Jq = GlobalFlag.Setting("jq")({
  flag: Flag.String("jq").pipe(
    Flag.withDescription("Filter the JSON result with a jq program; strings are printed raw"),
    Flag.withMetavar("PROGRAM"),
    Flag.optional,
  ),
});

/** `--template TEXT`. */
export const Template = GlobalFlag.Setting("template")({
  flag: Flag.String("template").pipe(
    Flag.withDescription(
      "Print this text once per item of the result; \\(.name) inserts a jq expression",
    ),
    Flag.withMetavar("TEXT"),
    Flag.optional,
  ),
});

/** The output flags that every program has. */
export const outputFlags = [Json, Ndjson, Jq, Template] as const;

/** Services that the output flags need. */
export type OutputServices =
  | Effect.Services<typeof Json>
  | Effect.Services<typeof Ndjson>
  | Effect.Services<typeof Jq>
  | Effect.Services<typeof Template>;

/**
 * Whether the command line asks for machine-readable output. Used for errors that occur before the
 * command line is parsed.
 */
export const isMachineReadable = (args: ReadonlyArray<string>): boolean => {
  const end = args.indexOf("--");
  const own = end === -1 ? args : args.slice(0, end);
  return own.some((arg) => /^--(?:json|ndjson|jq|template)(?:=|$)/u.test(arg));
};

/** Writes text to a stream and waits while the reader is slow. */
export const write = (stream: HostWriter, text: string): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    stream.write(text, () => resume(Effect.void));
  });

/** Writes a line on stdout. */
export const printLine = Effect.fnUntraced(function* (text: string) {
  const { stderr, stdout } = yield* Host;
  if (stdout.isTTY === true) eraseProgress(stderr);
  yield* write(stdout, `${text}\n`);
});

/** Prints a text that others wrote: on a terminal without characters that steer it. */
export const printText = Effect.fnUntraced(function* (text: string) {
  const { stdout } = yield* Host;
  yield* printLine(stdout.isTTY === true ? cleanText(text) : text);
});

/** Prints JSON: on a terminal with escapes for characters that steer it. */
const printJsonText = Effect.fnUntraced(function* (json: string) {
  const { stdout } = yield* Host;
  yield* printLine(stdout.isTTY === true ? cleanJson(json) : json);
});

/** The jq program that the flags ask for. A template is the inside of a jq string. */
const jqProgram = Effect.gen(function* () {
  const template = yield* Template;
  if (Option.isSome(template))
    return `(if type == "array" then .[] else . end) | "${template.value}"`;
  return Option.getOrUndefined(yield* Jq);
});

/** Format of printed results. */
export type OutputFormat = "view" | "json" | "ndjson" | "jq";

/** The output format that the flags ask for. */
export const outputFormat: Effect.Effect<OutputFormat, never, OutputServices> = Effect.gen(
  function* () {
    if ((yield* jqProgram) !== undefined) return "jq";
    return (yield* Ndjson) ? "ndjson" : (yield* Json) ? "json" : "view";
  },
);

/**
 * Results of jq, one a line, for a terminal. A string may hold what others wrote, which begins no
 * line: its line breaks are escaped too. Tabs stay, for `@tsv`.
 */
const cleanResults = (results: string): string =>
  results
    .split("\n")
    .map((json) =>
      json.startsWith('"')
        ? (JSON.parse(json) as string).split("\t").map(clean).join("\t")
        : cleanJson(json),
    )
    .join("\n");

const printJq = Effect.fnUntraced(function* (value: unknown, program: string) {
  const { loadJq } = yield* Effect.promise(() => import("jq-wasm/inline"));
  const jq = yield* Effect.promise(() => loadJq());
  const { isTTY } = (yield* Host).stdout;
  const flags = isTTY === true ? ["-c"] : ["-c", "-r"];
  const { exitCode, stderr, stdout } = jq.raw(JSON.stringify(value), program, flags);
  const text = stdout.replace(/\n$/u, "");
  if (stdout !== "") yield* printLine(isTTY === true ? cleanResults(text) : text);
  if (exitCode !== 0)
    return yield* failure("bad-jq", stderr.trim().replace(/^jq: error[^:]*: */u, "jq: "));
});

/** Prints a view on stdout, in the width of the terminal. */
export const printView = Effect.fnUntraced(function* (view: View) {
  const host = yield* Host;
  const { stdout } = host;
  const width = widthOf(stdout);
  yield* printLine(render(view, { width, color: hasColor(host, stdout) }));
});

/** Prints a result: the value for programs, the view of it for people. */
export const print = Effect.fnUntraced(function* <A>(value: A, view: (value: A) => View) {
  const program = yield* jqProgram;
  if (program !== undefined) return yield* printJq(value, program);
  const format = yield* outputFormat;
  if (format === "view") yield* printView(view(value));
  else yield* printJsonText(JSON.stringify(value));
});

/** Prints a list: with `--ndjson` one item per line, otherwise like `print`. */
export const printList = Effect.fnUntraced(function* <A>(
  values: ReadonlyArray<A>,
  view: (values: ReadonlyArray<A>) => View,
) {
  if ((yield* outputFormat) !== "ndjson") return yield* print(values, view);
  for (const value of values) yield* printJsonText(JSON.stringify(value));
});

/**
 * Prints a value that is JSON in every format, indented on a terminal. For commands whose output
 * scripts read without flags.
 */
export const printJson = Effect.fnUntraced(function* (value: unknown) {
  const program = yield* jqProgram;
  if (program !== undefined) return yield* printJq(value, program);
  const { stdout } = yield* Host;
  yield* printJsonText(JSON.stringify(value, undefined, stdout.isTTY === true ? 2 : undefined));
});

/**
 * Returns a `printList` that draws over its last view on a terminal. In a pipe, and in formats for
 * programs, lists follow each other.
 */
export const listInPlace = Effect.map(Host, ({ stdout }) => {
  let height = 0;
  return Effect.fnUntraced(function* <A>(
    values: ReadonlyArray<A>,
    view: (values: ReadonlyArray<A>) => View,
  ) {
    if (stdout.isTTY === true && (yield* outputFormat) === "view") {
      const shown = view(values);
      if (height > 0) {
        moveCursor(stdout, 0, -height);
        clearScreenDown(stdout);
      }
      height = render(shown, { width: widthOf(stdout), color: false }).split("\n").length;
      return yield* printView(shown);
    }
    yield* printList(values, view);
  });
});

/** Writes a message on stderr. */
export const printError = Effect.fnUntraced(function* (text: string) {
  const host = yield* Host;
  const { stderr } = host;
  eraseProgress(stderr);
  const width = widthOf(stderr);
  stderr.write(`${render(text, { width, color: hasColor(host, stderr) })}\n`);
});

/** Prints a failure on stderr: a sentence and the next step, or one line of JSON. */
export const printFailure = Effect.fnUntraced(function* (failed: Failure, isJson: boolean) {
  const { code, details, exitCode, message } = failed;
  const { name } = yield* Program;
  const next = failed.next?.replaceAll(OWN_COMMANDS, name);
  const { stderr } = yield* Host;
  if (isJson) {
    const json = JSON.stringify({ error: { ...details, code, message, exitCode, next } });
    eraseProgress(stderr);
    return void stderr.write(`${stderr.isTTY === true ? cleanJson(json) : json}\n`);
  }
  const width = widthOf(stderr);
  const step = next === undefined ? "" : `\n→ ${cleanLines(next, width)}`;
  const page = typeof details?.["help"] === "string" ? `\n  ${details["help"]}` : "";
  yield* printError(`${styled("red", "error:")} ${cleanLines(message, width)}${step}${page}`);
});

/** Next steps name `gamedata`; these commands exist in every program under its own name. */
const OWN_COMMANDS = /\bgamedata(?= (?:login|logout|whoami|auth|config|token|doctor|explain)\b)/gu;

/** A line on stderr that shows how far a long command is. */
export interface Progress {
  /** Updates the line: in place on a terminal, otherwise one line every five seconds. */
  readonly update: (text: string) => void;
  /** Prints the final text and ends the line. */
  readonly done: (text: string) => void;
}

/** Streams on which a progress line has no line break yet. */
const openLines = new WeakSet<HostWriter>();

/** Erases a progress line that nothing has ended. */
export const eraseProgress = (stream: HostWriter): void => {
  if (openLines.delete(stream)) stream.write("\r\u001B[2K");
};

/** Starts a progress line. */
export const progress: Effect.Effect<Progress> = Effect.map(Host, ({ stderr }) => {
  const isTerminal = stderr.isTTY === true;
  const pause = isTerminal ? 100 : 5000;
  let last = isTerminal ? 0 : performance.now();
  const show = (text: string, end: string) => {
    last = performance.now();
    if (isTerminal && end === "") openLines.add(stderr);
    else openLines.delete(stderr);
    const line = clean(text).slice(0, (widthOf(stderr) ?? Infinity) - 1);
    stderr.write(isTerminal ? `\r\u001B[2K${line}${end}` : `${clean(text)}\n`);
  };
  return {
    update: (text) => {
      if (performance.now() - last >= pause) show(text, "");
    },
    done: (text) => show(text, "\n"),
  };
});
