/**
 * `gamedata sandbox`: the service itself on this machine, to try things out and to test against.
 */
import { ChildEnded } from "@game-data/terminal/Failure";
import { fromTag } from "@game-data/terminal/toFailure";
import { given, textFlag } from "@game-data/terminal/Flags";
import { readJson } from "@game-data/terminal/Input";
import { line, note, styled } from "@game-data/terminal/Output";
import type { ExecError, SandboxOptions } from "@game-data/sandbox";
import { Effect, Layer } from "effect";
import { Argument, Command, Flag } from "effect/cli";

const worldFlags = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port of the OAuth server; the next two follow (default: any free ones)"),
    Flag.withDefault(0),
  ),
  seed: Flag.Int("seed").pipe(Flag.withDescription("Seed of the world"), Flag.withDefault(1)),
  file: textFlag("file", "Keep the state in a SQLite file"),
  words: textFlag("words", "JSON file with the deployment's own words"),
  replay: textFlag("replay", "Folder of captured pages and records to serve"),
  now: textFlag("now", "Where the clock stands at the first start (ISO 8601)"),
  rates: Flag.Literals("rates", ["generous", "realistic", "off"]).pipe(
    Flag.withDescription("Rate limits to start with"),
    Flag.withDefault("generous" as const),
  ),
};

/** The sandbox that the flags ask for. */
const optionsOf = Effect.fnUntraced(function* (
  flags: Command.Command.Config.Infer<typeof worldFlags>,
) {
  const { file, now, replay, words: wordsFile, ...rest } = flags;
  const { words } = given({ words: wordsFile });
  const options: SandboxOptions = { ...rest, ...given({ file, now, replay }) };
  if (words === undefined) return options;
  return { ...options, words: (yield* readJson(words)) as SandboxOptions["words"] };
});

const NEXT: Partial<Record<ExecError["_tag"], string>> = {
  SandboxStartError: "see what it takes with: gamedata sandbox run --help",
  UnknownClient: "give --client one of these",
};

const notStarted = (error: ExecError) => fromTag("@game-data/sandbox", error, NEXT[error._tag]);

const runCommand = Command.make(
  "run",
  worldFlags,
  Effect.fnUntraced(function* (flags) {
    const options = yield* optionsOf(flags);
    const { Sandbox } = yield* Effect.promise(() => import("@game-data/sandbox"));
    const services = yield* Effect.mapError(Layer.build(Sandbox.layer(options)), notStarted);
    const { accounts, authUrl, baseUrl, clients, controlUrl } = yield* Effect.provideContext(
      Sandbox,
      services,
    );
    yield* line(JSON.stringify({ authUrl, baseUrl, controlUrl, clients, accounts }));
    yield* note(
      `${styled("bold", "The sandbox is for development and tests, not for production.")}
OAuth server   ${authUrl}
data API       ${baseUrl}
control plane  ${controlUrl}
Try it from another terminal:
  export GAME_DATA_AUTH_URL=${authUrl} GAME_DATA_BASE_URL=${baseUrl} GAME_DATA_CLIENT_ID=example-desktop
  gamedata login
Ctrl-C ends it.`,
    );
    yield* Effect.never;
  }),
).pipe(Command.withDescription("Run it until Ctrl-C; prints addresses and clients as JSON"));

const execCommand = Command.make(
  "exec",
  {
    ...worldFlags,
    client: Flag.String("client").pipe(
      Flag.withDescription("The seeded client whose id and secret to set"),
      Flag.withDefault("example-web"),
    ),
    command: Argument.String("command").pipe(
      Argument.withDescription("The program to run, and its arguments, after --"),
      Argument.atLeast(1),
    ),
  },
  Effect.fnUntraced(function* ({ client: clientId, command, ...flags }) {
    const sandbox = yield* optionsOf(flags);
    const { exec } = yield* Effect.promise(() => import("@game-data/sandbox/exec"));
    const [program = "", ...args] = command;
    const exitCode = yield* exec([program, ...args], { sandbox, clientId }).pipe(
      Effect.mapError(notStarted),
    );
    if (exitCode !== 0) return yield* new ChildEnded({ exitCode });
  }),
).pipe(
  Command.withDescription("Run a program against a sandbox of its own; its exit code is passed on"),
  Command.withExamples([
    {
      command: "gamedata sandbox exec -- npm test",
      description: "Tests find the service in GAME_DATA_AUTH_URL, _BASE_URL, _CONTROL_URL, …",
    },
    { command: "gamedata sandbox exec -- gamedata whoami", description: "This program itself" },
  ]),
);

/** The command and its subcommands. */
export const sandboxCommand = Command.make("sandbox").pipe(
  Command.withDescription("The service on this machine, for development and tests"),
  Command.withSubcommands([runCommand, execCommand]),
);
