/**
 * The error that a command ends with: a sentence and the next step for people, a code for scripts,
 * an exit code for the shell.
 */
import { Context, Data, Runtime } from "effect";
import { type FailureCode, failureCodes } from "./failureCodes.ts";

/** A failure that can be printed. It holds no secret. */
export class Failure extends Data.TaggedError("Failure")<{
  /** A stable code for scripts and for `gamedata explain`, such as `bad-link`. */
  readonly code: FailureCode;
  /** The exit code of the process. */
  readonly exitCode: number;
  /** Description of the failure. */
  readonly message: string;
  /** The next step for the user. */
  readonly next?: string;
  /** Facts for scripts: the offset, the field, the retry time. */
  readonly details?: Readonly<Record<string, unknown>>;
}> {
  override readonly [Runtime.errorExitCode] = this.exitCode;
  /** `runMain` prints it. */
  override readonly [Runtime.errorReported] = false;
}

/** Members of a failure besides code and message. */
export type FailureOptions = Partial<Pick<Failure, "details" | "next">>;

/** Makes a failure; `next` replaces the next step of the code. */
export const failure = (
  code: FailureCode,
  message: string,
  { details, next = failureCodes[code].next }: FailureOptions = {},
): Failure =>
  new Failure({
    code,
    exitCode: failureCodes[code].exitCode,
    message,
    ...(next !== undefined && { next }),
    ...(details !== undefined && { details }),
  });

/** A child process ended with this exit code and has printed its own error. */
export class ChildExit extends Data.TaggedError("ChildExit")<{ readonly exitCode: number }> {
  override readonly [Runtime.errorExitCode] = this.exitCode;
  override readonly [Runtime.errorReported] = false;
}

/** Next steps that depend on the settings, in place of the code's. A command sets them while it runs. */
export interface FailureHintsService {
  /** The next step after a response 401. */
  unauthorized?: string;
}

/** The hints of the running command. */
export const FailureHints: Context.Reference<FailureHintsService> =
  /*#__PURE__*/ Context.Reference<FailureHintsService>("@game-data/terminal/FailureHints", {
    defaultValue: () => ({}),
  });
