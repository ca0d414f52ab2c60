/** Effects as promises that reject with the error itself. */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";

/** A signal that cancels the call. */
export interface CallSignal {
  readonly signal?: AbortSignal;
}

/** Runs an effect; rejects with its error, or with the signal's reason. */
export const runPromise = async <A, E>(
  effect: Effect.Effect<A, E>,
  signal?: AbortSignal,
): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect, signal && { signal });
  if (Exit.isSuccess(exit)) return exit.value;
  signal?.throwIfAborted();
  throw Cause.squash(exit.cause);
};
