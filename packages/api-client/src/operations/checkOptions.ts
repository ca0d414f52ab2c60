/**
 * Checks of options by their names, with the error of this package.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import {
  amount,
  callback,
  checkOptions,
  ConfigurationInvalidError,
  finite,
  flag,
  having,
  type Expected,
} from "@game-data/rate-limit/options";
import * as Duration from "effect/Duration";
import type { CallOptions } from "../CallOptions.ts";
import { InvalidRequest } from "../Errors.ts";

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

const CALL_OPTIONS: Readonly<Record<keyof CallOptions, Expected>> = {
  timeout: duration,
  totalTimeout: duration,
  maxWait: duration,
  priority: finite,
  retries: amount,
  retryUnsafe: flag,
  signal: /*#__PURE__*/ having("addEventListener", "removeEventListener"),
  onResponse: callback,
};

/** The first option of a call that cannot work, in words; `undefined`: all can. */
export const callOptionProblem = (options: object | null): string | undefined => {
  if (typeof options !== "object" || options === null) return "options: must be an object";
  for (const name in options) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) continue;
    if (!Object.hasOwn(CALL_OPTIONS, name))
      return `${name}: must be one of ${Object.keys(CALL_OPTIONS).join(", ")}`;
    const expected = CALL_OPTIONS[name as keyof CallOptions];
    if (!expected.fits(value)) return `${name}: must be ${expected.is}`;
  }
  return undefined;
};

/** The error of a method that cannot be called like this. */
export const uncallable = (operation: string, detail: string): InvalidRequest =>
  new InvalidRequest({ operation, route: "", attempts: 0, detail });

/** The options that a method has beside those of every call, and the others. */
export const splitOptions = <Options extends object, Name extends keyof Options & string>(
  options: Options | undefined,
  names: ReadonlyArray<Name>,
): readonly [own: Partial<Pick<Options, Name>>, others: CallOptions | undefined] => {
  // What holds none is told with the others.
  if (typeof options !== "object" || options === null) return [{}, options];
  const { others = [], own = [] } = Object.groupBy(Object.entries(options), ([name]) =>
    names.includes(name as Name) ? "own" : "others",
  );
  return [Object.fromEntries(own) as Partial<Pick<Options, Name>>, Object.fromEntries(others)];
};
