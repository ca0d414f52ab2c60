/**
 * What a command fails with: for people a sentence and the next step, for scripts a code, for the
 * shell an exit code.
 */
import { Runtime, Schema } from "effect";
import { catalogue, type FailureCode } from "./failureCodes.ts";

/** A failure that is fit to be shown. Holds no secret. */
export class Failure extends Schema.TaggedError<Failure>()("Failure", {
  /** A stable word for scripts and for `gamedata explain`, such as `bad-link`. */
  code: Schema.String,
  /** What the process ends with. */
  exitCode: Schema.Number,
  /** What happened. */
  message: Schema.String,
  /** What to do about it, where there is something. */
  next: Schema.optionalKey(Schema.String),
  /** Facts for scripts: the offset, the field, the retry time. */
  details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
}) {
  override readonly [Runtime.errorExitCode] = this.exitCode;
  /** `Main` prints it. */
  override readonly [Runtime.errorReported] = false;
}

/** A failure of the catalogue; `next` overrides the catalogue's. */
export const failure = (
  code: FailureCode,
  message: string,
  { details, next = catalogue[code].next }: Partial<Pick<Failure, "details" | "next">> = {},
): Failure =>
  new Failure({
    code,
    exitCode: catalogue[code].exitCode,
    message,
    ...(next !== undefined && { next }),
    ...(details !== undefined && { details }),
  });

/** A program that a command ran ended with this code, and has said what there is to say. */
export class ChildEnded extends Schema.TaggedError<ChildEnded>()("ChildEnded", {
  exitCode: Schema.Number,
}) {
  override readonly [Runtime.errorExitCode] = this.exitCode;
  /** There is nothing to add. */
  override readonly [Runtime.errorReported] = false;
}
