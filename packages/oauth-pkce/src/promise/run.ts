/** Runs effects as promises that reject with the error itself. */
import * as Effect from "effect/Effect";
import * as Logger from "effect/Logger";
import * as References from "effect/References";

/** Option that cancels a call, which then rejects with the signal's reason. */
export interface CallSignal {
  readonly signal?: AbortSignal;
}

/**
 * Makes a function that runs effects. Their log lines go to `log`, or nowhere, because a
 * library must not write to stdout.
 */
export const makeRun = (log?: (message: string) => void) => {
  // A logger that throws or rejects does not end the call.
  const write = ({ message }: { readonly message: unknown }) =>
    void Promise.resolve()
      .then(() => log?.(String(message)))
      .catch(() => undefined);
  const loggers = new Set(log ? [Logger.make(write)] : []);
  return async <A, E>(effect: Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> => {
    try {
      const logged = Effect.provideService(effect, References.CurrentLoggers, loggers);
      return await Effect.runPromise(logged, signal && { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  };
};

/** Runs an effect silently. Rejects with its error, or with the signal's reason. */
export const runPromise = makeRun();
