/**
 * Stops a run on a signal: `stopWhen: Signals.terminationSignal()`.
 *
 * The run then finishes its transaction, releases the lease and succeeds, so the process can exit
 * with code 0.
 */
import * as Effect from "effect/Effect";

/** Completes at the first signal. A second signal ends the process at once, as Node does. */
export const terminationSignal = (
  signals: ReadonlyArray<`SIG${string}`> = ["SIGTERM", "SIGINT"],
): Effect.Effect<`SIG${string}`> => Effect.raceAll(signals.map(once));

const once = <Signal extends string>(signal: Signal): Effect.Effect<Signal> =>
  Effect.callback((resume) => {
    const listener = () => resume(Effect.succeed(signal));
    process.once(signal, listener);
    return Effect.sync(() => process.removeListener(signal, listener));
  });
