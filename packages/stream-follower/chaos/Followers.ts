/** Processes of the kill test, and the status that a follower reports. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Status } from "../src/index.ts";
import { endWithUs } from "../test/support/watchdog.ts";
import type { FollowerOrder } from "./follower.ts";
import type { Observation } from "./StatusChecker.ts";

const RESPONSE_MILLIS = 2000;

/** A program that runs. */
export interface Running {
  readonly child: ChildProcess;
  /** Settles with its first line on stdout, or `undefined` if it has ended. */
  readonly firstLine: Promise<string | undefined>;
  /** What it wrote to stderr. */
  readonly errors: () => string;
}

/** Starts a program of this folder, which ends when this process ends. */
export const startProgram = (file: string, order: object): Running => {
  const program = join(import.meta.dirname, file);
  const child = endWithUs(
    spawn(process.execPath, [program, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const firstLine = new Promise<string | undefined>((resolve) => {
    child.once("exit", () => resolve(undefined));
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString().split("\n")[0]));
  });
  return { child, firstLine, errors: () => errors };
};

/** Ends a process, and waits until it has ended. */
export const endProcess = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
};

/** Waits for the end of a program that ends by itself. Returns what went wrong. */
export const waitForEnd = async (
  name: string,
  { child, errors }: Running,
  limitMillis: number,
): Promise<ReadonlyArray<string>> => {
  const late = setTimeout(() => child.kill("SIGKILL"), limitMillis);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  clearTimeout(late);
  return child.exitCode === 0
    ? []
    : [`${name} ended with ${child.exitCode ?? child.signalCode}: ${errors().slice(0, 500)}`];
};

/** A follower that runs. */
export interface Follower extends Running {
  readonly name: string;
  readonly observe: () => Promise<Observation>;
}

/** Starts a follower. Its first line on stdout is the address of its health. */
export const startFollower = async (name: string, order: FollowerOrder): Promise<Follower> => {
  const running = startProgram("follower.ts", order);
  const url = await running.firstLine;
  const observe = async (): Promise<Observation> => {
    const at = Date.now();
    const said = await requestStatus(`${url}`).catch(() => ({}));
    return { name, at, ...said };
  };
  return { ...running, name, observe };
};

const requestStatus = async (url: string) => {
  const signal = AbortSignal.timeout(RESPONSE_MILLIS);
  const ready = await fetch(`${url}/health/ready`, { signal });
  const report = (await ready.json()) as Status.Report;
  const metrics = await (await fetch(`${url}/metrics`, { signal })).text();
  return { report, metrics };
};
