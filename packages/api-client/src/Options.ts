/** Options of a client and of a call. */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { identityWords, makeWords, type Words, WordsInvalid } from "@game-data/contract/routes";
import { isSecureUrl } from "@game-data/contract/SecureUrl";
import { formatUserAgent, type UserAgent } from "@game-data/contract/UserAgent";
import type { LimiterOptionInvalid } from "@game-data/rate-limit";
import * as Duration from "effect/Duration";
import * as Option from "effect/Option";
import type { Credentials } from "./Credentials.ts";
import type { GameApiError } from "./Errors.ts";

/** Options of one call. Those of the client apply to the ones left out. */
export interface CallOptions {
  /** For one request, from sending to the last byte; and for a source to return its token. */
  readonly timeout?: Duration.Input | undefined;
  /** For the whole call, with waits and retries. */
  readonly totalTimeout?: Duration.Input | undefined;
  /**
   * Longest wait for the rate limit or for a `Retry-After`. The call fails with `RateLimited` as
   * soon as the wait is known to be longer. `"Infinity"` waits without a bound.
   */
  readonly maxWait?: Duration.Input | undefined;
  /** A higher number goes first among calls that wait for the rate limit. Default: 0. */
  readonly priority?: number | undefined;
  /** Further attempts after the first. */
  readonly retries?: number | undefined;
  /** Repeats a POST too. Use it only if processing the request twice does no harm. */
  readonly retryUnsafe?: boolean | undefined;
  /** Called with every response to this call, failed attempts included. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
}

/** The facts about a response beside its value. */
export interface ResponseInfo {
  /** The operation, e.g. `stashes.get`. */
  readonly operation: string;
  /** Method and path template, e.g. `GET /stash/:league`. */
  readonly route: string;
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Requests sent for the call, this one included. */
  readonly attempts: number;
  /** Milliseconds that the call has waited for the rate limit. */
  readonly waitedMillis: number;
  /** The rate-limit policy, if known. */
  readonly policy: string | undefined;
  /** The service's id of the request. */
  readonly requestId: string | undefined;
}

/** A retry that is about to happen. */
export interface RetryInfo extends Pick<ResponseInfo, "attempts" | "operation" | "route"> {
  readonly error: GameApiError;
  /** The wait before the retry. */
  readonly delayMillis: number;
}

/** When and how often to retry. */
export interface RetryPolicy {
  /** Further attempts after the first. Default: 3. */
  readonly times?: number | undefined;
  /** Upper bound of the first wait; it doubles with every retry. Default: 250 ms. */
  readonly base?: Duration.Input | undefined;
  /** Largest upper bound. Default: 20 s. */
  readonly cap?: Duration.Input | undefined;
  /** Retries in a row without a success; each success earns back half a retry. Default: 20. */
  readonly budget?: number | undefined;
}

/** Options of a client. */
export interface GameApiOptions {
  /** {base_url}: address of the data API. HTTPS, or HTTP on a loopback address. */
  readonly baseUrl: string;
  /** The calling application. */
  readonly userAgent: UserAgent;
  /** The source of access tokens. Without one, calls carry no token and most are refused. */
  readonly credentials?: Credentials | undefined;
  /** The realm names of the deployment, if they differ from the specification's. */
  readonly words?: Partial<Words> | undefined;
  /** For one request, from sending to the last byte. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined;
  /** For a whole call, with waits and retries. Default: none. */
  readonly totalTimeout?: Duration.Input | undefined;
  /** Longest wait for the rate limit or for a `Retry-After`. Default: 10 minutes. */
  readonly maxWait?: Duration.Input | undefined;
  readonly retry?: RetryPolicy | undefined;
  /** Largest body that is decoded, after decompression. Default: 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Called with every response. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
  /** Called before a retry. */
  readonly onRetry?: ((retry: RetryInfo) => void) | undefined;
}

/** Checked options with defaults. Durations are in milliseconds. */
export interface Settings extends Pick<GameApiOptions, "onResponse" | "onRetry"> {
  /** The base URL, normalised, without a slash at its end. */
  readonly address: string;
  readonly words: Words;
  readonly userAgent: string;
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxWait: number;
  readonly maxBodyBytes: number;
  readonly retry: Required<{ readonly [Name in keyof RetryPolicy]: number }>;
}

/** Checks options and fills in the defaults. Throws `ConfigurationInvalid`. */
export const resolveOptions = (options: GameApiOptions): Settings => {
  const { maxBodyBytes = 64 * 1024 * 1024, onResponse, onRetry, retry = {} } = options;
  if (!(maxBodyBytes > 0)) throw invalid("maxBodyBytes", "must be positive");
  return {
    address: baseAddress(options.baseUrl),
    words: realmNames(options.words),
    userAgent: userAgentHeader(options.userAgent),
    timeout: toMillis("timeout", options.timeout, 30_000),
    totalTimeout: toMillis("totalTimeout", options.totalTimeout, Number.POSITIVE_INFINITY),
    maxWait: toMillis("maxWait", options.maxWait, 600_000),
    maxBodyBytes,
    retry: {
      times: toCount("retry.times", retry.times, 3),
      base: toMillis("retry.base", retry.base, 250),
      cap: toMillis("retry.cap", retry.cap, 20_000),
      budget: toCount("retry.budget", retry.budget, 20),
    },
    onResponse,
    onRetry,
  };
};

/** Returns a duration in milliseconds. Throws `ConfigurationInvalid`. */
export const toMillis = (
  option: string,
  input: Duration.Input | undefined,
  fallback: number,
): number => {
  if (input === undefined) return fallback;
  const millis =
    typeof input === "number"
      ? input
      : Option.match(Duration.fromInput(input), {
          onNone: () => Number.NaN,
          onSome: Duration.toMillis,
        });
  if (millis >= 0) return millis;
  throw invalid(option, 'must be a duration of at least 0, such as "30 seconds"');
};

const toCount = (option: string, count: number | undefined, fallback: number): number => {
  const value = count ?? fallback;
  if (value >= 0) return value;
  throw invalid(option, "must be a number of at least 0");
};

/** Names an invalid option of the limiter by its place in the options of the client. */
export const invalidLimiterOption = ({ expected, option }: LimiterOptionInvalid) =>
  invalid(`limiter.${option}`, `must be ${expected}`);

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
  // The reason begins with the option's name and is a sentence.
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
