/**
 * The options of a single call, and the reports that hooks receive about requests, responses and
 * retries.
 *
 * A hook that throws is logged as a warning and does not change the call.
 */
import type * as Duration from "effect/Duration";
import type { GameApiError } from "./Errors.ts";

/** Options of one call. The client's options apply to those left out. */
export interface CallOptions {
  /** For one request, from sending to the last byte; and for a source to give its token. */
  readonly timeout?: Duration.Input | undefined;
  /** For the whole call, waits and retries included. */
  readonly totalTimeout?: Duration.Input | undefined;
  /**
   * Longest wait for the rate limit or for a `Retry-After`. The call fails with `RateLimited`
   * as soon as the wait is known to be longer. `"Infinity"` waits without a bound.
   */
  readonly maxWait?: Duration.Input | undefined;
  /** Higher goes first among calls that wait. Default: 0. */
  readonly priority?: number | undefined;
  /** Further attempts after the first. */
  readonly retries?: number | undefined;
  /**
   * Aborts the call, also while it waits for the rate limit. In Effect, interrupting the fiber does
   * the same.
   */
  readonly signal?: AbortSignal | undefined;
  /** Repeats a POST too. Use it only where doing it twice does no harm. */
  readonly retryUnsafe?: boolean | undefined;
  /** Called with every response to this call, failed attempts included. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
}

/** A request that is about to be sent. */
export interface RequestInfo {
  /** The call, e.g. `stashes.get`. */
  readonly operation: string;
  /** Method and path template, e.g. `GET /stash/:league`. */
  readonly route: string;
  readonly method: string;
  readonly url: string;
  /** Names in lower case; the access token is replaced by `<redacted>`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Requests sent for the call, this one included. */
  readonly attempts: number;
}

/** The facts about a response beside its value. */
export interface ResponseInfo {
  /** The call, e.g. `stashes.get`. */
  readonly operation: string;
  /** Method and path template, e.g. `GET /stash/:league`. */
  readonly route: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Requests sent for the call, this one included. */
  readonly attempts: number;
  /** Milliseconds spent waiting for the rate limit. */
  readonly waitedMillis: number;
  /** The rate-limit policy, once known. */
  readonly policy: string | undefined;
  /** The service's name for the request. */
  readonly requestId: string | undefined;
}

/** A retry that is about to happen. */
export interface RetryInfo {
  /** The call, e.g. `stashes.get`. */
  readonly operation: string;
  /** Method and path template, e.g. `GET /stash/:league`. */
  readonly route: string;
  /** Requests sent so far. */
  readonly attempts: number;
  /** The error that is retried. */
  readonly error: GameApiError;
  /** Milliseconds until the retry, the rate limit's wait not included. */
  readonly delayMillis: number;
}

/** Functions that are called on the way of every call of a client. */
export interface Hooks {
  /** Called before a request is sent. */
  readonly onRequest?: ((request: RequestInfo) => void) | undefined;
  /** Called with every response. */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
  /** Called before a retry. */
  readonly onRetry?: ((retry: RetryInfo) => void) | undefined;
}

/**
 * The request as a `curl` command, with the access token redacted. The client logs it at debug
 * level.
 *
 * @example
 * ```ts
 * import { toCurl } from "@game-data/api-client";
 *
 * const command = toCurl({
 *   operation: "profile.get",
 *   route: "GET /profile",
 *   method: "GET",
 *   url: "https://api.example/profile",
 *   headers: { authorization: "Bearer <redacted>" },
 *   body: undefined,
 *   attempts: 1,
 * });
 * if (command !== "curl -H 'authorization: Bearer <redacted>' 'https://api.example/profile'") {
 *   throw new Error(command);
 * }
 * ```
 */
export const toCurl = ({ method, url, headers, body }: RequestInfo): string =>
  [
    "curl",
    ...(method === "GET" ? [] : method === "HEAD" ? ["-I"] : ["-X", method]),
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", quoted(`${name}: ${value}`)]),
    ...(body === undefined ? [] : ["--data", quoted(body)]),
    quoted(url),
  ].join(" ");

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
