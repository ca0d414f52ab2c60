/**
 * Prints results on stdout, as a table for people or as JSON for programs, and messages on stderr.
 *
 * Names of players and leagues come from strangers, so characters that steer a terminal or show
 * nothing are escaped.
 */
import { HIDDEN } from "@game-data/stream-follower/csv";
import { Clock, Console, Effect, Stdio, Stream, Terminal } from "effect";
import { CliOutput, Flag, GlobalFlag } from "effect/cli";

const outputFlag = <const Name extends string>(name: Name, description: string) =>
  GlobalFlag.Setting(name)({
    flag: Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false)),
  });

const Json = outputFlag("json", "Print one JSON value, and failures as JSON");
const Ndjson = outputFlag("ndjson", "Print one JSON value a line");

/** The flags that every command has. */
export const outputFlags = [Json, Ndjson] as const;

/** The output format that `--json` and `--ndjson` select. */
export const outputFormat = Effect.gen(function* () {
  if (yield* Ndjson) return "ndjson";
  return (yield* Json) ? "json" : "table";
});

/** Escapes characters that steer a terminal: `\u{202e}`. */
export const clean = (text: string): string =>
  text.replaceAll(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

/** Escapes the same characters in a JSON text, as JSON does: `\u202e`. */
export const escapeJson = (json: string): string =>
  json.replaceAll(HIDDEN, (character) =>
    character === "\n" ? character : character.replaceAll(/[^]/g, escapeUnit),
  );

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * Prints a value. `columns` names the members that tables of a list have, by paths such as
 * `character.name`; default: the members that are no lists and no objects.
 */
export const print = Effect.fnUntraced(function* (value: unknown, columns?: string) {
  const format = yield* outputFormat;
  if (format === "json") return yield* Console.log(escapeJson(JSON.stringify(value)));
  if (format === "ndjson")
    return yield* Effect.forEach(
      Array.isArray(value) ? value : [value],
      (each) => Console.log(escapeJson(JSON.stringify(each))),
      { discard: true },
    );
  const width = yield* terminalWidth;
  const text = Array.isArray(value)
    ? table(value, columns?.split(" "), width)
    : facts(value, width);
  return yield* Console.log(text);
});

/** Prints a value as JSON in every format, indented on a terminal: for what scripts read. */
export const printJson = Effect.fnUntraced(function* (
  value: unknown,
  replacer?: (name: string, member: unknown) => unknown,
) {
  const isTerminal = yield* Effect.flatMap(Stdio.Stdio, (stdio) => stdio.stdoutIsTerminal);
  yield* Console.log(escapeJson(JSON.stringify(value, replacer, isTerminal ? 2 : undefined)));
});

/** Prints bytes as they are, and as escaped text on a terminal. */
export const printBytes = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const stdio = yield* Stdio.Stdio;
  if (yield* stdio.stdoutIsTerminal)
    return yield* Console.log(clean(new TextDecoder().decode(bytes)));
  yield* Stream.run(Stream.succeed(bytes), stdio.stdout()).pipe(Effect.orDie);
});

/** Prints one value as a table for people, and another one for programs. */
export const printEither = Effect.fnUntraced(function* (people: unknown, programs: unknown) {
  yield* print((yield* outputFormat) === "table" ? people : programs);
});

/** Prints a message on stderr, in place of a progress line. */
export const printMessage = Effect.fnUntraced(function* (text: string) {
  const isTerminal = yield* Effect.flatMap(Stdio.Stdio, (stdio) => stdio.stderrIsTerminal);
  yield* Console.error(isTerminal ? `\r\u001B[2K${text}` : text);
});

/** Runs an effect, and prints that it takes long. */
export const withWaitNotice = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.andThen(
      Effect.forkScoped(Effect.delay(printMessage("Waiting for the service …"), "5 seconds")),
      effect,
    ),
  );

/**
 * Returns a function that shows the progress of a command: ten times a second on a terminal, else
 * every five seconds.
 */
