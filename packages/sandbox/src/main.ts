#!/usr/bin/env node
/**
 * `game-data-sandbox`: the sandbox as a program.
 *
 * When it is ready it prints one line of JSON on stdout (addresses, clients with their secrets,
 * accounts) and nothing else there, ever; on a terminal a readable banner goes to stderr. It runs
 * until SIGTERM or SIGINT, and then leaves no request half answered. `exec` runs another program
 * against a sandbox that ends with it, and ends with that program's exit code.
 */
import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import process from "node:process";
import { parseArgs } from "node:util";
import type { WordsInput } from "@game-data/contract";
import type { SandboxOptions } from "./Config.ts";
import type { RunningSandbox } from "./StartSandbox.ts";

const USAGE = `game-data-sandbox: the Game Data service for development and tests. Not for production.

  --port N         port of the OAuth server; data API and control plane take N+1 and N+2 (default 0: any free ports)
  --host ADDRESS   address to bind (default 127.0.0.1)
  --allow-remote   permit an address that other machines can reach
  --allow-host N   answer under this host name too (may be repeated)
  --seed N         seed of the world (default: that of the file, or 1)
  --file FILE      keep state in a SQLite file (default: in memory)
  --now INSTANT    where the clock stands at the first start (ISO 8601; default: the present)
  --words FILE     JSON with the deployment's own words for realms and fields
  --replay DIR     serve captured pages and records from a folder
  --rates PROFILE  rate policies to start with
  --help           this text

game-data-sandbox exec [the same] [--client ID] -- PROGRAM …
  runs a program that finds the service in GAME_DATA_AUTH_URL, _BASE_URL, _CONTROL_URL, _CLIENT_ID, _CLIENT_SECRET, _TOKENS
`;

/**
 * Exit codes of sysexits.h: wrong usage, a program that is not there, and a service that cannot
 * start.
 */
const EX_USAGE = 64;
const EX_NOINPUT = 66;
const EX_UNAVAILABLE = 69;
/** As shells have it for Ctrl-C. */
const EX_INTERRUPTED = 130;

const fail = (code: number, message: string): never => {
  process.stderr.write(`game-data-sandbox: ${message}\n`);
  process.exit(code);
};

/** What the command line asks for. */
interface Asked {
  readonly options: SandboxOptions;
  /** The program to run, with `exec`. */
  readonly command: ReadonlyArray<string> | undefined;
  readonly clientId: string | undefined;
}

const readArguments = async (): Promise<Asked> => {
  const [first, ...rest] = process.argv.slice(2);
  const isExec = first === "exec";
  const { positionals, values } = parseArgs({
    args: isExec ? rest : process.argv.slice(2),
    allowPositionals: isExec,
    options: {
      client: { type: "string" },
      port: { type: "string" },
      host: { type: "string" },
      "allow-remote": { type: "boolean" },
      "allow-host": { type: "string", multiple: true },
      seed: { type: "string" },
      file: { type: "string" },
      now: { type: "string" },
      words: { type: "string" },
      replay: { type: "string" },
      rates: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stderr.write(USAGE);
    process.exit(0);
  }
  if (values.now !== undefined && Number.isNaN(Date.parse(values.now))) {
    throw new Error(`--now ${values.now} is not an instant`);
  }
  if (isExec && positionals.length === 0) throw new Error("exec: which program?");
  if (!isExec && values.client !== undefined) throw new Error("--client is for exec");
  const options = {
    port: wholeNumber("--port", values.port),
    host: values.host,
    allowRemote: values["allow-remote"],
    hosts: values["allow-host"],
    seed: wholeNumber("--seed", values.seed),
    file: values.file,
    now: values.now,
    words: values.words === undefined ? undefined : await readWords(values.words),
    replay: values.replay,
    rates: values.rates as SandboxOptions["rates"],
  };
  return { options, command: isExec ? positionals : undefined, clientId: values.client };
};

const wholeNumber = (flag: string, value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  if (!/^\d{1,15}$/u.test(value)) throw new Error(`${flag} ${value} is not a whole number`);
  return Number(value);
};

/** The words of a file, which are refused here already if they are none. */
const readWords = async (file: string): Promise<SandboxOptions["words"]> => {
  const { makeWords } = await import("@game-data/contract");
  return makeWords(JSON.parse(readFileSync(file, "utf8")) as WordsInput);
};

const banner = (sandbox: RunningSandbox): string => `
  Game Data sandbox: for development and tests, NOT FOR PRODUCTION

    OAuth server    ${sandbox.authUrl}
    data API        ${sandbox.baseUrl}
    control plane   ${sandbox.controlUrl}
    applications    ${sandbox.authUrl}/my/applications

${sandbox.clients.map((client) => `    ${client.kind.padEnd(13)} ${client.clientId}`).join("\n")}

`;

const run = async (): Promise<void> => {
  const { clientId, command, options } = await readArguments().catch((cause: unknown) =>
    fail(EX_USAGE, `${messageOf(cause)}\n\n${USAGE}`),
  );
  enableCompileCache();
  if (command !== undefined)
    return execute(command as [string, ...Array<string>], options, clientId);
  // Loaded once the call is known to make sense: usage and its errors then come at once.
  const { startSandbox } = await import("./StartSandbox.ts");
  const sandbox = await startSandbox(options).catch((cause: unknown) =>
    fail(EX_UNAVAILABLE, messageOf(cause)),
  );
  let isClosing = false;
  const stop = (): void => {
    if (isClosing) return;
    isClosing = true;
    void sandbox.close().then(() => process.exit(0));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);

  const { authUrl, baseUrl, controlUrl, clients, accounts } = sandbox;
  process.stdout.write(`${JSON.stringify({ authUrl, baseUrl, controlUrl, clients, accounts })}\n`);
  if (process.stderr.isTTY) process.stderr.write(banner(sandbox));
};

const execute = async (
  command: readonly [string, ...Array<string>],
  sandbox: SandboxOptions,
  clientId: string | undefined,
): Promise<void> => {
  const [{ exec }, Effect] = await Promise.all([import("./Exec.ts"), import("effect/Effect")]);
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => stop.abort());
  const { signal } = stop;
  const code = await Effect.runPromise(exec(command, { sandbox, clientId }), { signal }).catch(
    (cause: { readonly _tag?: string }) => {
      if (signal.aborted) return EX_INTERRUPTED;
      return fail(
        cause._tag === "ProgramNotStarted"
          ? EX_NOINPUT
          : cause._tag === "UnknownClient"
            ? EX_USAGE
            : EX_UNAVAILABLE,
        messageOf(cause),
      );
    },
  );
  process.exit(code);
};

const messageOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);

await run();
