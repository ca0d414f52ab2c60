/** The follower processes of the kill test, and what each says of itself. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { Status } from "../src/index.ts";
import { endWithUs } from "../test/support/watchdog.ts";
import type { FollowerOrder } from "./follower.ts";
import type { Look } from "./Oracle.ts";

const PROGRAM = join(import.meta.dirname, "follower.ts");
const LOOK_MILLIS = 2000;

/** A process that follows. */
export interface FollowerProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** Until its health can be asked for, which takes as long as the machine needs, or it has ended. */
  readonly up: Promise<unknown>;
  /** What it says of itself now. */
  readonly look: () => Promise<Look>;
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>;
  /** Its exit code, once it has ended by itself. */
  readonly code: () => number | null;
  /** What it wrote to stderr. */
  readonly text: () => string;
}

/** Starts one. */
export const startFollower = (name: string, order: FollowerOrder): FollowerProcess => {
  const child = endWithUs(
    spawn(process.execPath, [PROGRAM, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  let text = "";
  child.on("error", (error) => (text += String(error)));
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  let url = "";
  const up = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.stdout.once("data", (line: Buffer) => {
      url = (JSON.parse(line.toString().split("\n")[0]!) as { health: string }).health;
      resolve();
    });
  });
  let isOurs = false;
  return {
    name,
    child,
    up,
    look: async () => {
      const at = Date.now();
      const said = url === "" ? undefined : await ask(url).catch(() => undefined);
      return { name, at, ...(said === undefined ? {} : { said }) };
    },
    kill: async () => {
      isOurs = true;
      await endChild(child, "SIGKILL");
    },
    code: () => (isOurs ? null : child.exitCode),
    text: () => text,
  };
};

const ask = async (url: string): Promise<NonNullable<Look["said"]>> => {
  const signal = AbortSignal.timeout(LOOK_MILLIS);
  const ready = await fetch(`${url}/health/ready`, { signal });
  const report = (await ready.json()) as Status.Report;
  const metrics = await (await fetch(`${url}/metrics`, { signal })).text();
  return { isReady: ready.status === 200, report, metrics };
};

/** Ends a process, and waits until it is gone. */
export const endChild = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
};

const SETTLE_MILLIS = 150_000;

/** Follows to the end of the stream with a last process; what went wrong. */
export const followToEnd = async (order: FollowerOrder): Promise<ReadonlyArray<string>> => {
  const last = startFollower("last", { ...order, until: "caughtUp" });
  const late = setTimeout(() => last.child.kill("SIGKILL"), SETTLE_MILLIS);
  await new Promise((resolve) => last.child.once("exit", resolve));
  clearTimeout(late);
  return last.child.exitCode === 0
    ? []
    : [`the last follower ended with ${last.child.exitCode}: ${last.text().slice(0, 500)}`];
};
