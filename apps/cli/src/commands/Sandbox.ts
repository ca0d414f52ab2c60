/**
 * `gamedata sandbox`: the service itself on this machine, to try things out and to test against.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxOptions } from "@game-data/sandbox";
import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { ChildEnded, failure } from "@game-data/cli-kit/Failure";
import { readJson } from "@game-data/cli-kit/Input";
import { line, note, styled } from "@game-data/cli-kit/Output";

const worldFlags = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Port of the OAuth server; the next two follow (default: any free ones)"),
    Flag.withDefault(0),
  ),
  seed: Flag.Int("seed").pipe(Flag.withDescription("Seed of the world"), Flag.withDefault(1)),
  file: Flag.String("file").pipe(
    Flag.withDescription("Keep the state in a SQLite file"),
    Flag.optional,
  ),
  words: Flag.String("words").pipe(
    Flag.withDescription("JSON file with the deployment's own words"),
    Flag.optional,
  ),
  replay: Flag.String("replay").pipe(
    Flag.withDescription("Folder of captured pages and records to serve"),
    Flag.optional,
  ),
  now: Flag.String("now").pipe(
    Flag.withDescription("Where the clock stands at the first start (ISO 8601)"),
    Flag.optional,
  ),
  rates: Flag.Literals("rates", ["generous", "realistic", "off"]).pipe(
    Flag.withDescription("Rate limits to start with"),
    Flag.withDefault("generous" as const),
  ),
};

interface WorldFlags {
  readonly port: number;
  readonly seed: number;
  readonly file: Option.Option<string>;
  readonly words: Option.Option<string>;
  readonly replay: Option.Option<string>;
  readonly now: Option.Option<string>;
  readonly rates: "generous" | "realistic" | "off";
}

/** A running sandbox, closed with the scope. */
const start = Effect.fnUntraced(function* (flags: WorldFlags) {
  const { startSandbox } = yield* Effect.promise(() => import("@game-data/sandbox"));
  const words = Option.isSome(flags.words) ? yield* readJson(flags.words.value) : undefined;
  const options: SandboxOptions = {
    port: flags.port,
    seed: flags.seed,
    rates: flags.rates,
    file: Option.getOrUndefined(flags.file),
    replay: Option.getOrUndefined(flags.replay),
    now: Option.getOrUndefined(flags.now),
    words: words as SandboxOptions["words"],
  };
  return yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => startSandbox(options),
      catch: (cause) =>
        failure("setting-invalid", `The sandbox does not start: ${(cause as Error).message}`, {
          next: "see what it takes with: gamedata sandbox run --help",
        }),
    }),
    (sandbox) => Effect.promise(() => sandbox.close()),
  );
});

const runCommand = Command.make("run", worldFlags, (flags) =>
  Effect.gen(function* () {
    const { accounts, authUrl, baseUrl, clients, controlUrl } = yield* start(flags);
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
    const sandbox = yield* start(flags);
    const client = sandbox.clients.find((each) => each.clientId === clientId);
    if (client === undefined)
      return yield* failure("setting-invalid", `The sandbox has no client ${clientId}.`, {
        next: `choose one of ${sandbox.clients.map((each) => each.clientId).join(", ")}`,
      });
    // Tokens of a world that ends with the command are not left among the user's own.
    const tokens = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "gamedata-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
    );
    const { GAME_DATA_CLIENT_SECRET: _, GAME_DATA_TOKEN: __, ...inherited } = process.env;
    const exitCode = yield* execute(command, {
      ...inherited,
      GAME_DATA_AUTH_URL: sandbox.authUrl,
      GAME_DATA_BASE_URL: sandbox.baseUrl,
      GAME_DATA_CONTROL_URL: sandbox.controlUrl,
      GAME_DATA_CLIENT_ID: client.clientId,
      GAME_DATA_TOKENS: tokens,
      ...(client.clientSecret !== undefined && { GAME_DATA_CLIENT_SECRET: client.clientSecret }),
      ...(Option.isSome(flags.words) && { GAME_DATA_WORDS: flags.words.value }),
    });
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

/** Runs a program on this terminal. Its exit code, or as shells have it 128 and the number of the signal that ended it. */
const execute = (command: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
  Effect.callback<number, ReturnType<typeof failure>>((resume) => {
    const [program = "", ...args] = command;
    const child = spawn(program, args, { env, stdio: "inherit" });
    child.once("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(failure("no-such-command", `${program} cannot be run (${error.code}).`))),
    );
    child.once("close", (code, signal) =>
      resume(Effect.succeed(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))),
    );
    // Ctrl-C reaches the child from the terminal as well; whatever it makes of it, its end is waited for.
    return Effect.callback<void>((ended) => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
        return ended(Effect.void);
      child.once("close", () => ended(Effect.void));
      child.kill("SIGTERM");
    });
  });

/** The command and its subcommands. */
export const sandboxCommand = Command.make("sandbox").pipe(
  Command.withDescription("The service on this machine, for development and tests"),
  Command.withSubcommands([runCommand, execCommand]),
);
