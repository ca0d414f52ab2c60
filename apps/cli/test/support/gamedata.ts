/**
 * `gamedata` for tests: in this process with a host of its own (`run`), or as a real process
 * (`start`), with its own home folder and nothing of this machine's environment.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PassThrough } from "node:stream";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { Host } from "@game-data/terminal/Host";
import { run } from "@game-data/terminal/runMain";
import { testHost } from "@game-data/terminal/testHost";
import { Clock, Duration, Effect, Fiber, identity } from "effect";
import { afterAll, beforeAll } from "vitest";
import { gamedata } from "../../src/Cli.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Exit code and output of a run. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run in this process. */
export interface Running {
  readonly ended: Promise<Ended>;
  readonly stdin: PassThrough;
  /** Resolves with the first match in stderr so far, or later. */
  readonly stderr: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** The same for stdout. */
  readonly stdout: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Interrupts the run, like Ctrl-C. */
  readonly interrupt: () => void;
}

/** A run in a process of its own. */
export interface Spawned extends Omit<Running, "stdin" | "stdout" | "interrupt"> {
  readonly child: ChildProcess;
}

/** Options of a run. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Width of the terminal that stdout and stderr are. Default: they are pipes. */
  readonly columns?: number;
}

const matcher =
  (current: () => string, onText: (look: () => void) => void, end: Promise<unknown>) =>
  (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(current());
        if (found !== null) resolve(found);
      };
      onText(look);
      look();
      void end.then(() => reject(new Error(`ended without ${pattern}: ${current()}`)));
    });

const hurried = (clock: Clock.Clock): Clock.Clock =>
  Object.assign(Object.create(clock) as Clock.Clock, {
    sleep: (pause: Duration.Duration) => clock.sleep(Duration.divideUnsafe(pause, 10)),
  });

/** A command line, as a text of words or as a list. */
type Line = string | ReadonlyArray<string>;
const wordsOf = (line: Line) => (typeof line === "string" ? line.split(" ") : line);

/** A prompt: a home folder, and an environment that all of its runs share. */
export class Prompt {
  readonly home = mkdtempSync(join(tmpdir(), "gamedata-test-"));
  env: Record<string, string> = {};
  /** Whether pauses, between two tries for example, last a tenth of what they do for users. */
  isHurried = false;

  private environment(more: RunOptions["env"]): Record<string, string> {
    return { PATH: process.env["PATH"] ?? "", HOME: this.home, ...this.env, ...more };
  }

  /** Starts a command line in this process. Its standard input stays open. */
  start(args: Line, { columns, env, input }: RunOptions = {}): Running {
    const { host, stderr, stdin, stdout } = testHost(wordsOf(args), {
      columns,
      env: this.environment(env),
      input,
    });
    const fiber = Effect.runFork(
      run(gamedata, { name: "gamedata", version: "1.0.0" }).pipe(
        Effect.match({ onSuccess: () => 0, onFailure: ({ exitCode }) => exitCode }),
        Effect.provideService(Host, host),
        Effect.updateService(Clock.Clock, this.isHurried ? hurried : identity),
      ),
    );
    const ended = Effect.runPromise(Fiber.await(fiber)).then((exit) => ({
      // The process of an interrupted program exits with 130.
      code: exit._tag === "Success" ? exit.value : 130,
      stdout: stdout.text,
      stderr: stderr.text,
    }));
    return {
      ended,
      stdin,
      stderr: matcher(
        () => stderr.text,
        (look) => stderr.on("text", look),
        ended,
      ),
      stdout: matcher(
        () => stdout.text,
        (look) => stdout.on("text", look),
        ended,
      ),
      interrupt: () => void Effect.runFork(Fiber.interrupt(fiber)),
    };
  }

  /** Starts the program in a process of its own: for signals, pipes, exit codes and terminals. */
  spawn(args: Line, { env, input }: RunOptions = {}): Spawned {
    const child = spawn(process.execPath, [MAIN, ...wordsOf(args)], {
      cwd: this.home,
      env: {
        ...this.environment(env),
        NODE_COMPILE_CACHE: join(tmpdir(), "gamedata-test-compile-cache"),
      },
      stdio: "pipe",
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdin.on("error", () => undefined);
    if (input !== undefined) child.stdin.end(input);
    const ended = new Promise<Ended>((resolve) =>
      child.once("close", (code) => resolve({ code, stdout, stderr })),
    );
    return {
      child,
      ended,
      stderr: matcher(
        () => stderr,
        (look) => child.stderr.on("data", look),
        ended,
      ),
    };
  }

  /** Runs to the end in this process. */
  run(args: Line, options?: RunOptions): Promise<Ended> {
    return this.start(args, { input: "", ...options }).ended;
  }

  /** Runs to the end with `--json`, and parses stdout. */
  async json(args: Line, options?: RunOptions): Promise<any> {
    const ended = await this.run([...wordsOf(args), "--json"], options);
    if (ended.code !== 0) throw new Error(`exit ${ended.code}: ${ended.stderr}`);
    return JSON.parse(ended.stdout);
  }

  /** Runs to the end with `--json`, and parses the error on stderr. Its exit code is the process's. */
  async error(args: Line, options?: RunOptions): Promise<any> {
    const { code: exit, stderr, stdout } = await this.run([...wordsOf(args), "--json"], options);
    const { error } = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
    if (exit !== error.exitCode) throw new Error(`exit ${exit}, and told is ${error.exitCode}`);
    return { exit, stdout, ...error };
  }

  remove() {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A sandbox for the tests of a file. */
export interface Service {
  readonly sandbox: RunningSandbox;
  /** Calls the control plane. */
  readonly control: (path: string, body?: unknown, method?: string) => Promise<any>;
  /** The environment of a seeded client. */
  readonly envOf: (clientId: string) => Record<string, string>;
}

/** Starts a sandbox before the file's tests, and stops it after them. */
export const useService = (options: Parameters<typeof startSandbox>[0] = {}): Service => {
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    sandbox = await startSandbox(options);
  }, 60_000);
  afterAll(() => sandbox.close());
  return {
    get sandbox() {
      return sandbox;
    },
    control: async (path, body, method = "POST") => {
      const response = await fetch(`${sandbox.controlUrl}${path}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      const text = await response.text();
      return text === "" ? undefined : JSON.parse(text);
    },
    envOf: (clientId) => {
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

/** A prompt for the tests of a file. */
export const usePrompt = (): Prompt => {
  const prompt = new Prompt();
  afterAll(() => prompt.remove());
  return prompt;
};

/** The access and refresh tokens in a token store, and the texts that it keeps. */
export const storedTokens = (folder: string) => {
  const path = join(folder, "tokens.sqlite");
  if (!existsSync(path)) return { path, texts: [], tokens: [] };
  const database = new DatabaseSync(path, { readOnly: true });
  const texts = database
    .prepare("select text from oauth_grants")
    .all()
    .map(({ text }) => String(text));
  database.close();
  const tokens = texts.flatMap((text) =>
    [...text.matchAll(/"(?:accessToken|refreshToken)":"([^"]+)"/gu)].map(([, token = ""]) => token),
  );
  return { path, texts, tokens };
};
