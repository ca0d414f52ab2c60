/**
 * One run of an effect at a time, shared by its callers. It has a fiber of its own, so an
 * interrupted caller leaves no other caller waiting.
 */
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";

export interface SharedRun<A, E> {
  /** Joins the current run, or starts one. */
  readonly join: (work: Effect.Effect<A, E>) => Effect.Effect<A, E>;
  /** Starts a run unless there is one, and returns the fiber of either. */
  readonly start: (work: Effect.Effect<A, E>) => Effect.Effect<Fiber.Fiber<A, E>>;
  readonly isIdle: () => boolean;
  /** Waits for the current run, however it ends. */
  readonly settled: Effect.Effect<void>;
}

export const sharedRun = <A, E>(): SharedRun<A, E> => {
  let current: Fiber.Fiber<A, E> | undefined;
  // One synchronous step, so that two callers never start a run each.
  const start = (work: Effect.Effect<A, E>) =>
    Effect.withFiber<Fiber.Fiber<A, E>>(({ context }) => {
      if (current) return Effect.succeed(current);
      const fiber = Effect.runForkWith(context)(work);
      current = fiber;
      fiber.addObserver(() => {
        current = undefined;
      });
      return Effect.succeed(fiber);
    });
  return {
    start,
    join: (work) => Effect.flatMap(start(work), Fiber.join),
    isIdle: () => current === undefined,
    settled: Effect.suspend(() => (current ? Effect.asVoid(Fiber.await(current)) : Effect.void)),
  };
};
