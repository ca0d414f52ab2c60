/**
 * The time of one attempt, over its request and the reading of its body.
 *
 * One timer serves all attempts of the same duration. `Effect.timeout` would run each part in a
 * fiber of its own and set a timer for each, which costs more than the rest of a small call.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Fiber from "effect/Fiber";
import type { GameApiError, Timeout } from "../Errors.ts";

export class Deadline {
  private readonly timeout: () => Timeout;
  private readonly stop: (() => void) | undefined;
  private isOver = false;
  private onOver: (() => void) | undefined;

  constructor(millis: number, fiber: Fiber.Fiber<unknown, unknown>, timeout: () => Timeout) {
    this.timeout = timeout;
    if (!Number.isFinite(millis)) return;
    const fire = () => {
      this.isOver = true;
      this.onOver?.();
    };
    this.stop =
      fiber.getRef(Clock.Clock) === liveClock
        ? fireAfter(millis, fire)
        : sleepAndFire(millis, fire, fiber);
  }

  /** Runs `start` until it settles, is interrupted, or the time is over; then calls its result. */
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
    this.stop?.();
  }
}

const liveClock = /*#__PURE__*/ Context.get(/*#__PURE__*/ Context.empty(), Clock.Clock);

/** For other clocks, such as the one of tests. */
const sleepAndFire = (
  millis: number,
  fire: () => void,
  fiber: Fiber.Fiber<unknown, unknown>,
): (() => void) => {
  const timer = Effect.runForkWith(fiber.context)(
    Effect.andThen(Effect.sleep(millis), Effect.sync(fire)),
  );
  return () => timer.interruptUnsafe();
};

interface Entry {
  readonly expiresAt: number;
  readonly fire: () => void;
}

/** The running attempts by duration, oldest first: the first of a lane expires first. */
const lanes = /*#__PURE__*/ new Map<number, Set<Entry>>();

const fireAfter = (millis: number, fire: () => void): (() => void) => {
  let lane = lanes.get(millis);
  if (lane === undefined) {
    lane = new Set();
    lanes.set(millis, lane);
    arm(millis, lane, millis);
  }
  const entry = { expiresAt: performance.now() + millis, fire };
  lane.add(entry);
  return () => lane.delete(entry);
};

/** The longest delay of a timer. */
const MAX_DELAY = 2 ** 31 - 1;

const arm = (millis: number, lane: Set<Entry>, delay: number): void => {
  const timer: unknown = setTimeout(
    () => {
      const now = performance.now();
      for (const entry of lane) {
        if (entry.expiresAt > now) {
          arm(millis, lane, entry.expiresAt - now);
          return;
        }
        lane.delete(entry);
        entry.fire();
      }
      lanes.delete(millis);
    },
    Math.min(Math.ceil(delay), MAX_DELAY),
  );
  // The timer outlives its attempts and must not keep a program from ending: sockets do that.
  (timer as { readonly unref?: () => void }).unref?.();
};
