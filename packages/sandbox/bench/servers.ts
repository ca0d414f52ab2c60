/**
 * Servers in processes of their own, each ready when it has printed its first line.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** A server that answers. */
export interface Served<Line> {
  readonly line: Line;
  /** From the start of the process to its first line. */
  readonly startMillis: number;
  /** Resident memory at present. */
  readonly residentBytes: () => number;
  /** User and system time of the process so far, in microseconds. */
  readonly cpuMicros: () => number;
  /** Files that the process has open, sockets included. */
  readonly openFiles: () => number;
  /** Ends it by SIGTERM, and gives its exit code. */
  readonly stop: () => Promise<number | null>;
}

/** Starts `file` with Node, hands it `input` on stdin, and waits for its first line. */
export const start = async <Line>(
  file: string,
  args: ReadonlyArray<string>,
  input?: unknown,
): Promise<Served<Line>> => {
  const begun = performance.now();
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [join(import.meta.dirname, file), ...args],
    { stdio: ["pipe", "pipe", "ignore"] },
  );
  const gone = new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (input !== undefined) child.stdin.write(`${JSON.stringify(input)}\n`);
  const line = await Promise.race([
    new Promise<string>((resolve) =>
      createInterface({ input: child.stdout }).once("line", resolve),
    ),
    gone.then(() => Promise.reject(new Error(`${file} ended before it was ready`))),
  ]);
  return {
    line: JSON.parse(line) as Line,
    startMillis: performance.now() - begun,
    residentBytes: () => residentBytes(child.pid),
    cpuMicros: () => cpuMicros(child.pid),
    openFiles: () => readdirSync(`/proc/${child.pid}/fd`).length,
    stop: () => {
      child.kill("SIGTERM");
      return gone;
    },
  };
};

const PAGE_BYTES = 4096;

/** Resident pages of a process (Linux). */
const residentBytes = (pid: number | undefined): number =>
  Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * PAGE_BYTES;

/** The time that the scheduler gave each thread, in nanoseconds (Linux). */
const cpuMicros = (pid: number | undefined): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
    )
    .reduce((sum, nanos) => sum + nanos / 1000, 0);
