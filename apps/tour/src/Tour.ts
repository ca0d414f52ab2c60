/**
 * Parts that the steps share: the service, the sessions, and how a step ends.
 */
import type { Scope as GrantedScope } from "@game-data/contract";
import type { RunningSandbox } from "@game-data/sandbox";
import type { Failure } from "@game-data/terminal/Failure";
import type { PackageError } from "@game-data/terminal/toFailure";
import { Data, Effect, type Scope } from "effect";
import type { Report } from "./report.ts";
import type { ApplicationSession, UserSession } from "./sessions.ts";
import type { RefusedRecord, Replay } from "./replay/openReplay.ts";
import type { Counts } from "./replay/writeRecording.ts";

/** The running tour. */
export interface Tour {
  readonly authUrl: string;
  readonly baseUrl: string;
  /** The sandbox that the tour started; `undefined` against a deployment. */
  readonly sandbox: RunningSandbox | undefined;
  /** The captured responses that the sandbox serves. */
  readonly captured: Replay | undefined;
  readonly user: UserSession | undefined;
  readonly application: ApplicationSession | undefined;
  /** A SQLite file that is removed at the end. */
  readonly store: string;
  /** Pages of the stash stream to follow. */
  readonly streamPages: number;
}

/** The result of a step: a sentence that was verified, or why the step was skipped. */
export type Outcome =
  | {
      readonly result: string;
      /** Counts that must equal those of captured files. */
      readonly counts?: Counts;
      /** Captured records that are not served. The tour ends with exit code 1 because of them. */
      readonly refused?: ReadonlyArray<RefusedRecord>;
    }
  | { readonly skipped: string };

/** A check of a step failed. Ends the tour with exit code 1. */
export class StepFailed extends Data.TaggedError("StepFailed")<{
  /** The result that was found instead. */
  readonly message: string;
}> {}

/** Errors of a step. */
export type StepError = StepFailed | Failure | PackageError;

/** A step of the tour. */
export interface Step {
  readonly title: string;
  /** The session that the step needs. */
  readonly session?: "user" | "application";
  /** The scopes that its requests need. */
  readonly scopes?: ReadonlyArray<GrantedScope>;
  /** Whether the step changes data. Such steps are skipped against a deployment. */
  readonly writes?: boolean;
  /** Whether the step exists only for captured responses. */
  readonly onlyCaptured?: boolean;
  readonly run: (
    tour: Tour & { readonly user: UserSession; readonly application: ApplicationSession },
  ) => Effect.Effect<Outcome, StepError, Report | Scope.Scope>;
}

/** Fails the step unless the condition holds. */
export const assert = (holds: boolean, message: string): Effect.Effect<void, StepFailed> =>
  holds ? Effect.void : Effect.fail(new StepFailed({ message }));

/** Expects a call to fail with an error of this tag, and returns the error. */
export const expectError = <A, E extends { readonly _tag: string }, R, Tag extends E["_tag"]>(
  call: Effect.Effect<A, E, R>,
  tag: Tag,
  message: string,
): Effect.Effect<Extract<E, { readonly _tag: Tag }>, E | StepFailed, R> =>
  Effect.matchEffect(call, {
    onSuccess: () => Effect.fail(new StepFailed({ message })),
    onFailure: (error) =>
      error._tag === tag
        ? Effect.succeed(error as Extract<E, { readonly _tag: Tag }>)
        : Effect.fail(error),
  });
