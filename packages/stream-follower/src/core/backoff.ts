/** Waits between attempts: each twice the one before, up to a cap. */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Random from "effect/Random";
import * as Schedule from "effect/Schedule";

/** The wait after so many attempts before this one, in milliseconds. */
export const doubled = (baseMillis: number, capMillis: number, before: number): number =>
  Math.min(capMillis, baseMillis * 2 ** before);

/**
 * The same as a schedule. Each wait is between half and the whole of it, so that processes which
 * lost a store together do not come back together; `waitOf` may lengthen it.
 */
export const backoff = (
  baseMillis: number,
  capMillis: number,
  waitOf: (millis: number) => Effect.Effect<number> = Effect.succeed,
): Schedule.Schedule<Duration.Duration> =>
  Schedule.exponential(baseMillis).pipe(
    Schedule.modifyDelay(({ attempt }) =>
      Effect.gen(function* () {
        const part = 0.5 + (yield* Random.next) / 2;
        return Duration.millis(yield* waitOf(doubled(baseMillis, capMillis, attempt - 1) * part));
      }),
    ),
  );
