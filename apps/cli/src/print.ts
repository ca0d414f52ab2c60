/**
 * Prints results on stdout, as a table for people or as JSON for programs, and messages on stderr.
 *
 * Names of players and leagues come from strangers, so characters that control a terminal or are
 * invisible are escaped.
 */
import { HIDDEN } from "@game-data/stream-follower/csv";
import { Clock, Console, Effect, Predicate, Stdio, Stream, Terminal } from "effect";
import { CliOutput, GlobalFlag } from "effect/cli";
import { toggle } from "./command.ts";

const Json = GlobalFlag.Setting("json")({
  flag: toggle("json", "Print one JSON value, and failures as JSON"),
});
const Ndjson = GlobalFlag.Setting("ndjson")({
  flag: toggle("ndjson", "Print one JSON value a line"),
});

/** Flags that every command has. */
export const outputFlags = [Json, Ndjson] as const;

/** The output format that `--json` and `--ndjson` select. */
export const outputFormat = Effect.gen(function* () {
  if (yield* Ndjson) return "ndjson";
  return (yield* Json) ? "json" : "table";
});

/** Escapes characters that control a terminal, as in `\u{202e}`. */
export const clean = (text: string): string =>
  text.replaceAll(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

/** Escapes characters that control a terminal in a JSON text, as in `\u202e`. */
export const escapeJson = (json: string): string =>
  json.replaceAll(HIDDEN, (character) =>
    character === "\n" ? character : character.replaceAll(/[^]/g, escapeUnit),
  );

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * Prints a value in the format of the flags. `columns` are the columns of a table as paths, such as
 * `character.name`. Default: the members whose values are neither lists nor objects.
 */
export const print = Effect.fnUntraced(function* (value: unknown, columns?: string) {
  const format = yield* outputFormat;
  if (format !== "table") {
    const values = format === "ndjson" && Array.isArray(value) ? value : [value];
    for (const each of values) yield* Console.log(escapeJson(JSON.stringify(each)));
    return;
  }
  const width = yield* terminalWidth;
  const text = Array.isArray(value) ? table(value, columns, width) : facts(value, width);
  return yield* Console.log(text);
});

/** Prints a value as JSON in every format, for scripts. Indents it on a terminal. */
export const printJson = Effect.fnUntraced(function* (
  value: unknown,
  replacer?: (name: string, member: unknown) => unknown,
) {
  const isTerminal = yield* Effect.flatMap(Stdio.Stdio, (stdio) => stdio.stdoutIsTerminal);
  yield* Console.log(escapeJson(JSON.stringify(value, replacer, isTerminal ? 2 : undefined)));
});

/** Prints bytes unchanged, or as escaped text if stdout is a terminal. */
export const printBytes = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const stdio = yield* Stdio.Stdio;
  if (yield* stdio.stdoutIsTerminal)
    return yield* Console.log(clean(new TextDecoder().decode(bytes)));
  yield* Stream.run(Stream.succeed(bytes), stdio.stdout()).pipe(Effect.orDie);
});

/** Prints `people` as a table, or `programs` as JSON, by the output format. */
export const printEither = Effect.fnUntraced(function* (people: unknown, programs: unknown) {
  yield* print((yield* outputFormat) === "table" ? people : programs);
});

/** Prints a message on stderr. On a terminal it replaces the progress line. */
export const printMessage = Effect.fnUntraced(function* (text: string) {
  const isTerminal = yield* Effect.flatMap(Stdio.Stdio, (stdio) => stdio.stderrIsTerminal);
  yield* Console.error(isTerminal ? `\r\u001B[2K${text}` : text);
});

/**
 * Returns a function that prints the progress of a command, at most ten times a second on a
 * terminal, else at most every five seconds.
 */
export const makeProgress = Effect.gen(function* () {
  const isTerminal = yield* Effect.flatMap(Stdio.Stdio, (stdio) => stdio.stderrIsTerminal);
  let last = yield* Clock.currentTimeMillis;
  return Effect.fnUntraced(function* (text: string) {
    const now = yield* Clock.currentTimeMillis;
    if (now - last < (isTerminal ? 100 : 5000)) return;
    last = now;
    if (!isTerminal) return yield* Console.error(text);
    // Ends without a line break, so that the next text replaces this text.
    process.stderr.write(`\r\u001B[2K${clean(text).slice(0, process.stderr.columns - 1)}`);
  });
});

