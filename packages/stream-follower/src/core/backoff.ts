/** Waits between attempts: each twice the one before, up to a cap. */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Random from "effect/Random";
import * as Schedule from "effect/Schedule";

/** The wait after so many attempts before this one, in milliseconds. */
export const doubled = (baseMillis: number, capMillis: number, before: number): number =>
  Math.min(capMillis, baseMillis * 2 ** before);

/**
 * The same as a schedule. Each wait is between half and the whole of what `ceiling` makes of it, so
 * that processes which lost a store together do not come back together.
 */
export const backoff = (
  baseMillis: number,
  capMillis: number,
  ceiling: (millis: number) => number = (millis) => millis,
): Schedule.Schedule<Duration.Duration> =>
  Schedule.exponential(baseMillis).pipe(
    Schedule.modifyDelay(({ attempt }) =>
      Effect.map(Random.next, (random) => {
        const millis = ceiling(doubled(baseMillis, capMillis, attempt - 1));
        return Duration.millis(millis * (0.5 + random / 2));
      }),
    ),
  );