export const makeProgress = Effect.gen(function* () {
  const isTerminal = yield* Effect.flatMap(Stdio.Stdio, (stdio) => stdio.stderrIsTerminal);
  let last = yield* Clock.currentTimeMillis;
  return Effect.fnUntraced(function* (text: string) {
    const now = yield* Clock.currentTimeMillis;
    if (now - last < (isTerminal ? 100 : 5000)) return;
    last = now;
    if (!isTerminal) return yield* Console.error(text);
    // Without a line break, so that the next text replaces it.
    process.stderr.write(`\r\u001B[2K${clean(text).slice(0, process.stderr.columns - 1)}`);
  });
});

/** Columns of the terminal, or `Infinity` if stdout is not a terminal. */
export const terminalWidth = Effect.gen(function* () {
  const isTerminal = yield* Effect.flatMap(Stdio.Stdio, (stdio) => stdio.stdoutIsTerminal);
  return isTerminal ? yield* Effect.flatMap(Terminal.Terminal, ({ columns }) => columns) : Infinity;
});

type Row = Readonly<Record<string, unknown>>;

/** The lists within a record that are shown below it, and their columns. */
const INNER_COLUMNS: Readonly<Record<string, string>> = {
  children: "id name type",
  entries: "rank character.name character.class character.level account.name",
  equipment: "inventoryId name typeLine ilvl",
  items: "x y name typeLine stackSize note",
  markets: "league market_id",
};

/** A record as names and values, and its lists below. */
const facts = (record: unknown, width: number): string => {
  if (typeof record !== "object" || record === null) return clean(String(record));
  const pairs = scalars(record as Row);
  const lists = Object.entries(record).flatMap(([name, value]) =>
    Array.isArray(value) && name in INNER_COLUMNS
      ? [`\n${table(value, INNER_COLUMNS[name]!.split(" "), width)}`]
      : [],
  );
  return [...lines(pairs), ...lists].join("\n");
};

const lines = (pairs: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const longest = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(longest)}  ${value}`);
};

/** Values of a list that a line shows. A longer list is shown by its length. */
const MAX_SHOWN = 20;

/** The members that have a text, those of inner records by their path. */
const scalars = (record: Row, prefix = ""): ReadonlyArray<readonly [string, string]> =>
  Object.entries(record).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) {
      if (name in INNER_COLUMNS && prefix === "") return [];
      const isShown = value.length <= MAX_SHOWN && value.every((each) => typeof each !== "object");
      return [[prefix + name, isShown ? clean(value.join(", ")) : `${value.length} entries`]];
    }
    if (typeof value !== "object") return [[prefix + name, clean(String(value))]];
    return prefix === "" ? scalars(value as Row, `${name}.`) : [];
  });

/** Shows records in columns, or each value on a line if the terminal is too narrow. */
const table = (
  records: ReadonlyArray<unknown>,
  wanted: ReadonlyArray<string> | undefined,
  width: number,
): string => {
  const [first] = records;
  if (first === undefined) return "(none)";
  if (typeof first !== "object") return records.map((each) => clean(String(each))).join("\n");
  const columns =
    wanted ?? scalars(first as Row).flatMap(([path]) => (path.includes(".") ? [] : path));
  const isUnique = (name: string) => columns.filter((path) => last(path) === name).length === 1;
  const titles = columns.map((path) => (isUnique(last(path)) ? last(path) : path));
  const rows = records.map((record) => columns.map((path) => cell(record, path)));
  const widths = columns.map((_, at) =>
    Math.max(...[titles, ...rows].map((row) => CliOutput.displayWidth(row[at]!))),
  );
  if (widths.reduce((sum, each) => sum + each + 2, -2) > width)
    return rows
      .map((row) => lines(row.map((value, at) => [titles[at]!, value] as const)).join("\n"))
      .join("\n\n");
  return [titles, ...rows]
    .map((row) =>
      row
        .map((value, at) => value + " ".repeat(widths[at]! - CliOutput.displayWidth(value)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
};

const last = (path: string): string => path.split(".").at(-1)!;

const cell = (record: unknown, path: string): string => {
  const value = path
    .split(".")
    .reduce((inner, name) => (inner as Row | null | undefined)?.[name], record);
  return value === undefined || value === null ? "" : clean(String(value));
};
