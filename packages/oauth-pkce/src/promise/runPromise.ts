/** Effects as promises that reject with the error itself. */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as References from "effect/References";

/** A signal that cancels the call. */
export interface CallSignal {
  readonly signal?: AbortSignal;
}

/**
 * Runs an effect; rejects with its error, or with the signal's reason. Effect's loggers are silent:
 * a program without Effect has not asked for lines on its stdout.
 */
export const runPromise = async <A, E>(
  effect: Effect.Effect<A, E>,
  signal?: AbortSignal,
): Promise<A> => {
  const silent = Effect.provideService(effect, References.CurrentLoggers, new Set());
  const exit = await Effect.runPromiseExit(silent, signal && { signal });
  if (Exit.isSuccess(exit)) return exit.value;
  signal?.throwIfAborted();
  throw Cause.squash(exit.cause);
};
