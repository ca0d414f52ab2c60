/**
 * Checks the options of a client by their names, those that do not exist included.
 */
import {
  amount,
  callback,
  checkOptions,
  flag,
  having,
  positiveInteger,
  text,
  type Expected,
} from "@game-data/rate-limit/options";
import type { UserAgent } from "@game-data/contract/UserAgent";
import type { PromiseOptions } from "../promise/Model.ts";
import { duration, named } from "./checkOptions.ts";

// Looked at by what reads it.
const any: Expected = { is: "anything", fits: () => true };

const OPTIONS: Readonly<Record<keyof PromiseOptions, Expected>> = {
  baseUrl: text,
  words: having(),
  credentials: any,
  userAgent: any,
  timeout: duration,
  totalTimeout: duration,
  maxWait: duration,
  retry: having(),
  maxBodyBytes: positiveInteger,
  dedupe: flag,
  cache: having("lookUp"),
  inspect: callback,
  onRequest: callback,
  onResponse: callback,
  onRetry: callback,
  fetch: callback,
  transport: callback,
  limiter: having(),
};

const USER_AGENT: Readonly<Record<keyof UserAgent, Expected>> = {
  clientId: any,
  version: any,
  contact: any,
  comment: any,
};

const RETRY = { times: amount, base: duration, cap: duration, budget: amount };

/** Throws `ConfigurationInvalid` for the first option of a client that cannot work. */
export const checkClientOptions = (options: {
  readonly retry?: unknown;
  readonly userAgent?: unknown;
}): void =>
  named("", () => {
    checkOptions(options, OPTIONS);
    checkOptions(options.userAgent, USER_AGENT, "userAgent");
    if (options.retry !== undefined) checkOptions(options.retry, RETRY, "retry");
  });
