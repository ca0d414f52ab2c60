/**
 * The time of one attempt, over its request and the reading of its body.
 *
 * One timer bounds both. `Effect.timeout` would run each part in a fiber of its own, which costs
 * more than the rest of a small call.
 */
import * as Effect from "effect/Effect";
import type * as Fiber from "effect/Fiber";
import type { Timeout } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";

export class Deadline {
  private readonly timeout: () => Timeout;
  private readonly timer: Fiber.Fiber<unknown> | undefined;
  private isOver = false;
  private onOver: (() => void) | undefined;

  constructor(millis: number, fiber: Fiber.Fiber<unknown, unknown>, timeout: () => Timeout) {
    this.timeout = timeout;
    if (!Number.isFinite(millis)) return;
    this.timer = Effect.runForkWith(fiber.context)(
      Effect.andThen(
        Effect.sleep(millis),
        Effect.sync(() => {
          this.isOver = true;
          this.onOver?.();
        }),
      ),
    );
  }

  /** Runs `start` until it settles, is interrupted, or the time is over; then calls what it returned. */
  race<A>(
    start: (settle: (result: Effect.Effect<A, GameApiError>) => void) => (() => void) | void,
  ): Effect.Effect<A, GameApiError> {
    return Effect.callback((resume) => {
      if (this.isOver) {
        resume(Effect.fail(this.timeout()));
        return;
      }
      let isSettled = false;
      let cancel: (() => void) | void;
      this.onOver = () => {
        if (isSettled) return;
        isSettled = true;
        cancel?.();
        resume(Effect.fail(this.timeout()));
      };
      cancel = start((result) => {
        if (isSettled) return;
        isSettled = true;
        resume(result);
      });
      return Effect.sync(() => {
        isSettled = true;
        cancel?.();
      });
    });
  }

  /** Ends the timer. */
  clear(): void {
    this.onOver = undefined;
    this.timer?.interruptUnsafe();
  }
}
