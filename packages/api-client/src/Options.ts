/** Options of a client and of a call, with their checks and defaults. */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { identityWords, makeWords, type Words, WordsInvalid } from "@game-data/contract/routes";
import { isSecureUrl } from "@game-data/contract/SecureUrl";
import { formatUserAgent, type UserAgent } from "@game-data/contract/UserAgent";
import {
  checkLimiterOptions,
  LimiterOptionInvalid,
  type LimiterOptions,
} from "@game-data/rate-limit";
import * as Duration from "effect/Duration";
import * as Layer from "effect/Layer";
import * as Predicate from "effect/Predicate";
import { type Credentials, toTokenSource } from "./Credentials.ts";
import type { CallInfo, GameApiError } from "./Errors.ts";

/** Options of clients and of calls. A call inherits the options of its client. */
interface SharedOptions {
  /**
   * Longest time for one request, from sending to the last byte, and for a token source to return its
   * token. Default: 30 seconds.
   */
  readonly timeout?: Duration.Input | undefined;
  /** Longest time for a whole call, with waits and retries. Default: none. */
  readonly totalTimeout?: Duration.Input | undefined;
  /**
   * Longest wait for the rate limit or for a `Retry-After`. The call fails with `RateLimited` as
   * soon as the wait is known to be longer. `"Infinity"` waits without a bound. Default: 10 minutes.
   */
  readonly maxWait?: Duration.Input | undefined;
  /**
   * Called with every response, failed attempts included. The hook of a call runs after the hook of
   * its client.
   */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
}

/** Options of one call. Omitted time limits and retries are the client's. */
export interface CallOptions extends SharedOptions {
  /** A higher number goes first among calls that wait for the rate limit. Default: 0. */
  readonly priority?: number | undefined;
  /** Further attempts after the first. Default: `retry.times` of the client. */
  readonly retries?: number | undefined;
  /** Repeats a POST too. Use it only if processing the request twice does no harm. */
  readonly retryUnsafe?: boolean | undefined;
}

/** Facts about a response, without its value. `attempts` includes the request of this response. */
export interface ResponseInfo extends Pick<
  CallInfo,
  "attempts" | "operation" | "policy" | "requestId" | "route"
> {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Milliseconds that the call has waited for the rate limit. */
  readonly waitedMillis: number;
}

/** Argument of `onRetry`: the error of the last attempt, and the wait before the next attempt. */
export interface RetryInfo extends Pick<ResponseInfo, "attempts" | "operation" | "route"> {
  readonly error: GameApiError;
  readonly delayMillis: number;
}

/** Retries of a client. A wait is random up to a bound, plus the time that the service requests. */
export interface RetryPolicy {
  /** Further attempts after the first. Default: 3. */
  readonly times?: number | undefined;
  /** Upper bound of the first wait; it doubles with every retry. Default: 250 ms. */
  readonly base?: Duration.Input | undefined;
  /** Largest bound of a wait. Default: 20 s. */
  readonly cap?: Duration.Input | undefined;
  /**
   * Size of the retry budget, which all calls of the client share. Each retry takes one from it, and
   * each successful call returns half of one. If the budget is spent, calls fail with their first
   * error. Default: 20.
   */
  readonly budget?: number | undefined;
}

/** Options of a client. `GameApiLayerOptions` adds the options of its limiter. */
export interface GameApiOptions extends SharedOptions {
  /** {base_url}: address of the data API. HTTPS, or HTTP on a loopback address. */
  readonly baseUrl: string;
  readonly userAgent: UserAgent;
  /** The source of access tokens. Without one, calls carry no token and most are refused. */
  readonly credentials?: Credentials | undefined;
  /** The realm names of the deployment, if they differ from the specification's. */
  readonly words?: Partial<Words> | undefined;
  readonly retry?: RetryPolicy | undefined;
  /** Largest body that is decoded, after decompression. Default: 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Called before the wait of each retry. */
  readonly onRetry?: ((retry: RetryInfo) => void) | undefined;
}

/** Options of a client that makes its own limiter. */
export interface GameApiLayerOptions extends GameApiOptions {
  /** Options of the rate limiter. The client's `maxWait` applies instead of the limiter's. */
  readonly limiter?: LimiterOptions | undefined;
}

/** Checked options with defaults. Durations are in milliseconds. */
export type Settings = ReturnType<typeof resolveOptions>;

