/**
 * Checks the options of a client and of a call by their names: `NaN`, `null`, texts in place of
 * numbers, and options that do not exist.
 */
import { checkPolicyLimiterOptions } from "@game-data/rate-limit/effect";
import {
  amount,
  callback,
  checkOptions,
  finite,
  flag,
  positiveInteger,
  type Expected,
} from "@game-data/rate-limit/options";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { CallOptions } from "../CallOptions.ts";
import type { PromiseOptions } from "../promise/Model.ts";
import { duration, hasFunction, named, object } from "./expected.ts";

const credentials: Expected = {
  is: "a token, or a function, a session or a source that gives one",
  fits: (value) =>
    ["string", "function"].includes(typeof value) ||
    Redacted.isRedacted(value) ||
    [Object(value).tokens, Object(value).current].some(
      (read) => typeof read === "function" || Effect.isEffect(read),
    ),
};

const OPTIONS: Readonly<Record<keyof PromiseOptions, Expected>> = {
  baseUrl: { is: "a text", fits: (value) => typeof value === "string" },
  words: object,
  credentials,
  userAgent: object,
  timeout: duration,
  totalTimeout: duration,
  maxWait: duration,
  retry: object,
  maxBodyBytes: positiveInteger,
  dedupe: flag,
  cache: hasFunction("lookUp"),
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
  ["signal", hasFunction("addEventListener")],
  ["onResponse", callback],
];

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
