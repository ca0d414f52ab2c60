/**
 * Checks of options by their names, with the error of this package.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import {
  checkOptions,
  ConfigurationInvalidError,
  type Expected,
} from "@game-data/rate-limit/options";
import * as Duration from "effect/Duration";

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

export const duration: Expected = {
  is: 'a duration of at least 0, such as "30 seconds"',
  fits: (value) => {
    if (typeof value === "number") return value >= 0;
    // An object that names no unit would be no time at all.
    if (isEmptyObject(value)) return false;
    const read = Duration.fromInput(value as Duration.Input);
    return read._tag === "Some" && Duration.toMillis(read.value) >= 0;
  },
};

/** Runs a check; its error becomes the one of this package, under the name of what holds it. */
export const named = <A>(path: string, check: () => A): A => {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ConfigurationInvalidError)) throw error;
    const { expected, got, option } = error;
    throw new ConfigurationInvalid({
      option: `${path}${option}`,
      reason: `must be ${expected}, not ${got}`,
    });
  }
};

/** Throws `ConfigurationInvalid` for the first of the options of an extra that cannot work. */
export const checkExtra = (options: object, expected: Readonly<Record<string, Expected>>): void =>
  named("", () => checkOptions(options, expected));
