/**
 * Runs a program against a sandbox of its own: start, tell the program by its environment where the
 * service is, wait for its end, stop.
 *
 * For test commands and for trying things out; a test that wants to talk to the sandbox itself
 * starts one with `startSandbox`. Tokens of a world that ends with the program are not left among
 * the user's own: they go to a folder that ends with it too.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { SandboxOptions } from "./Config.ts";
import { type ExecError, ProgramNotStarted, UnknownClient } from "./Errors.ts";
import { serve } from "./Sandbox.ts";
import type { SandboxInfo } from "./StartSandbox.ts";

/** How a program is run. */
export interface ExecOptions {
  /** The sandbox to start. */
  readonly sandbox?: SandboxOptions | undefined;
  /** The seeded client whose id and secret the program gets. Default: `example-web`. */
  readonly clientId?: string | undefined;
  /** The environment that the program's own is made of. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Runs `command` with a sandbox around it, on the terminal of this process. Succeeds with the exit
 * code; as shells have it, 128 and the number of the signal when one ended the program.
 * Interruption ends the program with SIGTERM and waits for it.
 */
export const exec = (
  command: readonly [program: string, ...args: Array<string>],
  { clientId = "example-web", env = process.env, sandbox: options }: ExecOptions = {},
): Effect.Effect<number, ExecError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sandbox = yield* serve(options ?? {});
      const folder = yield* temporaryFolder;
      const own = yield* environmentOf(sandbox, clientId, folder);
      writeFileSync(join(folder, "config.json"), "{}");
      const words = options?.words;
      if (words !== undefined) {
        own["GAME_DATA_WORDS"] = join(folder, "words.json");
        writeFileSync(own["GAME_DATA_WORDS"], JSON.stringify(words));
      }
      return yield* run(command, { ...without(env, OF_ELSEWHERE), ...own });
    }),
  );

/** Settings that speak of another service, which the program must not mix with this one. */
const OF_ELSEWHERE = [
  "GAME_DATA_CLIENT_SECRET",
  "GAME_DATA_PROFILE",
  "GAME_DATA_TOKEN",
  "GAME_DATA_WORDS",
];

const without = (env: NodeJS.ProcessEnv, names: ReadonlyArray<string>): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));

/**
 * What tells a program where the service is and who it is: `GAME_DATA_AUTH_URL`, `_BASE_URL`,
 * `_CONTROL_URL`, `_CLIENT_ID`, `_CLIENT_SECRET`, `_TOKENS`, a folder for its tokens, and
 * `_CONFIG`, a configuration file that says nothing.
 */
const environmentOf = (
  { authUrl, baseUrl, clients, controlKey, controlUrl }: SandboxInfo,
  clientId: string,
  folder: string,
): Effect.Effect<Record<string, string>, UnknownClient> => {
  const client = clients.find((each) => each.clientId === clientId);
  if (client === undefined)
    return Effect.fail(
      new UnknownClient({ clientId, known: clients.map((each) => each.clientId) }),
    );
  return Effect.succeed({
    GAME_DATA_AUTH_URL: authUrl,
    GAME_DATA_BASE_URL: baseUrl,
    GAME_DATA_CONTROL_URL: controlUrl,
    GAME_DATA_CLIENT_ID: clientId,
    GAME_DATA_CONFIG: join(folder, "config.json"),
    GAME_DATA_TOKENS: join(folder, "tokens"),
    ...(client.clientSecret !== undefined && { GAME_DATA_CLIENT_SECRET: client.clientSecret }),
    ...(controlKey !== undefined && { GAME_DATA_CONTROL_KEY: controlKey }),
  });
};

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "game-data-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
);

const run = (
  [program, ...args]: readonly [string, ...Array<string>],
  env: NodeJS.ProcessEnv,
): Effect.Effect<number, ProgramNotStarted> =>
  Effect.callback<number, ProgramNotStarted>((resume) => {
    const child = spawn(program, args, { env, stdio: "inherit" });
    child.once("error", ({ code, message }: NodeJS.ErrnoException) =>
      resume(Effect.fail(new ProgramNotStarted({ program, reason: code ?? message }))),
    );
    child.once("close", (code, signal) =>
      resume(Effect.succeed(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))),
    );
    // Ctrl-C reaches the child from the terminal as well; whatever it makes of it, its end is
    // waited for.
    return Effect.callback<void>((ended) => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
        return ended(Effect.void);
      child.once("close", () => ended(Effect.void));
      child.kill("SIGTERM");
    });
  });
