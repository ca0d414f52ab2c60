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
import type { Document } from "./internal/document.ts";

/** The flags of every command. */
const FLAGS = {
  config: { type: "string" },
  port: { type: "string" },
  "single-port": { type: "boolean" },
  host: { type: "string" },
  "allow-remote": { type: "boolean" },
  "control-key": { type: "string" },
  "public-url": { type: "string" },
  "allow-host": { type: "string", multiple: true },
  seed: { type: "string" },
  file: { type: "string" },
  now: { type: "string" },
  words: { type: "string" },
  replay: { type: "string" },
  "replay-missing": { type: "string" },
  rates: { type: "string" },
  world: { type: "string", multiple: true },
  nulls: { type: "string" },
  clients: { type: "string" },
  "token-origin": { type: "string", multiple: true },
  issuer: { type: "boolean" },
  "no-throttle": { type: "boolean" },
  "refresh-grace": { type: "string" },
  journal: { type: "string" },
  help: { type: "boolean" },
  // Of the program itself.
  worlds: { type: "boolean" },
  "most-worlds": { type: "string" },
  // Of `exec` and `audit`.
  client: { type: "string" },
  scenario: { type: "string", multiple: true },
  json: { type: "boolean" },
  junit: { type: "string" },
  html: { type: "string" },
  sarif: { type: "string" },
  "sarif-location": { type: "string" },
  require: { type: "string" },
  for: { type: "string" },
  timeout: { type: "string" },
  // Of `record`.
  upstream: { type: "string" },
  "auth-url": { type: "string" },
  out: { type: "string" },
  "no-redact": { type: "boolean" },
} as const;

type Values = ReturnType<
  typeof parseArgs<{ options: typeof FLAGS; allowPositionals: true }>
>["values"];

/** A parsed command line. */
export interface CommandLine {
  readonly command: "run" | "exec" | "audit" | "record" | "scenarios" | "help";
  readonly options: SandboxOptions;
  /** The program to run and its arguments, or the name of a scenario. */
  readonly rest: ReadonlyArray<string>;
  /** The flags as they were given, of the program, of `exec`, `audit` and `record`. */
  readonly flags: Values;
  /** Milliseconds after which an audit ends a service. */
  readonly forMillis: number | undefined;
  /** Milliseconds that a run of an audit may take. */
  readonly timeoutMillis: number | undefined;
  readonly mostWorlds: number | undefined;
}

const COMMANDS = ["exec", "audit", "record", "scenarios"] as const;

/** Reads the command line. Throws an `Error` that says what is wrong with it. */
export const readCommandLine = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CommandLine> => {
  const command = COMMANDS.find((name) => name === args[0]) ?? "run";
  const { positionals, values } = parseArgs({
    args: [...(command === "run" ? args : args.slice(1))],
    allowPositionals: command !== "run",
    options: FLAGS,
  });
  const asked = {
    rest: positionals,
    flags: values,
    forMillis: millisOf("--for", values.for),
    timeoutMillis: millisOf("--timeout", values.timeout),
    mostWorlds: wholeNumber("--most-worlds", values["most-worlds"]),
  };
  if (values.help === true) return { ...asked, command: "help", options: {} };
  if ((command === "exec" || command === "audit") && positionals.length === 0)
    throw new Error(`${command}: which program?`);
  if (command !== "exec" && command !== "audit" && values.client !== undefined)
    throw new Error("--client is for exec and audit");
  if (command !== "run" && values.worlds === true)
    throw new Error(`--worlds is not for ${command}`);
  return { ...asked, command, options: await readOptions(values, env) };
};

