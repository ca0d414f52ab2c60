/** Runs the audited program to its end, and reports how it ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import { ProgramNotStarted } from "../Errors.ts";
import type { ProgramEnd } from "./rules/model.ts";

interface RunLimits {
  readonly timeoutMillis: number;
  /** Milliseconds after which a service, which does not end by itself, gets SIGTERM. */
  readonly forMillis: number | undefined;
}

/** Milliseconds that a program has to end by itself after SIGTERM. */
const GRACE_MILLIS = 3_000;
const TAIL_CHARACTERS = 16_384;
/** Milliseconds after the program's end in which its last output is read. */
const OUTPUT_MILLIS = 10_000;

/** Runs a program. Interruption kills it and its children. `elapsed` is the journal's time. */
export const runProgram = Effect.fnUntraced(function* (
  [program = "", ...args]: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv,
  { forMillis = Infinity, timeoutMillis }: RunLimits,
  elapsed: () => number,
) {
  const begun = elapsed();
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(program, args, {
        env,
        detached: process.platform !== "win32",
        // The program's output goes to stderr, because stdout is for the report.
        stdio: ["inherit", 2, "pipe"],
      }),
    ),
    (started) => Effect.sync(() => signalAll(started, "SIGKILL")),
  );
  const stderr = child.stderr!;
  let stderrTail = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    stderrTail = (stderrTail + text).slice(-TAIL_CHARACTERS);
  });
  stderr.pipe(process.stderr, { end: false });
  const closing = once(child, "close").catch(() => undefined);
  const exiting = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const exited = Effect.tryPromise({
    try: () => exiting,
    catch: (cause) => {
      const { code, message } = cause as NodeJS.ErrnoException;
      return new ProgramNotStarted({ program, reason: code ?? message });
    },
  });
  const isLate = Option.isNone(
    yield* Effect.timeoutOption(exited, Math.min(forMillis, timeoutMillis)),
  );
  if (isLate) signalAll(child, "SIGTERM");
  const isKilled = Option.isNone(yield* Effect.timeoutOption(exited, GRACE_MILLIS));
  if (isKilled) signalAll(child, "SIGKILL");
  const [code, signal] = yield* exited;
  const elapsedMillis = elapsed();
  signalAll(child, "SIGKILL");
  // A process outside the group may keep the output open forever, so stop waiting after a time.
  yield* Effect.timeoutOption(
    Effect.promise(() => closing),
    OUTPUT_MILLIS,
  );
  stderr.destroy();
  const isRunTimeOver = isLate && !isKilled && forMillis <= timeoutMillis;
  return {
    exit: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
    signal,
    isTimeout: isLate && !isRunTimeOver,
    isRunTimeOver,
    millis: elapsedMillis - begun,
    elapsedMillis,
    stderrTail,
  } satisfies ProgramEnd;
}, Effect.scoped);

/** Sends a signal to the program and its children. On POSIX they have a process group of their own. */
const signalAll = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The error means that the last process of the group has ended.
  }
};
