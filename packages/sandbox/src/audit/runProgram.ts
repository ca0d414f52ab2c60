/** Runs the audited program to its end, and says how it ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { ProgramNotStarted } from "../Errors.ts";
import type { ProgramEnd } from "./rules/model.ts";

interface RunLimits {
  readonly timeoutMillis: number;
  /** Time after which the program gets SIGTERM, for services that do not end by themselves. */
  readonly forMillis?: number | undefined;
}

/** Milliseconds that a program has to end by itself after SIGTERM. */
const GRACE_MILLIS = 3_000;
const TAIL_BYTES = 16_384;
/** Milliseconds after the program's end in which its last output is read. */
const OUTPUT_MILLIS = 2_000;

/** The newest bytes of a stream, which is passed on to ours. */
const tailOf = (child: ChildProcess): (() => string) => {
  let kept: Array<Buffer> = [];
  let size = 0;
  child.stderr!.on("data", (data: Buffer) => {
    kept.push(data);
    size += data.length;
    if (size > 4 * TAIL_BYTES) {
      kept = [Buffer.concat(kept).subarray(-TAIL_BYTES)];
      size = TAIL_BYTES;
    }
  });
  child.stderr!.pipe(process.stderr, { end: false });
  return () => Buffer.concat(kept).subarray(-TAIL_BYTES).toString();
};

/**
 * Sends a signal to the program and its children. On POSIX they have a process group of their own.
 */
const signalAll = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The last process of the group has ended.
  }
};

/**
 * Ends processes that the program started, also outside of its group. They have a variable of its
 * environment that no other program has. Returns their names without arguments, which may hold
 * secrets.
 */
const endLeftBy = (pid: number | undefined, variable: string): ReadonlyArray<string> => {
  if (process.platform !== "linux") return [];
  const ids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name) && Number(name) !== pid);
  return ids.flatMap((id) => {
    try {
      const isOurs = readFileSync(`/proc/${id}/environ`, "latin1").split("\0").includes(variable);
      if (!isOurs) return [];
      const name = readFileSync(`/proc/${id}/comm`, "utf8").trim();
      process.kill(Number(id), "SIGKILL");
      return [`${name} (pid ${id})`];
    } catch {
      // The process belongs to another user, or has ended.
      return [];
    }
  });
};

/** Ends the processes that a program left running, and returns their names. */
const endGroup = (child: ChildProcess, env: NodeJS.ProcessEnv): ReadonlyArray<string> => {
  const left = endLeftBy(child.pid, `GAME_DATA_TOKENS=${env["GAME_DATA_TOKENS"]}`);
  signalAll(child, "SIGKILL");
  return left;
};

/** Passes SIGINT and SIGTERM on, because a group of its own gets no signals of the terminal. */
const passSignalsOn = (child: ChildProcess): (() => void) => {
  const pass = (signal: NodeJS.Signals) => {
    signalAll(child, signal);
    process.exit(128 + constants.signals[signal]);
  };
  process.once("SIGINT", pass).once("SIGTERM", pass);
  return () => process.off("SIGINT", pass).off("SIGTERM", pass);
};

/** Runs a program. Fails with `ProgramNotStarted`. */
export const runProgram = (
  [program = "", ...args]: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv,
  { forMillis, timeoutMillis }: RunLimits,
  elapsed: () => number,
): Promise<ProgramEnd> =>
  new Promise((resolve, reject) => {
    const begun = elapsed();
    // The program's output goes to stderr: stdout is the report's.
    const child = spawn(program, args, {
      env,
      detached: process.platform !== "win32",
      stdio: ["inherit", 2, "pipe"],
    });
    const stderrTail = tailOf(child);
    const stopPassing = passSignalsOn(child);
    let [isTimeout, isAsked] = [false, false];
    let kill: NodeJS.Timeout | undefined;
    const timer = setTimeout(
      () => {
        isAsked = forMillis !== undefined;
        isTimeout = !isAsked;
        signalAll(child, "SIGTERM");
        kill = setTimeout(() => {
          isTimeout = true;
          signalAll(child, "SIGKILL");
        }, GRACE_MILLIS);
      },
      Math.min(forMillis ?? timeoutMillis, timeoutMillis),
    );
    const settle = () => {
      clearTimeout(timer);
      clearTimeout(kill);
      stopPassing();
    };
    child.once("error", ({ code, message }: NodeJS.ErrnoException) => {
      settle();
      reject(new ProgramNotStarted({ program, reason: code ?? message }));
    });
    // Not `close` alone: a process that the program left running may keep its output open forever.
    child.once("exit", (code, signal) => {
      settle();
      const elapsedMillis = elapsed();
      const left = endGroup(child, env);
      const end = () => {
        clearTimeout(late);
        child.stderr!.destroy();
        resolve({
          exit: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
          signal,
          isTimeout,
          isAsked: isAsked && !isTimeout,
          millis: elapsedMillis - begun,
          elapsedMillis,
          left,
          stderrTail: stderrTail(),
        });
      };
      const late = setTimeout(end, OUTPUT_MILLIS);
      child.once("close", end);
    });
  });
