/**
 * Reads the options of a sandbox from flags, the environment and a file (`--config`).
 *
 * A flag wins over its environment variable, and that over the file. Everything is strict: an
 * unknown member of a file is refused with its place and the nearest known one.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { SandboxOptions } from "./Config.ts";
import { parseInstant } from "./internal/instants.ts";
import { nearestOf } from "./internal/nearest.ts";

/** Reads the value of a flag or of its variable. Throws an `Error` that says what is wrong. */
type Reader = (text: string, flag: string) => unknown;

const text: Reader = (value) => value;
const truth: Reader = (value, flag) => {
  if (value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  throw new Error(`${variableOf(flag)} is none of 1, 0, true, false`);
};
const wholeNumber = (value: string, flag: string): number => {
  if (!/^\d{1,15}$/u.test(value)) throw new Error(`--${flag} ${value} is not a whole number`);
  return Number(value);
};
const instant: Reader = (value) => {
  if (parseInstant(value) === undefined) throw new Error(`--now ${value} is not an instant`);
  return value;
};
const oneOf =
  (...words: ReadonlyArray<string>): Reader =>
  (value, flag) => {
    if (words.includes(value)) return value;
    throw new Error(`${flag}: has to be one of ${words.join(", ")}`);
  };

/** The options of a sandbox: a flag, the word for its value if it has one, and what it does. */
export const OPTIONS_HELP = `
  --port N              port of the OAuth server; data API and control plane take N+1 and N+2 (default 0: any free ports)
  --single-port         serve all three on one port
  --host ADDRESS        address to bind (default 127.0.0.1)
  --allow-remote        permit an address that other machines can reach; the control plane then asks for a key
  --control-key KEY     that key (default: drawn, and told in the ready line)
  --public-url URL      the URL under which others reach the OAuth server, such as http://sandbox:4000
  --allow-host NAME     answer under this host name too (may be repeated)
  --seed N              seed of the world (default: that of the file, or 1)
  --file FILE           keep state in a SQLite file (default: in memory)
  --now INSTANT         where the clock stands at the first start (ISO 8601; default: the present)
  --words FILE          JSON with the deployment's own words for realms and fields
  --rates PROFILE       rate policies to start with: generous, realistic, off; or a JSON file
  --world KEY=VALUE     a size of the generated world, such as streamPageSize=1150 (may be repeated)
  --clients FILE        JSON with a list of clients to register
  --token-origin URL    origin that may call the service from a browser (may be repeated)
  --issuer              send iss in authorization responses (RFC 9207)
  --no-throttle         do not limit failed authentication attempts
  --refresh-grace MS    milliseconds in which a used refresh token may be used again
  --journal N           how many requests the journal keeps (default 1000)
`;

/** Flag and reader of each option, by its name in `SandboxOptions`. */
const OPTIONS: { readonly [Name in keyof SandboxOptions]-?: readonly [flag: string, Reader] } = {
  port: ["port", wholeNumber],
  singlePort: ["single-port", truth],
  host: ["host", text],
  allowRemote: ["allow-remote", truth],
  controlKey: ["control-key", text],
  publicUrl: ["public-url", text],
  hosts: ["allow-host", text],
  seed: ["seed", wholeNumber],
  file: ["file", text],
  now: ["now", instant],
  words: ["words", (file) => documentOf(file, "WordsDocument")],
  rates: ["rates", (value) => ratesOf(value)],
  world: ["world", (pair) => sizeOf(pair)],
  clients: ["clients", (file) => documentOf(file, "ClientsDocument")],
  tokenOrigins: ["token-origin", text],
  issuer: ["issuer", truth],
  throttle: ["no-throttle", (value, flag) => truth(value, flag) !== true],
  refreshGraceMillis: ["refresh-grace", wholeNumber],
  journal: ["journal", wholeNumber],
};

/** The flags of the options, as their help tells them. */
const OPTION_FLAGS = Object.fromEntries(
  [...OPTIONS_HELP.matchAll(/^ {2}--(\S+) ([A-Z]?).*?(may be repeated)?\)?$/gmu)].map(
    ([, flag = "", value, repeated]) =>
      [
        flag,
        { type: value === "" ? "boolean" : "string", multiple: repeated !== undefined },
      ] as const,
  ),
);