/** The columns of the terminal, or `Infinity` if stdout is not a terminal. */
export const terminalWidth = Effect.gen(function* () {
  const isTerminal = yield* Effect.flatMap(Stdio.Stdio, (stdio) => stdio.stdoutIsTerminal);
  return isTerminal ? yield* Effect.flatMap(Terminal.Terminal, ({ columns }) => columns) : Infinity;
});

type Row = Readonly<Record<string, unknown>>;

/** Columns of the lists in a record that are printed as tables below the record. */
const INNER_COLUMNS: Readonly<Record<string, string>> = {
  children: "id name type",
  entries: "rank character.name character.class character.level account.name",
  equipment: "inventoryId name typeLine ilvl",
  items: "x y name typeLine stackSize note",
  markets: "league market_id",
};

/** Formats a record as lines of name and value, with its lists as tables below. */
const facts = (record: unknown, width: number): string => {
  if (!Predicate.isReadonlyObject(record)) return cell(record);
  const all = members(record);
  const isBelow = (name: string) => name in INNER_COLUMNS && Array.isArray(record[name]);
  const plain = all.filter(([name]) => !isBelow(name));
  const below = Object.keys(record).filter(isBelow);
  return [
    ...lines(plain.map(([name, value]) => [name, cell(value)])),
    ...below.map(
      (name) => `\n${table(record[name] as ReadonlyArray<unknown>, INNER_COLUMNS[name], width)}`,
    ),
  ].join("\n");
};

/** Returns the members that have a value. Members of nested records have a path as name. */
const members = (record: Row): ReadonlyArray<readonly [path: string, value: unknown]> =>
  Object.entries(record)
    .flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> =>
      Predicate.isReadonlyObject(value)
        ? Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each])
        : [[name, value]],
    )
    .filter(([, value]) => Predicate.isNotNullish(value) && !Predicate.isReadonlyObject(value));

const lines = (pairs: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const longest = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(longest)}  ${value}`);
};

/** Maximum number of list values in a line. A longer list is printed as its length. */
const MAX_SHOWN = 20;

const cell = (value: unknown): string => {
  if (!Array.isArray(value)) return clean(String(value ?? ""));
  const isShown = value.length <= MAX_SHOWN && value.every((each) => typeof each !== "object");
  return isShown ? clean(value.join(", ")) : `${value.length} entries`;
};

/** Formats records in columns, or each value on its own line if the terminal is too narrow. */
const table = (
  records: ReadonlyArray<unknown>,
  wanted: string | undefined,
  width: number,
): string => {
  const [first] = records;
  if (first === undefined) return "(none)";
  if (!Predicate.isReadonlyObject(first)) return records.map(cell).join("\n");
  const plain = Object.keys(first).filter((name) => typeof first[name] !== "object");
  const columns = wanted?.split(" ") ?? plain;
  const names = columns.map((path) => path.split(".").at(-1)!);
  const isUnique = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  const titles = columns.map((path, at) => (isUnique(names[at]!) ? names[at]! : path));
  const rows = records.map((record) => columns.map((path) => cell(member(record, path))));
  const widths = columns.map((_, at) =>
    Math.max(...[titles, ...rows].map((row) => CliOutput.displayWidth(row[at]!))),
  );
  if (widths.reduce((sum, each) => sum + each + 2, -2) > width)
    return rows
      .map((row) => lines(row.map((value, at) => [titles[at]!, value])).join("\n"))
      .join("\n\n");
  const pad = (value: string, at: number) =>
    value + " ".repeat(widths[at]! - CliOutput.displayWidth(value));
  return [titles, ...rows].map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
};

const member = (record: unknown, path: string): unknown =>
  path.split(".").reduce((inner, name) => (inner as Row | null | undefined)?.[name], record);
