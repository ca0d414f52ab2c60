/**
 * The timers of calls and attempts.
 *
 * One timer serves all attempts of the same duration. A timer for each costs more than the rest of
 * a small call.
 */
import * as Duration from "effect/Duration";

/** Durations of options in milliseconds. */
export const toMillis = (input: Duration.Input | undefined, fallback: number): number =>
  input === undefined
    ? fallback
    : typeof input === "number"
      ? input
      : Duration.toMillis(Duration.fromInputUnsafe(input));

interface Entry {
  readonly expiresAt: number;
  readonly fire: () => void;
}

/** The running attempts by duration, oldest first: the first of a lane expires first. */
const lanes = /*#__PURE__*/ new Map<number, Set<Entry>>();

/** Calls `fire` after `millis`; returns what ends the timer. */
export const startTimer = (millis: number, fire: () => void): (() => void) => {
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
