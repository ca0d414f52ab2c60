/**
 * The real program in a process of its own, with a home folder of its own and nothing of this
 * machine's environment.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { afterAll, beforeAll } from "vitest";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** What a run ended with. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run under way. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with the first match in what was written on stderr so far or will be. */
  readonly stderr: (pattern: RegExp) => Promise<RegExpExecArray>;
}

/** Options of a run. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

/** A prompt: a home folder, and an environment that all of its runs share. */
export class Prompt {
  readonly home = mkdtempSync(join(tmpdir(), "gamedata-test-"));
  env: Record<string, string> = {};

  start(args: ReadonlyArray<string>, { cwd, env, input }: RunOptions = {}): Running {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: cwd ?? this.home,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: this.home,
        NODE_COMPILE_CACHE: join(tmpdir(), "gamedata-test-compile-cache"),
        ...this.env,
        ...env,
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
      stderr: (pattern) =>
        new Promise((resolve, reject) => {
          const look = () => {
            const found = pattern.exec(stderr);
            if (found !== null) resolve(found);
          };
          look();
          child.stderr.on("data", look);
          void ended.then(() => reject(new Error(`ended without ${pattern}: ${stderr}`)));
        }),
    };
  }

  /** Runs to the end. */
  run(args: ReadonlyArray<string>, options?: RunOptions): Promise<Ended> {
    return this.start(args, { input: "", ...options }).ended;
  }

  /** Runs to the end with `--json`, and reads stdout. */
  async json(args: ReadonlyArray<string>, options?: RunOptions): Promise<any> {
    const ended = await this.run([...args, "--json"], options);
    if (ended.code !== 0) throw new Error(`exit ${ended.code}: ${ended.stderr}`);
    return JSON.parse(ended.stdout);
  }

  /** Runs to the end with `--json`, and reads the error on stderr. */
  async error(args: ReadonlyArray<string>, options?: RunOptions): Promise<any> {
    const ended = await this.run([...args, "--json"], options);
    const last = ended.stderr.trimEnd().split("\n").at(-1) ?? "";
    return { exit: ended.code, stdout: ended.stdout, ...JSON.parse(last).error };
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

/** Starts a sandbox before the file's tests, and ends it after them. */
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
