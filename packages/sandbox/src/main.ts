#!/usr/bin/env node
/**
 * `game-data-sandbox`: the sandbox as a program.
 *
 * When it is ready it prints one line of JSON on stdout (addresses, clients with their secrets,
 * accounts) and nothing else there, ever; on a terminal a readable banner goes to stderr. It runs
 * until SIGTERM or SIGINT, and then leaves no request half answered. `exec` runs another program
 * against a sandbox that ends with it, and ends with that program's exit code.
 */
import module from "node:module";
import type { SandboxInfo } from "./assemble.ts";
import type { CommandLine } from "./commandLine.ts";

const usage = (options: string): string =>
  `game-data-sandbox: the Game Data service for development and tests. Not for production.

${options}  --config FILE         JSON with any of these options under the names of SandboxOptions
  --help                this text

Each may come from the environment as well: GAME_DATA_SANDBOX_PORT, GAME_DATA_SANDBOX_SEED, …; a flag wins over it, and it over --config.

game-data-sandbox exec [the same] [--client ID] -- PROGRAM …
  runs a program that finds the service in GAME_DATA_AUTH_URL, _BASE_URL, _CONTROL_URL, _CLIENT_ID, _CLIENT_SECRET, _TOKENS
game-data-sandbox audit [the same] [--scenario NAME]… [--timeout SECONDS] [--for SECONDS] [--require A09,… | scenarios]
    [--json] [--junit FILE] -- PROGRAM …
  runs a program without faults, then through scenarios, and reports which rules of the service it broke;
  --for ends a service after so long. Exit codes: 0, 3 a rule was broken, 4 a required rule was not
  exercised, 5 the program fails without faults
game-data-sandbox scenarios [NAME]
  lists the scenarios, or prints one
game-data-sandbox conformance [--words FILE]
  examines the service in GAME_DATA_AUTH_URL and _BASE_URL with the client credentials of GAME_DATA_CLIENT_ID and
  _CLIENT_SECRET. Exit codes: 0, 3 its responses deviate from the contract
`;

/** Exit codes of sysexits.h. */
const EX_USAGE = 64;
const EX_UNAVAILABLE = 69;
const EX_CONFIG = 78;
const EXIT_CODES: Readonly<Record<string, number>> = {
  ProgramNotStarted: 66,
  UnknownClient: EX_USAGE,
  WrongUsage: EX_USAGE,
};
/** 128 and the number of SIGINT. */
const EX_INTERRUPTED = 130;

const fail = (code: number, cause: unknown): never => {
  const message = cause instanceof Error ? cause.message : String(cause);
  process.stderr.write(`game-data-sandbox: ${message}\n`);
  process.exit(code);
};

const banner = (sandbox: SandboxInfo): string => `
  Game Data sandbox: for development and tests, NOT FOR PRODUCTION

    OAuth server    ${sandbox.authUrl}
    data API        ${sandbox.baseUrl}
    control plane   ${sandbox.controlUrl}
    applications    ${sandbox.authUrl}/my/applications

${sandbox.clients.map((client) => `    ${client.kind.padEnd(13)} ${client.clientId}`).join("\n")}

`;

/** Returns a signal that aborts at SIGTERM or SIGINT. */
const stopSignal = (): AbortSignal => {
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop.abort());
  return stop.signal;
};

/** Runs each command and returns its exit code. A command loads its modules when it runs. */
const COMMANDS: Readonly<
  Record<CommandLine["command"], (line: CommandLine, signal: AbortSignal) => Promise<number>>
> = {
  help: async () => {
    const { optionsHelp } = await import("./commandLine.ts");
    process.stderr.write(usage(optionsHelp()));
    return 0;
  },
  run: async ({ options }, signal) => {
    const [{ LOG_TO_STDERR, serve }, Effect] = await Promise.all([
      import("./Sandbox.ts"),
      import("effect/Effect"),
    ]);
    const program = Effect.gen(function* () {
      const { info } = yield* serve(options);
      process.stdout.write(`${JSON.stringify(info)}\n`);
      if (process.stderr.isTTY) process.stderr.write(banner(info));
      return yield* Effect.never;
    }).pipe(Effect.scoped, Effect.provide(LOG_TO_STDERR));
    await Effect.runPromise(program, { signal }).catch((cause: unknown) => {
      if (!signal.aborted) throw cause;
    });
    return 0;
  },
  exec: async ({ flags, options: sandbox, rest }, signal) => {
    const [{ exec }, Effect] = await Promise.all([import("./Exec.ts"), import("effect/Effect")]);
    const command = rest as [string, ...Array<string>];
    return Effect.runPromise(exec(command, { sandbox, clientId: flags.client, signal }));
  },
  audit: async (line, signal) => (await import("./audit/command.ts")).auditCommand(line, signal),
  scenarios: async (line) => {
    (await import("./audit/command.ts")).printScenarios(line);
    return 0;
  },
  conformance: async ({ options }, signal) =>
    (await import("./conformance/command.ts")).conformanceCommand(options.words, signal),
};

// Check the version before any import that an old Node cannot load, so that it shows this message.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19))
  fail(EX_CONFIG, `needs Node 22.19 or later; this is Node ${process.versions.node}.`);
module.enableCompileCache();
const { readCommandLine } = await import("./commandLine.ts");
let line: CommandLine;
try {
  line = readCommandLine(process.argv.slice(2), process.env);
} catch (cause) {
  fail(EX_USAGE, `${(cause as Error).message} (--help lists the options)`);
}
const signal = stopSignal();
try {
  const code = await COMMANDS[line!.command](line!, signal);
  process.stdout.write("", () => process.exit(code));
} catch (cause) {
  const { _tag = "" } = cause as { readonly _tag?: string };
  fail(signal.aborted ? EX_INTERRUPTED : (EXIT_CODES[_tag] ?? EX_UNAVAILABLE), cause);
}
