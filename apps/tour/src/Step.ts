/** A step of the tour, and helpers that check and print its results. */
import { Console, Data, Effect, Runtime, type Scope } from "effect";
import type { Service } from "./sandbox.ts";

/** A step of the tour. `run` prints facts, and returns the sentence that it has checked. */
export interface Step {
  readonly title: string;
  readonly run: (service: Service) => Effect.Effect<string, Error, Scope.Scope>;
}

/** Error of a step whose result is not the expected result. */
export class StepFailed extends Data.TaggedError("StepFailed")<{ readonly message: string }> {}

/** Error of the tour after a failed step, whose error was printed. */
export class TourFailed extends Data.TaggedError("TourFailed")<{
  readonly title: string;
  readonly cause: Error;
}> {
  override readonly [Runtime.errorReported] = false;
}

/** Fails with `StepFailed` unless the condition holds. */
export const check = (holds: boolean, message: string): Effect.Effect<void, StepFailed> =>
  holds ? Effect.void : Effect.fail(new StepFailed({ message }));

/** Returns the error of a call. Fails with `StepFailed` unless the error has this tag. */
export const expectError = <A, E extends { readonly _tag: string }, R, Tag extends E["_tag"]>(
  call: Effect.Effect<A, E, R>,
  tag: Tag,
): Effect.Effect<Extract<E, { readonly _tag: Tag }>, E | StepFailed, R> =>
  Effect.matchEffect(call, {
    onSuccess: () => Effect.fail(new StepFailed({ message: `expected ${tag}, but it succeeded` })),
    onFailure: (error) =>
      error._tag === tag
        ? Effect.succeed(error as Extract<E, { readonly _tag: Tag }>)
        : Effect.fail(error),
  });

/** Prints rows in columns, indented below the title of the step. */
export const print = (...rows: ReadonlyArray<ReadonlyArray<string | number>>) => {
  const widthOf = (column: number) =>
    Math.max(...rows.map((row) => String(row[column] ?? "").length));
  const lineOf = (row: (typeof rows)[number]) =>
    row.map((cell, column) => String(cell).padEnd(widthOf(column))).join("  ");
  return Console.log(rows.map((row) => `   ${lineOf(row).trimEnd()}`).join("\n"));
};

/** Formats a number with separators, as in 12,345. */
export const count = (value: number): string => value.toLocaleString("en");