const readOptions = async (
  values: Values,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SandboxOptions> => {
  const flagOf = (name: keyof typeof FLAGS): string | undefined => {
    const value = values[name];
    return typeof value === "string" ? value : env[variableOf(name)];
  };
  const switchOf = (name: keyof typeof FLAGS): boolean | undefined =>
    values[name] === true ? true : truth(variableOf(name), env[variableOf(name)]);
  const listOf = (name: "allow-host" | "token-origin" | "world") =>
    values[name] ?? env[variableOf(name)]?.split(",");
  const numberOf = (name: keyof typeof FLAGS) => wholeNumber(`--${name}`, flagOf(name));
  const now = flagOf("now");
  if (now !== undefined && parseInstant(now) === undefined)
    throw new Error(`--now ${now} is not an instant`);
  const noThrottle = switchOf("no-throttle");
  checkVariables(env);
  const given: SandboxOptions = {
    port: numberOf("port"),
    singlePort: switchOf("single-port"),
    host: flagOf("host"),
    allowRemote: switchOf("allow-remote"),
    controlKey: flagOf("control-key") ?? env["GAME_DATA_CONTROL_KEY"],
    publicUrl: flagOf("public-url"),
    hosts: listOf("allow-host"),
    seed: numberOf("seed"),
    file: flagOf("file"),
    now,
    words: await documentOf(flagOf("words"), "WordsDocument"),
    replay: flagOf("replay"),
    replayMissing: flagOf("replay-missing") as SandboxOptions["replayMissing"],
    rates: await ratesOf(flagOf("rates")),
    world: await worldOf(listOf("world")),
    nulls: flagOf("nulls") as SandboxOptions["nulls"],
    clients: await documentOf(flagOf("clients"), "ClientsDocument"),
    tokenOrigins: listOf("token-origin"),
    issuer: switchOf("issuer"),
    throttle: noThrottle === undefined ? undefined : !noThrottle,
    refreshGraceMillis: numberOf("refresh-grace"),
    journal: numberOf("journal"),
  };
  const config = await documentOf<SandboxOptions>(flagOf("config"), "ConfigDocument");
  return {
    ...config,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
};

/** `GAME_DATA_SANDBOX_SINGLE_PORT` for `--single-port`. */
const variableOf = (flagName: string): string =>
  `GAME_DATA_SANDBOX_${flagName.toUpperCase().replaceAll("-", "_")}`;

/** Refuses a variable that no flag reads: a misspelt one would do nothing in silence. */
const checkVariables = (env: Readonly<Record<string, string | undefined>>): void => {
  const known = new Set(Object.keys(FLAGS).map(variableOf));
  const unknown = Object.keys(env).find(
    (name) => name.startsWith(variableOf("")) && !known.has(name),
  );
  if (unknown !== undefined) throw new Error(`there is no option for the variable ${unknown}`);
};

const truth = (name: string, value: string | undefined): boolean | undefined => {
  if (value === undefined || value === "") return undefined;
  if (value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  throw new Error(`${name} is none of 1, 0, true, false`);
};

const wholeNumber = (name: string, value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  if (!/^\d{1,15}$/u.test(value)) throw new Error(`${name} ${value} is not a whole number`);
  return Number(value);
};

/** A time that something may take, in milliseconds. */
const millisOf = (name: string, value: string | undefined): number | undefined => {
  const seconds = wholeNumber(name, value);
  if (seconds === undefined) return undefined;
  if (seconds > 0 && seconds <= MOST_SECONDS) return seconds * 1000;
  throw new Error(`${name} ${value} is none of 1 to ${MOST_SECONDS} seconds`);
};

/** A day: timers take no more than 24 of them. */
const MOST_SECONDS = 86_400;

/** The document of a file; what it is checked with is loaded only then. */
const documentOf = async <A>(
  file: string | undefined,
  kind: "ClientsDocument" | "ConfigDocument" | "RatePolicies" | "WordsDocument",
): Promise<A | undefined> => {
  if (file === undefined) return undefined;
  const documents = await import("./optionDocuments.ts");
  return (await readDocument(file, documents[kind])) as A;
};

/** A profile by its name, or policies in a file. */
const ratesOf = async (value: string | undefined): Promise<SandboxOptions["rates"]> =>
  value?.endsWith(".json") === true
    ? documentOf(value, "RatePolicies")
    : (value as SandboxOptions["rates"]);

/** Reads a file. Throws an `Error` that says what is wrong with it. */
const readDocument = async (file: string, document: Document<unknown>): Promise<unknown> => {
  const { formatIssues, issuesOf } = await import("./internal/document.ts");
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch (cause) {
    throw new Error(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  const issues = issuesOf(document, value);
  if (issues.length > 0) throw new Error(`${file}: ${formatIssues(issues)}`);
  return value;
};

/** Sizes of the world from `name=value` pairs. */
const worldOf = async (
  pairs: ReadonlyArray<string> | undefined,
): Promise<SandboxOptions["world"]> => {
  if (pairs === undefined) return undefined;
  const [{ Sizes }, { nearestOf }] = await Promise.all([
    import("./optionDocuments.ts"),
    import("./internal/document.ts"),
  ]);
  const names = Object.keys(Sizes.schema.properties ?? {});
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = "", value = ""] = pair.split("=");
      if (!names.includes(name)) {
        const nearest = nearestOf(name, names);
        throw new Error(
          `--world: there is no ${name}${nearest === undefined ? `, only ${names.join(", ")}` : `; did you mean ${nearest}?`}`,
        );
      }
      return [name, wholeNumber(`--world ${name}`, value)];
    }),
  );
};
