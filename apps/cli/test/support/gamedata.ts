/**
 * `gamedata` for tests: in this process with streams of its own (`run`, `start`), or as a program
 * (`spawn`), with a home folder and nothing of this machine's environment.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { NodeServices } from "@effect/platform-node";
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import {
  ConfigProvider,
  Console,
  Effect,
  Fiber,
  Layer,
  Queue,
  Sink,
  Stdio,
  Stream,
  Terminal,
} from "effect";
import { UserDirectories } from "effect/persistence";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { runGamedata } from "../../src/Cli.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

/** Exit code and output of a run. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options of a run. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. Default: empty. */
  readonly input?: string;
  /** Width of the terminal that stdout is. Default: a pipe. */
  readonly columns?: number;
}

/** A command line, as a text of words or as a list. */
type Line = string | ReadonlyArray<string>;
const words = (line: Line) => (typeof line === "string" ? line.split(" ") : line);

/** A prompt: a home folder, and an environment that all of its runs share. */
export class Prompt {
  readonly home = mkdtempSync(join(tmpdir(), "gamedata-test-"));
  env: Record<string, string> = {};

  private environment(more: RunOptions["env"] = {}): Record<string, string> {
    return { PATH: process.env["PATH"] ?? "", HOME: this.home, ...this.env, ...more };
  }

  /** Starts a command line in this process. Its standard input stays open without `input`. */
  start(line: Line, { columns, env, input }: RunOptions = {}) {
    const output = { stdout: "", stderr: "" };
    const append = (name: keyof typeof output) => (text: unknown) =>
      void (output[name] += text instanceof Uint8Array ? Buffer.from(text).toString() : text);
    const sink = (name: keyof typeof output) => () =>
      Sink.forEach((text) => Effect.sync(() => append(name)(text)));
    const typed = Effect.runSync(Queue.unbounded<Uint8Array>());
    const services = Layer.mergeAll(
      UserDirectories.layer,
      Stdio.layerTest({
        stdin: input === undefined ? Stream.fromQueue(typed) : Stream.make(Buffer.from(input)),
        stdout: sink("stdout"),
        stderr: sink("stderr"),
        stdoutIsTerminal: Effect.succeed(columns !== undefined),
      }),
      Layer.succeed(Console.Console, {
        ...globalThis.console,
        log: (text) => append("stdout")(`${text}\n`),
        error: (text) => append("stderr")(`${text}\n`),
      }),
      ConfigProvider.layer(ConfigProvider.fromEnv({ env: this.environment(env) })),
    );
    const fiber = Effect.runFork(
      runGamedata(words(line)).pipe(
        Effect.updateService(Terminal.Terminal, (terminal) => ({
          ...terminal,
          columns: Effect.succeed(columns ?? 0),
        })),
        Effect.provide(services),
        Effect.provide(NodeServices.layer),
        Effect.match({ onSuccess: () => 0, onFailure: ({ exitCode }) => exitCode }),
      ),
    );
    // The process of an interrupted program exits with 130.
    const code = Effect.runPromise(Fiber.join(fiber)).catch(() => 130);
    return {
      ended: code.then((ended): Ended => ({ code: ended, ...output })),
      /** Resolves with the first match in stderr so far, or later. */
      stderr: (pattern: RegExp) =>
        vi.waitFor(
          () => pattern.exec(output.stderr) ?? expect.fail(`no ${pattern} in: ${output.stderr}`),
          60_000,
        ),
      /** Writes a line on standard input. */
      type: (text: string) => void Queue.offerUnsafe(typed, Buffer.from(`${text}\n`)),
      /** Interrupts the run, like Ctrl-C. */
      interrupt: () => void Effect.runFork(Fiber.interrupt(fiber)),
    };
  }

  /** Runs to the end in this process. */
  run(line: Line, options?: RunOptions): Promise<Ended> {
    return this.start(line, { input: "", ...options }).ended;
  }

  /** Runs to the end with `--json`, and parses stdout. */
  async json(line: Line, options?: RunOptions): Promise<any> {
    const { code, stderr, stdout } = await this.run([...words(line), "--json"], options);
    if (code !== 0) throw new Error(`exit ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** Runs to the end with `--json`, and parses the error on stderr. */
  async error(line: Line, options?: RunOptions): Promise<any> {
    const { code, stderr, stdout } = await this.run([...words(line), "--json"], options);
    const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
    if (error.exitCode !== code) throw new Error(`exit ${code}, but printed: ${stderr}`);
    return { stdout, ...error };
  }

  /** Starts the program in a process of its own: for signals, pipes and bytes. */
  spawn(line: Line, main = MAIN) {
    const child = spawn(process.execPath, [main, ...words(line)], {
      cwd: this.home,
      env: this.environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
    const ended = new Promise<Ended>((resolve) =>
      child.once("close", (code) => resolve({ code, ...output })),
    );
    return { child, ended };
  }

  /** Removes the home folder. */
  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A prompt for the tests of a file. */
export const usePrompt = (): Prompt => {
  const prompt = new Prompt();
  afterAll(() => prompt.remove());
  return prompt;
};

/** Starts a sandbox for the tests of a file. */
export const useService = (options: Parameters<typeof startSandbox>[0] = {}) => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox(options);
  }, 60_000);
  afterAll(() => sandbox.close());
  return {
    get sandbox() {
      return sandbox;
    },
    /** The environment of a client that the sandbox knows. */
    env: (clientId: string): Record<string, string> => {
      const client = sandbox.clients.find((each) => each.clientId === clientId)!;
      return {
        GAME_DATA_AUTH_URL: sandbox.authUrl,
        GAME_DATA_BASE_URL: sandbox.baseUrl,
        GAME_DATA_CLIENT_ID: clientId,
        ...(client.clientSecret !== undefined && { GAME_DATA_CLIENT_SECRET: client.clientSecret }),
      };
    },
  };
};

/** The access and refresh tokens in the token store of a home folder. */
export const storedTokens = (home: string) => {
  const path = join(home, ".local/state/gamedata/tokens/tokens.sqlite");
  using database = new DatabaseSync(path, { readOnly: true });
  const texts = database.prepare("select text from oauth_grants").all();
  return texts.flatMap(({ text }) =>
    [...String(text).matchAll(/"(?:accessToken|refreshToken)":"([^"]+)"/gu)].map(
      ([, token = ""]) => token,
    ),
  );
};
