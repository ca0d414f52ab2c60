/**
 * Checks options of a call, and of extras, by their names: `NaN`, `null`, texts in place of numbers.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import {
  amount,
  callback,
  checkOptions,
  ConfigurationInvalidError,
  finite,
  having,
  type Expected,
} from "@game-data/rate-limit/options";
import * as Duration from "effect/Duration";
import type { CallOptions } from "../CallOptions.ts";

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

const CALL_OPTIONS: ReadonlyArray<readonly [keyof CallOptions, Expected]> = [
  ["timeout", duration],
  ["totalTimeout", duration],
  ["maxWait", duration],
  ["priority", finite],
  ["retries", amount],
  ["signal", having("addEventListener")],
  ["onResponse", callback],
];

/** The first option of a call that cannot work, in words; `undefined`: all can. */
export const callOptionProblem = (options: CallOptions): string | undefined => {
  for (const [name, expected] of CALL_OPTIONS) {
    const value = options[name];
    if (value !== undefined && !expected.fits(value)) return `${name}: must be ${expected.is}`;
  }
  return undefined;
};
