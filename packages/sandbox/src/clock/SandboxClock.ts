/**
 * The virtual clock as an Effect service, for programs and tests that hold a sandbox in Effect.
 *
 * It uses Effect's `Clock`, so a test that drives `TestClock` drives the sandbox too.
 * `Effect.sleep` waits in the time of the surrounding `Clock`.
 */
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type { ClockState, VirtualClock } from "./VirtualClock.ts";

/** The sandbox's virtual clock. Every effect that changes it returns the new instant. */
export class SandboxClock extends Context.Service<
  SandboxClock,
  {
    /** The present instant in milliseconds since the epoch. */
    readonly now: Effect.Effect<number>;
    /** Moves on by a duration; a negative one is treated as zero. */
    advance(duration: Duration.Input): Effect.Effect<number>;
    /** Moves to an instant (milliseconds since the epoch), forwards or backwards. */
    set(instant: number): Effect.Effect<number>;
    /** Stops the clock, at the present instant or at a given one. */
    freeze(at?: number): Effect.Effect<number>;
    /** Continues from the present instant. */
    readonly resume: Effect.Effect<number>;
    /** Returns to the instant of the sandbox's first start. */
    readonly reset: Effect.Effect<number>;
    /** The present state of the clock. */
    readonly state: Effect.Effect<ClockState>;
  }
>()("@game-data/sandbox/SandboxClock") {
  static readonly from = (clock: VirtualClock): SandboxClock["Service"] => ({
    now: Effect.sync(clock.now),
    advance: (duration) => Effect.sync(() => clock.advance(Duration.toMillis(duration))),
    set: (instant) => Effect.sync(() => clock.set(instant)),
    freeze: (at) => Effect.sync(() => clock.freeze(at)),
    resume: Effect.sync(() => clock.resume()),
    reset: Effect.sync(() => clock.reset()),
    state: Effect.sync(() => clock.state),
  });
}
