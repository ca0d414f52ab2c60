/** Checks times among options: a limit that is no number would be none, or end everything at once. */
import * as Duration from "effect/Duration";
import * as Option from "effect/Option";
import { configurationError } from "./configurationError.ts";

/** The time, or a `ConfigurationInvalid` that names the option. `Infinity` is one. */
export const positiveTime = (option: string, value: Duration.Input) => {
  const time = Option.getOrUndefined(Duration.fromInput(value));
  return time && Duration.isPositive(time)
    ? time
    : configurationError(option, "must be a positive time");
};

/** The time in milliseconds; throws the `ConfigurationInvalid` of `positiveTime`. */
export const positiveMillis = (option: string, value: Duration.Input): number => {
  const time = positiveTime(option, value);
  if (!Duration.isDuration(time)) throw time;
  return Duration.toMillis(time);
};
