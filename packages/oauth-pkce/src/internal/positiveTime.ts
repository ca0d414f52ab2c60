/** Checks times among options: a limit that is no number would be none, or end everything at once. */
import * as Duration from "effect/Duration";
import * as Option from "effect/Option";
import { configurationError } from "./configurationError.ts";

/** The time, or a `ConfigurationInvalid` that names the option. `Infinity` is one. */
export const positiveTime = (option: string, value: Duration.Input) =>
  Option.getOrUndefined(Option.filter(Duration.fromInput(value), Duration.isPositive)) ??
  configurationError(option, "must be a positive time");
