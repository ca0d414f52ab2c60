/** Durations of options in milliseconds. */
import * as Duration from "effect/Duration";

export const toMillis = (input: Duration.Input | undefined, fallback: number): number =>
  input === undefined
    ? fallback
    : typeof input === "number"
      ? input
      : Duration.toMillis(Duration.fromInputUnsafe(input));
