/**
 * The timers of calls and attempts.
 *
 * One timer serves all attempts of the same duration. A timer for each costs more than the rest of
 * a small call.
 */
import * as Duration from "effect/Duration";

/** Durations of options in milliseconds. */
export const toMillis = (input: Duration.Input | undefined, fallback = 0): number =>
  input === undefined
    ? fallback
    : typeof input === "number"
      ? input
      : Duration.toMillis(Duration.fromInputUnsafe(input));

interface Entry {
  readonly expiresAt: number;
  readonly fire: () => void;
}

/** The running attempts of one duration, oldest first: the first one expires first. */
interface Lane {
  readonly entries: Set<Entry>;
  /** It outlives its attempts, but keeps a program from ending only while there are some. */
  timer?: { readonly ref?: () => void; readonly unref?: () => void };
}

const lanes = /*#__PURE__*/ new Map<number, Lane>();

/** With more lanes than this, one ends with the last of its attempts, and not with its time. */
const MAX_LANES = 64;

/** Calls `fire` after `millis`; returns what ends the timer. */
export const startTimer = (millis: number, fire: () => void): (() => void) => {
  let lane = lanes.get(millis);
  if (lane === undefined) {
    lane = { entries: new Set() };
    lanes.set(millis, lane);
    arm(millis, lane, millis);
  }
  const { entries, timer } = lane;
  if (entries.size === 0) timer?.ref?.();
  const entry = { expiresAt: performance.now() + millis, fire };
  entries.add(entry);
  return () => {
    if (!entries.delete(entry) || entries.size > 0) return;
    if (lanes.size > MAX_LANES) {
      clearTimeout(lane.timer as number | undefined);
      lanes.delete(millis);
    } else lane.timer?.unref?.();
  };
};

/** The longest delay of a timer. */
const MAX_DELAY = 2 ** 31 - 1;

const arm = (millis: number, lane: Lane, delay: number): void => {
  lane.timer = setTimeout(
    () => {
      const now = performance.now();
      for (const entry of lane.entries) {
        if (entry.expiresAt > now) {
          arm(millis, lane, entry.expiresAt - now);
          return;
        }
        lane.entries.delete(entry);
        try {
          entry.fire();
        } catch (cause) {
          // The others of the lane are no part of it.
          queueMicrotask(() => {
            throw cause;
          });
        }
      }
      lanes.delete(millis);
    },
    Math.min(Math.ceil(delay), MAX_DELAY),
  );
};