/** Flags that are no options: of the program, of `exec` and `audit`. */
const FLAGS = {
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

type Values = ReturnType<
  typeof parseArgs<{ options: typeof FLAGS; allowPositionals: true }>
>["values"];
type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandLine {
  readonly command: "run" | "exec" | "audit" | "scenarios" | "help";
  readonly options: SandboxOptions;
  /** The program to run and its arguments, or the name of a scenario. */
  readonly rest: ReadonlyArray<string>;
  /** The flags as they were given, of the program, of `exec` and `audit`. */
  readonly flags: Values;
  /** Milliseconds after which an audit ends a service. */
  readonly forMillis: number | undefined;
  /** Milliseconds that a run of an audit may take. */
  readonly timeoutMillis: number | undefined;
}

const COMMANDS = ["exec", "audit", "scenarios"] as const;

/** Reads the command line. Throws an `Error` that says what is wrong with it. */
export const readCommandLine = async (
  args: ReadonlyArray<string>,
  env: Environment,
): Promise<CommandLine> => {
  const command = COMMANDS.find((name) => name === args[0]) ?? "run";
  const { positionals, values } = parseArgs({
    args: [...(command === "run" ? args : args.slice(1))],
    allowPositionals: command !== "run",
    options: { ...OPTION_FLAGS, ...FLAGS },
  });
  const flags = values as Values;
  const asked = {
    rest: positionals,
    flags,
    forMillis: millisOf("for", flags.for),
    timeoutMillis: millisOf("timeout", flags.timeout),
  };
  if (flags.help === true) return { ...asked, command: "help", options: {} };
  if ((command === "exec" || command === "audit") && positionals.length === 0)
    throw new Error(`${command}: which program?`);
  if (command !== "exec" && command !== "audit" && flags.client !== undefined)
    throw new Error("--client is for exec and audit");
  return { ...asked, command, options: await readOptions(values, env) };
};

const readOptions = async (
  values: Readonly<Record<string, unknown>>,
  env: Environment,
): Promise<SandboxOptions> => {
  checkVariables(env);
  const file = values["config"] ?? env[variableOf("config")];
  const options: Record<string, unknown> =
    file === undefined ? {} : { ...((await documentOf(String(file), "ConfigDocument")) as object) };
  // Under this name every program finds the key of a sandbox that it is given.
  const key = env["GAME_DATA_CONTROL_KEY"];
  if (key !== undefined) options["controlKey"] = key;
  for (const [name, [flag, read]] of Object.entries(OPTIONS)) {
    const given = values[flag] === true ? "true" : (values[flag] ?? env[variableOf(flag)]);
    const value = await valueOf(given, flag, read);
    if (value !== undefined) options[name] = value;
  }
  return options;
};

/** The value of an option that was given; a variable may be empty, and list with commas. */
const valueOf = async (given: unknown, flag: string, read: Reader): Promise<unknown> => {
  const { multiple, type } = OPTION_FLAGS[flag]!;
  if (given === undefined || (type === "boolean" && given === "")) return undefined;
  if (!multiple) return read(String(given), flag);
  const all = Array.isArray(given) ? given : String(given).split(",");
  const items = await Promise.all(all.map((one) => read(String(one), flag)));
  return flag === "world" ? Object.assign({}, ...items) : items;
};

/** `GAME_DATA_SANDBOX_SINGLE_PORT` for `--single-port`. */
const variableOf = (flag: string): string =>
  `GAME_DATA_SANDBOX_${flag.toUpperCase().replaceAll("-", "_")}`;

/** Refuses a variable that no flag reads: a misspelt one would do nothing in silence. */
const checkVariables = (env: Environment): void => {
  const known = new Set([...Object.keys(OPTION_FLAGS), ...Object.keys(FLAGS)].map(variableOf));
  const unknown = Object.keys(env).find(
    (name) => name.startsWith(variableOf("")) && !known.has(name),
  );
  if (unknown !== undefined) throw new Error(`there is no option for the variable ${unknown}`);
};

/** A time that something may take, in milliseconds. */
const millisOf = (flag: string, value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  const seconds = wholeNumber(value, flag);
  if (seconds > 0 && seconds <= MOST_SECONDS) return seconds * 1000;
  throw new Error(`--${flag} ${value} is none of 1 to ${MOST_SECONDS} seconds`);
};

/** A day: timers take no more than 24 of them. */
const MOST_SECONDS = 86_400;

/** The document of a file; what it is checked with is loaded only then. */
const documentOf = async (
  file: string,
  kind: "ClientsDocument" | "ConfigDocument" | "RatePolicies" | "WordsDocument",
): Promise<unknown> => {
  const [{ formatIssues, issuesOf }, documents] = await Promise.all([
    import("./internal/issues.ts"),
    import("./optionDocuments.ts"),
  ]);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch (cause) {
    throw new Error(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  const issues = issuesOf(documents[kind], value);
  if (issues.length > 0) throw new Error(`${file}: ${formatIssues(issues)}`);
  return value;
};

const profile = oneOf("generous", "realistic", "off");

/** A profile by its name, or policies in a file. */
const ratesOf = (value: string): unknown =>
  value.endsWith(".json") ? documentOf(value, "RatePolicies") : profile(value, "rates");

/** A size of the world from `name=value`. */
const sizeOf = async (pair: string): Promise<object> => {
  const { Sizes } = await import("./optionDocuments.ts");
  const names = Object.keys(Sizes.fields);
  const [name = "", value = ""] = pair.split("=");
  if (names.includes(name)) return { [name]: wholeNumber(value, `world ${name}`) };
  const nearest = nearestOf(name, names);
  const meant = nearest === undefined ? `, only ${names.join(", ")}` : `; did you mean ${nearest}?`;
  throw new Error(`--world: there is no ${name}${meant}`);
};
