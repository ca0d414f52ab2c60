/**
 * A story in steps: each is a section of the report, runs, and ends with what proves it, or with
 * why it was left out.
 *
 * The first step that fails ends the story: its sentence goes to stderr and the program ends with
 * the failure's exit code, or 1. Use it for demonstrations, smoke tests and checks of a deployment,
 * where people want to see how far it came.
 */
import { Cause, Effect, Schema } from "effect";
import { ChildEnded, type Failure } from "@game-data/terminal/Failure";
import { type PackageError, toFailure } from "@game-data/terminal/toFailure";
import { isForMachines, line, note } from "@game-data/terminal/Output";
import * as Report from "./Report.ts";

/** How a step ended. */
export type Outcome =
  | {
      readonly proof: string;
      /** Said after the time that it took. */
      readonly remarks?: ReadonlyArray<string>;
    }
  | { readonly leftOut: string };

/** Something did not come true: ends a step, and with it the story, with exit code 1. */
export class Untrue extends Schema.TaggedError<Untrue>()("Untrue", {
  /** What was seen instead. */
  message: Schema.String,
}) {}

/** What a step may fail with. */
export type StepError = Untrue | Failure | PackageError;

/** A step of a story. */
export interface Step<E extends StepError, R> {
  readonly title: string;
  readonly run: Effect.Effect<Outcome, E, R>;
}

/** Fails unless it holds. */
export const must = (holds: boolean, message: string): Effect.Effect<void, Untrue> =>
  holds ? Effect.void : Effect.fail(new Untrue({ message }));

/**
 * Turns the tables: a call that must be refused, with an error of this tag, gives that error;
 * anything else ends the story.
 */
export const refused = <A, E extends { readonly _tag: string }, R, Tag extends E["_tag"]>(
  call: Effect.Effect<A, E, R>,
  tag: Tag,
  otherwise: string,
): Effect.Effect<Extract<E, { readonly _tag: Tag }>, E | Untrue, R> =>
  Effect.matchEffect(call, {
    onSuccess: () => Effect.fail(new Untrue({ message: otherwise })),
    onFailure: (error) =>
      error._tag === tag
        ? Effect.succeed(error as Extract<E, { readonly _tag: Tag }>)
        : Effect.fail(error),
  });

/**
 * Tells the steps one after another, and at the end how many came true since `begun`. With `--json`
 * or `--ndjson` the report is on stderr and stdout gets the outcomes: `[{"title", "proof" |
 * "leftOut", "millis", …}]`; a failure is one JSON line on stderr.
 */
export const tell = Effect.fnUntraced(function* <E extends StepError, R>(
  steps: ReadonlyArray<Step<E, R>>,
  begun = performance.now(),
) {
  const told: Array<Outcome & { readonly title: string; readonly millis: number }> = [];
  for (const [index, { run, title }] of steps.entries()) {
    Report.section(index + 1, title);
    const start = performance.now();
    const outcome = yield* orEnd(title, run);
    const millis = Math.round(performance.now() - start);
    told.push({ title, ...outcome, millis });
    if ("leftOut" in outcome) Report.leftOut(outcome.leftOut);
    else Report.proven(outcome.proof, Report.time(millis), ...(outcome.remarks ?? []));
  }
  const missing = told.filter((outcome) => "leftOut" in outcome).length;
  const rest = missing === 0 ? "" : `, ${missing} left out`;
  const whole = Report.time(performance.now() - begun);
  Report.ending(`${Report.count(told.length - missing, "step")} came true${rest}, in ${whole}.`);
  const args = process.argv.slice(2);
  if (!isForMachines(args)) return;
  const isLines = args.includes("--ndjson");
  yield* line(isLines ? told.map((each) => JSON.stringify(each)).join("\n") : JSON.stringify(told));
});

/** Tells what fails on the way, and ends the program; `where` names it. */
export const orEnd = <A, E extends StepError, R>(
  where: string,
  run: Effect.Effect<A, E, R>,
): Effect.Effect<A, ChildEnded, R> =>
  Effect.catchCause(run, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt;
    const error = cause.reasons.find((reason) => reason._tag === "Fail")?.error;
    const message = error ? sentenceOf(error) : `unexpected: ${Cause.pretty(cause)}`;
    const exitCode = error?._tag === "Failure" ? (error as Failure).exitCode : EX_UNTRUE;
    const ended = Effect.fail(new ChildEnded({ exitCode }));
    if (isForMachines(process.argv.slice(2))) {
      const fault = { code: error?._tag ?? "internal", step: where, message, exitCode };
      return Effect.andThen(note(JSON.stringify({ error: fault })), ended);
    }
    Report.failed(where, message);
    return ended;
  });

const EX_UNTRUE = 1;

const sentenceOf = (error: StepError): string => {
  if (error._tag === "Untrue") return error.message;
  if (error._tag !== "Failure") return toFailure(error).message;
  return error.next === undefined ? error.message : `${error.message}\n→ ${error.next}`;
};
