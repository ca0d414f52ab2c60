/**
 * Checks the options of a client and of a call by their names: `NaN`, `null`, texts in place of
 * numbers, and options that do not exist.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { checkPolicyLimiterOptions } from "@game-data/rate-limit/effect";
import {
  amount,
  callback,
  checkOptions,
  finite,
  flag,
  ConfigurationInvalidError,
  positiveInteger,
  type Expected,
} from "@game-data/rate-limit/options";
import * as Duration from "effect/Duration";
import type { CallOptions } from "../CallOptions.ts";
import type { PromiseOptions } from "../promise/Model.ts";

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

const duration: Expected = {
  is: 'a duration of at least 0, such as "30 seconds"',
  fits: (value) => {
    if (typeof value === "number") return value >= 0;
    // An object that names no unit would be no time at all.
    if (isEmptyObject(value)) return false;
    const read = Duration.fromInput(value as Duration.Input);
    return read._tag === "Some" && Duration.toMillis(read.value) >= 0;
  },
};

const object: Expected = {
  is: "an object",
  fits: (value) => typeof value === "object" && value !== null,
};

const given: Expected = { is: "given", fits: (value) => value !== null };

const OPTIONS: Readonly<Record<keyof PromiseOptions, Expected>> = {
  baseUrl: { is: "a text", fits: (value) => typeof value === "string" },
  words: object,
  credentials: given,
  userAgent: object,
  timeout: duration,
  totalTimeout: duration,
  maxWait: duration,
  retry: object,
  maxBodyBytes: positiveInteger,
  dedupe: flag,
  cache: object,
  inspect: callback,
  onRequest: callback,
  onResponse: callback,
  onRetry: callback,
  fetch: callback,
  transport: callback,
  limiter: object,
};

const RETRY = { times: amount, base: duration, cap: duration, budget: amount };

const CALL_OPTIONS: ReadonlyArray<readonly [keyof CallOptions, Expected]> = [
  ["timeout", duration],
  ["totalTimeout", duration],
  ["maxWait", duration],
  ["priority", finite],
  ["retries", amount],
];

/** Runs a check; its error becomes the one of this package, under the name of what holds it. */
const named = (path: string, check: () => void): void => {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ConfigurationInvalidError)) throw error;
    const { expected, got, option } = error;
    throw new ConfigurationInvalid({
      option: `${path}${option}`,
      reason: `must be ${expected}, not ${got}`,
    });
  }
};

/** Throws `ConfigurationInvalid` for the first option of a client that cannot work. */
export const checkClientOptions = (options: Partial<PromiseOptions>): void => {
  named("", () => {
    checkOptions(options, OPTIONS);
    if (options.retry !== undefined) checkOptions(options.retry, RETRY, "retry");
  });
  const { limiter } = options;
  if (limiter !== undefined) named("limiter.", () => checkPolicyLimiterOptions(limiter));
};

/** The first option of a call that cannot work, in words; `undefined`: all can. */
export const callOptionProblem = (options: CallOptions): string | undefined => {
  for (const [name, expected] of CALL_OPTIONS) {
    const value = options[name];
    if (value !== undefined && !expected.fits(value)) return `${name}: must be ${expected.is}`;
  }
  return undefined;
};
