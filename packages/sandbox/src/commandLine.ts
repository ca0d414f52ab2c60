/**
 * Reads the options of a sandbox from flags, the environment and a file (`--config`).
 *
 * A flag wins over its environment variable, and that over the file. Everything is strict: an
 * unknown member of a file is refused with its place and the nearest known one.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { SandboxOptions } from "./Config.ts";
import { ClientBody } from "./control/documents.ts";
import {
  anyOf,
  dictionary,
  type Document,
  flag,
  formatIssues,
  integer,
  issuesOf,
  list,
  nearestOf,
  object,
  optional,
  text,
  words,
} from "./internal/document.ts";
import { RatePolicies } from "./rates/RatePolicy.ts";

const size = optional(integer({ minimum: 0 }));

/** Sizes of the generated world. */
const World = object({
  streamStashes: size,
  streamPageSize: size,
  streamItems: size,
  streamHistoryPages: size,
  streamChangesPerMinute: size,
  exchangeHistoryHours: size,
  exchangeKeepHours: size,
  exchangePairs: size,
  ladderSize: size,
});

const profile = words("generous", "realistic", "off");

/** The document of `--config`: `SandboxOptions` as JSON. */
export const ConfigDocument = object({
  port: optional(integer()),
  singlePort: optional(flag),
  host: optional(text()),
  allowRemote: optional(flag),
  controlKey: optional(text({ minLength: 16 })),
  publicUrl: optional(text()),
  hosts: optional(list(text())),
  seed: optional(integer()),
  file: optional(text()),
  now: optional(text()),
  words: optional(dictionary(text())),
  replay: optional(text()),
  rates: optional(anyOf(profile, RatePolicies)),
  world: optional(World),
  clients: optional(list(ClientBody)),
  tokenOrigins: optional(list(text())),
  issuer: optional(flag),
  throttle: optional(flag),
  refreshGraceMillis: optional(integer({ minimum: 0 })),
  journal: optional(integer({ minimum: 1 })),
});

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
  rates: { type: "string" },
  world: { type: "string", multiple: true },
  clients: { type: "string" },
  "token-origin": { type: "string", multiple: true },
  issuer: { type: "boolean" },
  "no-throttle": { type: "boolean" },
  "refresh-grace": { type: "string" },
  journal: { type: "string" },
  help: { type: "boolean" },
  // Of `exec`.
  client: { type: "string" },
} as const;

type Values = ReturnType<
  typeof parseArgs<{ options: typeof FLAGS; allowPositionals: true }>
>["values"];

/** What the command line asks for. */
export interface CommandLine {
  readonly command: "run" | "exec" | "help";
  readonly options: SandboxOptions;
  /** The program to run and its arguments, or the name of a scenario. */
  readonly rest: ReadonlyArray<string>;
  readonly clientId: string | undefined;
}

const COMMANDS = ["exec"] as const;

/** Reads the command line. Throws an `Error` that says what is wrong with it. */
export const readCommandLine = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>,
): CommandLine => {
  const command = COMMANDS.find((name) => name === args[0]) ?? "run";
  const { positionals, values } = parseArgs({
    args: [...(command === "run" ? args : args.slice(1))],
    allowPositionals: command !== "run",
    options: FLAGS,
  });
  const asked = {
    rest: positionals,
    clientId: values.client,
  };
  if (values.help === true) return { ...asked, command: "help", options: {} };
  if (command === "exec" && positionals.length === 0) throw new Error("exec: which program?");
  if (command !== "exec" && values.client !== undefined) throw new Error("--client is for exec");
  return { ...asked, command, options: readOptions(values, env) };
};

const readOptions = (
  values: Values,
  env: Readonly<Record<string, string | undefined>>,
): SandboxOptions => {
  const flagOf = (name: keyof typeof FLAGS): string | undefined => {
    const value = values[name];
    return typeof value === "string" ? value : env[variableOf(name)];
  };
  const switchOf = (name: keyof typeof FLAGS): boolean | undefined =>
    values[name] === true ? true : truth(variableOf(name), env[variableOf(name)]);
  const listOf = (name: "allow-host" | "token-origin" | "world") =>
    values[name] ?? env[variableOf(name)]?.split(",");
  const numberOf = (name: keyof typeof FLAGS) => wholeNumber(`--${name}`, flagOf(name));
  const fileOf = <A>(name: keyof typeof FLAGS, document: Document<A>): A | undefined => {
    const file = flagOf(name);
    return file === undefined ? undefined : readDocument(file, document);
  };

  const now = flagOf("now");
  if (now !== undefined && Number.isNaN(Date.parse(now)))
    throw new Error(`--now ${now} is not an instant`);
  const noThrottle = switchOf("no-throttle");
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
    words: fileOf("words", dictionary(text())),
    replay: flagOf("replay"),
    rates: ratesOf(flagOf("rates")),
    world: worldOf(listOf("world")),
    clients: fileOf("clients", list(ClientBody)),
    tokenOrigins: listOf("token-origin"),
    issuer: switchOf("issuer"),
    throttle: noThrottle === undefined ? undefined : !noThrottle,
    refreshGraceMillis: numberOf("refresh-grace"),
    journal: numberOf("journal"),
  };
  const config = fileOf("config", ConfigDocument) ?? {};
  return {
    ...(config as SandboxOptions),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
};

/** `GAME_DATA_SANDBOX_SINGLE_PORT` for `--single-port`. */
const variableOf = (flagName: string): string =>
  `GAME_DATA_SANDBOX_${flagName.toUpperCase().replaceAll("-", "_")}`;

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

const readDocument = <A>(file: string, document: Document<A>): A => {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch (cause) {
    throw new Error(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  const issues = issuesOf(document, value);
  if (issues.length > 0) throw new Error(`${file}: ${formatIssues(issues)}`);
  return value as A;
};

/** A profile by its name, or policies in a file. */
const ratesOf = (value: string | undefined): SandboxOptions["rates"] =>
  value?.endsWith(".json") === true
    ? (readDocument(value, RatePolicies) as SandboxOptions["rates"])
    : (value as SandboxOptions["rates"]);

const worldOf = (pairs: ReadonlyArray<string> | undefined): SandboxOptions["world"] => {
  if (pairs === undefined) return undefined;
  const names = Object.keys(World.schema.properties ?? {});
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
