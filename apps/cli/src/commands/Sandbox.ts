/**
 * `gamedata sandbox`: the service on this machine, for development and tests.
 */
import { command, commands, help } from "./command.ts";
import { ChildExit } from "@game-data/terminal/Failure";
import { fromTag } from "@game-data/terminal/toFailure";
import { omitUndefined, textFlag, numberFlag } from "@game-data/terminal/flags";
import { readJson } from "@game-data/terminal/Input";
import { printError, printLine } from "@game-data/terminal/Output";
import { styled } from "@game-data/terminal/View";
import type { ExecError, SandboxOptions } from "@game-data/sandbox";
import { Effect, Layer } from "effect";
import { Argument, type Command, Flag } from "effect/cli";

const worldFlags = {
  port: numberFlag(
    "port",
    "Port of the OAuth server; the others use the next two (default: free ports)",
    0,
  ),
  seed: numberFlag("seed", "Seed of the generated world (default: 1)", 1),
  file: textFlag("file", "SQLite file that keeps the state (default: memory)"),
  words: textFlag("words", "JSON file with a deployment's names of realms"),
  now: textFlag("now", "Time of the clock at the first start (ISO 8601)"),
  rates: Flag.Literals("rates", ["generous", "realistic", "off"]).pipe(
    Flag.withDescription("Rate limits (default: generous)"),
    Flag.withDefault("generous" as const),
  ),
};

/** Makes the options of the sandbox from the flags. */
const optionsOf = Effect.fnUntraced(function* (
  flags: Command.Command.Config.Infer<typeof worldFlags>,
) {
  const { file, now, words: wordsFile, ...rest } = flags;
  const { words } = omitUndefined({ words: wordsFile });
  const options: SandboxOptions = { ...rest, ...omitUndefined({ file, now }) };
  if (words === undefined) return options;
  return { ...options, words: (yield* readJson(words)) as SandboxOptions["words"] };
});

const NEXT: Partial<Record<ExecError["_tag"], string>> = {
  SandboxStartError: "see the options with: gamedata sandbox run --help",
  UnknownClient: "set --client to one of these",
};

const notStarted = (error: ExecError) => fromTag(error, NEXT[error._tag]);

const runCommand = command(
  "run",
  help(
    "Run the service on this machine until Ctrl-C. Prints its addresses, clients and accounts as one\nline of JSON. Not for production.",
    {
      "gamedata sandbox run --port 4010": "On ports 4010 to 4012",
      "gamedata sandbox run --rates realistic": "With strict rate limits",
    },
  ),
  worldFlags,
  Effect.fnUntraced(function* (flags) {
    const options = yield* optionsOf(flags);
    const { Sandbox } = yield* Effect.promise(() => import("@game-data/sandbox"));
    const services = yield* Effect.mapError(Layer.build(Sandbox.layer(options)), notStarted);
    const { accounts, authUrl, baseUrl, clients, controlUrl } = yield* Effect.provideContext(
      Sandbox,
      services,
    );
    yield* printLine(JSON.stringify({ authUrl, baseUrl, controlUrl, clients, accounts }));
    yield* printError(
      `${styled("bold", "The sandbox is for development and tests, not for production.")}
OAuth server   ${authUrl}
data API       ${baseUrl}
control plane  ${controlUrl}
In another terminal:
  export GAME_DATA_AUTH_URL=${authUrl} GAME_DATA_BASE_URL=${baseUrl} GAME_DATA_CLIENT_ID=example-desktop
  gamedata login
Press Ctrl-C to stop.`,
    );
    yield* Effect.never;
  }),
);

const execCommand = command(
  "exec",
  help(
    "Run a program against its own sandbox, with GAME_DATA_AUTH_URL, _BASE_URL, _CONTROL_URL, _CLIENT_ID\nand _CLIENT_SECRET set to it, and exit with the program's exit code.",
    {
      "gamedata sandbox exec -- npm test": "Run tests against the service",
      "gamedata sandbox exec -- gamedata whoami": "Try a command",
    },
  ),
  {
    ...worldFlags,
    client: Flag.String("client").pipe(
      Flag.withDescription("Client whose id and secret are set (default: example-web)"),
      Flag.withDefault("example-web"),
    ),
    command: Argument.String("command").pipe(
      Argument.withDescription("Program to run and its arguments, after --"),
      Argument.atLeast(1),
    ),
  },
  Effect.fnUntraced(function* ({ client: clientId, command: words, ...flags }) {
    const sandbox = yield* optionsOf(flags);
    const { exec } = yield* Effect.promise(() => import("@game-data/sandbox/exec"));
    const [program = "", ...args] = words;
    const exitCode = yield* exec([program, ...args], { sandbox, clientId }).pipe(
      Effect.mapError(notStarted),
    );
    if (exitCode !== 0) return yield* new ChildExit({ exitCode });
  }),
);

/** The command and its subcommands. */
export const sandboxCommand = commands(
  "sandbox",
  "Run the service on this machine, for development and tests",
  [runCommand, execCommand],
);