/** Checks options and fills in the defaults. Throws `ConfigurationInvalid`. */
export const resolveOptions = (options: GameApiLayerOptions) => {
  checkOptions(options);
  const { credentials, limiter = {}, maxBodyBytes = 2 ** 26, retry = {} } = options;
  checkOptions(retry, "retry.");
  checkOptions(limiter, "limiter.");
  checkLimiter(limiter);
  const { budget = 20, times = 3 } = retry;
  return {
    source: credentials === undefined ? undefined : toTokenSource(credentials),
    /** The base URL, normalised, without a slash at its end. */
    address: baseAddress(options.baseUrl),
    words: realmNames(options.words),
    userAgent: userAgentHeader(options.userAgent),
    limits: timeLimits(options),
    maxBodyBytes,
    retry: {
      times,
      base: toMillis(retry.base, 250),
      cap: toMillis(retry.cap, 20_000),
      budget,
    },
    onResponse: options.onResponse,
    onRetry: options.onRetry,
  };
};

/** Returns time limits in milliseconds. Default of a call: the client's limits. */
export const timeLimits = (
  { maxWait, timeout, totalTimeout }: SharedOptions,
  client = { timeout: 30_000, totalTimeout: Number.POSITIVE_INFINITY, maxWait: 600_000 },
) => ({
  timeout: toMillis(timeout, client.timeout),
  totalTimeout: toMillis(totalTimeout, client.totalTimeout),
  maxWait: toMillis(maxWait, client.maxWait),
});

/** Returns whether a value is an abort signal, also if it is of another realm or a polyfill. */
export const isSignal = (value: unknown): value is AbortSignal =>
  Predicate.hasProperty(value, "addEventListener");

const isAtLeast = (min: number) => (value: unknown) => typeof value === "number" && value >= min;

const isDuration = (min: number) => (value: any) => {
  const duration = Duration.fromInput(value);
  // `Duration` turns NaN into zero.
  const isValid = duration._tag === "Some" && !Number.isNaN(value);
  return isValid && Duration.toMillis(duration.value) >= min;
};

/** Checks of options that are not validated elsewhere, for programs without types. */
const CHECKS: ReadonlyArray<
  readonly [expected: string, (value: any) => boolean, names: ReadonlyArray<string>]
> = [
  ["a duration of at least 1 ms", isDuration(1), ["timeout", "totalTimeout"]],
  ["a duration, such as 30 seconds", isDuration(0), ["base", "cap", "maxWait"]],
  ["a function", Predicate.isFunction, ["accepts", "fetch", "onResponse", "onRetry"]],
  ["a layer", Layer.isLayer, ["http", "store"]],
  ["a number", (value) => Number(value) === value, ["priority"]],
  ["a number of at least 0", isAtLeast(0), ["budget", "retries", "times"]],
  ["a number of at least 1", isAtLeast(1), ["maxBodyBytes"]],
  ["a string", Predicate.isString, ["identity"]],
  ["an AbortSignal", isSignal, ["signal"]],
  ["an object", Predicate.isObject, ["limiter", "retry"]],
];

/** Refuses an option of the wrong type. Throws `ConfigurationInvalid` with the option's name. */
export const checkOptions = (options: object, prefix = ""): void => {
  if (!Predicate.isObject(options)) throw invalid("options", "must be an object");
  for (const [name, value] of Object.entries(options)) {
    const [expected, isValid] = CHECKS.find(([, , names]) => names.includes(name)) ?? [];
    if (value !== undefined && isValid?.(value) === false)
      throw invalid(prefix + name, `must be ${expected}`);
  }
};

const toMillis = (input: Duration.Input | undefined, fallback: number): number =>
  input === undefined ? fallback : Duration.toMillis(Duration.fromInputUnsafe(input));

const checkLimiter = (options: LimiterOptions): void => {
  try {
    checkLimiterOptions(options);
  } catch (error) {
    if (!(error instanceof LimiterOptionInvalid)) throw error;
    throw invalid(`limiter.${error.option}`, `must be ${error.expected}`);
  }
};

const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason });

const baseAddress = (baseUrl: string): string => {
  // A token must not travel in the clear (RFC 6750 §5.3).
  if (baseUrl === undefined || !isSecureUrl(baseUrl))
    throw invalid("baseUrl", "must be an HTTPS address, or HTTP on a loopback address");
  const { href } = new URL(baseUrl);
  if (/[?#@]/u.test(href))
    throw invalid("baseUrl", "must have no query, no fragment and no password");
  return href.replace(/\/$/u, "");
};

const userAgentHeader = (userAgent: UserAgent): string => {
  const formatted = formatUserAgent(userAgent ?? {});
  if (formatted.ok) return formatted.value;
  // Removes the option name and the final period of the sentence, because the message adds both.
  throw invalid(`userAgent.${formatted.option}`, formatted.reason.replace(/^\w+ |\.$/gu, ""));
};

const realmNames = (words: GameApiOptions["words"]): Words => {
  try {
    return words ? makeWords(words) : identityWords;
  } catch (error) {
    if (!(error instanceof WordsInvalid)) throw error;
    throw invalid(error.word === undefined ? "words" : `words.${error.word}`, error.reason);
  }
};
