/** The sandbox as a program of its own, and raw requests to it. */
import { type ChildProcess, spawn } from "node:child_process";
import { type IncomingHttpHeaders, request } from "node:http";
import { fileURLToPath } from "node:url";
import type { SandboxInfo } from "@game-data/sandbox";

/** The program. */
export const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export interface Program {
  readonly info: SandboxInfo;
  readonly child: ChildProcess;
  /** Output on stdout and stderr so far. */
  readonly output: { stdout: string; stderr: string };
  /** Sends a signal and waits for the end; answers the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts the program and waits until it says that it is ready. */
export const startProgram = (...args: ReadonlyArray<string>): Promise<Program> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    const ended = new Promise<number | null>((end) => child.once("exit", end));
    child.stderr.on("data", (chunk: Buffer) => {
      output.stderr += chunk.toString();
    });
    child.stdout.on("data", (chunk: Buffer) => {
      output.stdout += chunk.toString();
      if (!output.stdout.endsWith("\n")) return;
      resolve({
        info: JSON.parse(output.stdout) as SandboxInfo,
        child,
        output,
        stop: (signal) => {
          child.kill(signal);
          return ended;
        },
      });
    });
    void ended.then((code) => reject(new Error(`ended with ${code}: ${output.stderr}`)));
  });

/** Runs the program to its end. */
export const runProgram = (
  ...args: ReadonlyArray<string>
): Promise<{ code: number | null; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    // Not "exit": what was printed last may still be on its way then.
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });

/** A response as Node reads it. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request whose path and headers are sent to the letter, `Host` too, which `fetch` would replace. */
export const ask = (
  url: string,
  headers: Record<string, string> = {},
  { path, ...options }: { readonly path?: string; readonly method?: string } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { hostname, pathname, port, search } = new URL(url);
    const to = { ...options, hostname, port, path: path ?? pathname + search, headers };
    const call = request(to, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, body }),
      );
    });
    call.once("error", reject).end();
  });
