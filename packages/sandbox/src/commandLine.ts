/**
 * Reads the options of a sandbox from flags, the environment and a file (`--config`).
 *
 * A flag overrides its environment variable, and that overrides the file. A mistake is reported with
 * its place and the nearest known word.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { formatIssues, issuesOf } from "./internal/issues.ts";
import { AllOptions, FLAGS, type SandboxOptions } from "./Options.ts";

const PARSED_OPTIONS = Object.fromEntries(
  Object.values(FLAGS).map(([flag, value]) => [
    flag,
    { type: value === "" ? "boolean" : "string", multiple: value.endsWith("...") },
  ]),
) as Readonly<Record<string, { readonly type: "boolean" | "string"; readonly multiple: boolean }>>;

const COMMANDS = ["exec", "audit", "scenarios", "conformance"] as const;

/** Flags that are not options of the sandbox. */
const PROGRAM_FLAGS = {
  config: { type: "string" },
  help: { type: "boolean" },
  client: { type: "string" },
  scenario: { type: "string", multiple: true },
  json: { type: "boolean" },
  junit: { type: "string" },
  require: { type: "string" },
  for: { type: "string" },
  timeout: { type: "string" },
} as const;

type ProgramFlags = ReturnType<
  typeof parseArgs<{ options: typeof PROGRAM_FLAGS; allowPositionals: true }>
>["values"];
type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandLine {
  readonly command: "run" | (typeof COMMANDS)[number] | "help";
  readonly options: SandboxOptions;
  /** The program to run and its arguments, or the name of a scenario. */
  readonly rest: ReadonlyArray<string>;
  readonly flags: ProgramFlags;
  /** Milliseconds after which an audit ends a service. */
  readonly forMillis: number | undefined;
  /** Milliseconds after which an audit ends a run. */
  readonly timeoutMillis: number | undefined;
}

/** Error of a wrong command line or variable. The message names the mistake. */
export class WrongUsage extends Error {
  readonly _tag = "WrongUsage";
}

/** Reads the command line. Throws an error whose message names the wrong argument. */
export const readCommandLine = (args: ReadonlyArray<string>, env: Environment): CommandLine => {
  const command = COMMANDS.find((name) => name === args[0]) ?? "run";
  const { positionals, values } = parseArgs({
    args: [...(command === "run" ? args : args.slice(1))],
    allowPositionals: command !== "run",
    options: { ...PARSED_OPTIONS, ...PROGRAM_FLAGS },
  });
  const flags = values as ProgramFlags;
  const common = {
    rest: positionals,
    flags,
    forMillis: millisOf("for", flags.for),
    timeoutMillis: millisOf("timeout", flags.timeout),
  };
  if (flags.help === true) return { ...common, command: "help", options: {} };
  const runsProgram = command === "exec" || command === "audit";
  if (runsProgram && positionals.length === 0) throw new WrongUsage(`${command}: which program?`);
  if (!runsProgram && flags.client !== undefined)
    throw new WrongUsage("--client is for exec and audit");
  return { ...common, command, options: readOptions(values, env) };
};

const readOptions = (
  values: Readonly<Record<string, unknown>>,
  env: Environment,
): SandboxOptions => {
  checkVariables(env);
  const options: Record<string, unknown> = {};
  const file = values["config"] ?? env[variableOf("config")];
  if (file !== undefined) {
    Object.assign(options, readJson(String(file)));
    check(options, (pointer) => `${String(file)}: ${pointer}`);
  }
  // The key has the same name here as in the environment of programs under `exec`.
  const key = env["GAME_DATA_CONTROL_KEY"];
  if (key !== undefined) options["controlKey"] = key;
  for (const [name, [flag, kind]] of Object.entries(FLAGS)) {
    const { multiple, type } = PARSED_OPTIONS[flag]!;
    const given = values[flag] ?? env[variableOf(flag)];
    // An empty environment variable does not set a switch.
    if (given === undefined || (type === "boolean" && given === "")) continue;
    const texts = Array.isArray(given) ? given : multiple ? String(given).split(",") : [given];
    const items = texts.map((text) => valueOf(String(text), kind, flag));
    const list = kind === "KEY=VALUE..." ? Object.assign({}, ...items) : items;
    options[name] = multiple ? list : items[0];
  }
  check(options, (pointer) => pointer.replace(/^\/(\w+)/u, flagOf));
  return options;
};

/** Returns the flag of an option's JSON pointer: `--single-port` for `/singlePort`. */
const flagOf = (pointer: string, name: string): string =>
  Object.hasOwn(FLAGS, name) ? `--${FLAGS[name as keyof SandboxOptions][0]}` : pointer;

const check = (options: object, placeOf: (pointer: string) => string): void => {
  const issues = issuesOf(AllOptions, options);
  if (issues.length > 0)
    throw new WrongUsage(
      formatIssues(issues.map((issue) => ({ ...issue, pointer: placeOf(issue.pointer) }))),
    );
};

/** Reads the value of a flag. The schema later refuses a text in the place of a number. */
const valueOf = (text: string, kind: (typeof FLAGS)["port"][1], flag: string): unknown => {
  switch (kind) {
    case "":
      if (!/^(?:1|0|true|false)$/u.test(text))
        throw new WrongUsage(`${variableOf(flag)} is none of 1, 0, true, false`);
      return (text === "1" || text === "true") !== flag.startsWith("no-");
    case "N":
      return /^\d{1,15}$/u.test(text) ? Number(text) : text;
    case "KEY=VALUE...": {
      const [name = "", value = ""] = text.split("=");
      return { [name]: valueOf(value, "N", flag) };
    }
    case "FILE":
      return readJson(text);
    case "TEXT":
    case "TEXT...":
      return flag === "rates" && text.endsWith(".json") ? readJson(text) : text;
  }
};

const readJson = (file: string): object => {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as object;
  } catch (cause) {
    throw new WrongUsage(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
};

/** Returns the variable of a flag: `GAME_DATA_SANDBOX_SINGLE_PORT` for `single-port`. */
const variableOf = (flag: string): string =>
  `GAME_DATA_SANDBOX_${flag.toUpperCase().replaceAll("-", "_")}`;

/** Refuses a `GAME_DATA_SANDBOX_…` variable that no flag reads, because it may be misspelt. */
const checkVariables = (env: Environment): void => {
  const known = new Set(
    [...Object.keys(PARSED_OPTIONS), ...Object.keys(PROGRAM_FLAGS)].map(variableOf),
  );
  const unknown = Object.keys(env).find(
    (name) => name.startsWith(variableOf("")) && !known.has(name),
  );
  if (unknown !== undefined) throw new WrongUsage(`there is no option for the variable ${unknown}`);
};

/** One day. Timers of JavaScript can wait 24 days at most. */
const MAX_SECONDS = 86_400;

const millisOf = (flag: string, value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  const seconds = /^\d{1,5}$/u.test(value) ? Number(value) : 0;
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds * 1000;
  throw new WrongUsage(`--${flag} ${value} is none of 1 to ${MAX_SECONDS} seconds`);
};

/** Formats the options for `--help`, one per line. */
export const optionsHelp = (): string =>
  Object.values(FLAGS)
    .map(([flag, value, does]) => `  ${`--${flag} ${value}`.padEnd(22)}${does}\n`)
    .join("");
