/**
 * Runs a program against a sandbox of its own. The program finds the service in its environment. The
 * sandbox ends with the program.
 *
 * Use it for test commands. A test that needs the sandbox itself starts one with `startSandbox`. The
 * program's tokens are kept in a folder that is removed with the sandbox.
 *
 * @example
 * ```ts
 * import { exec } from "@game-data/sandbox/exec";
 * import { Effect } from "effect";
 *
 * const code = await Effect.runPromise(exec([process.execPath, "-e", "process.exit(3)"]));
 * if (code !== 3) throw new Error("the program's exit code is the effect's value");
 * ```
 */
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import * as Effect from "effect/Effect";
import type { SandboxOptions } from "./Options.ts";
import { type ExecError, ProgramNotStarted } from "./Errors.ts";
import { programEnvironment } from "./programEnvironment.ts";
import { serve } from "./Sandbox.ts";

/** Options of `exec`: the sandbox, the client, and the program's environment. */
export interface ExecOptions {
  /** Options of the sandbox that the program uses. */
  readonly sandbox?: SandboxOptions | undefined;
  /** The seeded client whose id and secret the program gets. Default: `example-web`. */
  readonly clientId?: string | undefined;
  /**
   * Environment to which the variables of the sandbox are added. Default: the environment of this
   * process.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Ends the program with SIGTERM when the signal aborts. The effect still succeeds with the exit
   * code.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `command` against a sandbox of its own, on the terminal of this process. Succeeds with the
 * exit code or, as shells do, with 128 and the signal's number if a signal ended the program.
 * Interruption sends SIGTERM to the program and waits for its end. A SIGTERM or SIGINT to this
 * process during the wait kills the program.
 */
export const exec = (
  command: readonly [program: string, ...args: Array<string>],
  { clientId = "example-web", env = process.env, sandbox: options, signal }: ExecOptions = {},
): Effect.Effect<number, ExecError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { info } = yield* serve(options ?? {});
      const own = yield* programEnvironment(info, clientId, env, options?.words);
      return yield* run(command, own, signal);
    }),
  );

const run = (
  [program, ...args]: readonly [string, ...Array<string>],
  env: NodeJS.ProcessEnv,
  stop: AbortSignal | undefined,
): Effect.Effect<number, ProgramNotStarted> =>
  Effect.callback<number, ProgramNotStarted>((resume) => {
    const child = spawn(program, args, { env, stdio: "inherit" });
    const onStop = () => end(child);
    if (stop?.aborted === true) onStop();
    stop?.addEventListener("abort", onStop);
    child.once("close", () => stop?.removeEventListener("abort", onStop));
    child.once("error", ({ code, message }: NodeJS.ErrnoException) =>
      resume(Effect.fail(new ProgramNotStarted({ program, reason: code ?? message }))),
    );
    child.once("close", (code, signal) =>
      resume(Effect.succeed(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))),
    );
    // Wait for the child's end even if Ctrl-C in the terminal has already reached the child.
    return Effect.callback<void>((ended) => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
        return ended(Effect.void);
      child.once("close", () => ended(Effect.void));
      end(child);
    });
  });

/** Sends SIGTERM to a program. A later SIGTERM or SIGINT to this process kills the program. */
const end = (child: ChildProcess): void => {
  const kill = () => child.kill("SIGKILL");
  child.kill("SIGTERM");
  process.once("SIGTERM", kill).once("SIGINT", kill);
  child.once("close", () => process.off("SIGTERM", kill).off("SIGINT", kill));
};
