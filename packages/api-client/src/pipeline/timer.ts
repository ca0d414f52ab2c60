/**
 * The timers of calls and attempts.
 *
 * One timer serves all attempts of the same duration. `Effect.timeout` would run each part in a
 * fiber of its own and set a timer for each, which costs more than the rest of a small call.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type * as Fiber from "effect/Fiber";

/** Durations of options in milliseconds. */
export const toMillis = (input: Duration.Input | undefined, fallback: number): number =>
  input === undefined
    ? fallback
    : typeof input === "number"
      ? input
      : Duration.toMillis(Duration.fromInputUnsafe(input));

/** Calls `fire` after `millis` by the clock of the fiber; returns what ends the timer. */
export const startTimer = (
  millis: number,
  fiber: Fiber.Fiber<unknown, unknown>,
  fire: () => void,
): (() => void) | undefined => {
  if (!Number.isFinite(millis)) return undefined;
  return fiber.getRef(Clock.Clock) === liveClock
    ? fireAfter(millis, fire)
    : sleepAndFire(millis, fire, fiber);
};

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
