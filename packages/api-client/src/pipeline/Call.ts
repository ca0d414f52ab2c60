/**
 * The record of a call, which the loop over its attempts keeps, and what the loop is given.
 *
 * Nothing here runs effects: calls run by callbacks, and each face of the client, Effect's and the
 * Promise one, hands in where they run.
 */
import * as Redacted from "effect/Redacted";
import type { CallOptions, RequestInfo, ResponseInfo } from "../CallOptions.ts";
import type { AccessToken, CredentialsError } from "../Credentials.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import type { Attributes, MetricName } from "../Metrics.ts";
import type { IncomingResponse } from "../Transport.ts";
import { toMillis } from "./timer.ts";

/** How something ended: with a value, an error, a defect, or because it was given up. */
export type Outcome<A = unknown, E = GameApiError> =
  | { readonly _tag: "Success"; readonly value: A }
  | { readonly _tag: "Failure"; readonly error: E }
  | { readonly _tag: "Defect"; readonly defect: unknown }
  | { readonly _tag: "Interrupted" };

export const succeed = <A>(value: A): Outcome<A, never> => ({ _tag: "Success", value });
export const fail = <E>(error: E): Outcome<never, E> => ({ _tag: "Failure", error });
export const interrupted: Outcome<never, never> = { _tag: "Interrupted" };

/** Where a call runs: its clock, and who hears of it. */
export interface Host {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Calls `fire` after `millis`, unless the program has ended; returns what ends the timer. */
  readonly startTimer: (millis: number, fire: () => void) => () => void;
  /** The same, and the program waits for it. */
  readonly sleep: (millis: number, wake: () => void) => () => void;
  readonly warn: (message: string, cause: unknown) => void;
  /** Updates a metric. */
  readonly measure?: (metric: MetricName, value: number, attributes: Attributes) => void;
  /** Logs a request, which is described only if somebody reads it. */
  readonly onRequest?: (request: () => RequestInfo) => void;
}

/** A source of access tokens, as calls use it. */
export interface Tokens {
  /** See `TokenSource.identity`. */
  readonly identity?: string | undefined;
  /** Whether there is another token than a refused one. */
  readonly renews: boolean;
  /** Gets a token, other than the `refused` one. Calls back once; returns what gives up. */
  readonly take: (
    host: Host,
    refused: Redacted.Redacted | undefined,
    done: (token: Outcome<AccessToken, CredentialsError>) => void,
  ) => (() => void) | undefined;
}

/** The user that calls are made for. */
export interface Account {
  readonly tokens: Tokens | undefined;
  /** The limiter's name for the user; `undefined` for the client's own. */
  readonly identity: string | undefined;
}

/** A request without its token. */
export interface PreparedRequest {
  readonly operation: string;
  /** Method and path template, as errors and metrics name them. */
  readonly route: string;
  readonly method: string;
  readonly url: string;
  readonly scopes: ReadonlyArray<string>;
  /** The key under which the limiter learns the route's policy. */
  readonly rateLimitRoute: string;
  readonly body?: string | undefined;
}

/** A response that a handler accepts. */
export interface ReceivedResponse {
  readonly incoming: IncomingResponse;
  readonly callInfo: CallInfo;
  readonly info: ResponseInfo;
  /** The most bytes of a body that may be read. */
  readonly maxBodyBytes: number;
  readonly host: Host;
  /** Removes the access token from a text of the service. */
  readonly redact: (text: string) => string;
}

/** Turns responses into values. */
export interface ResponseHandler {
  /** Whether a status is handed to `read`; others become errors. */
  readonly accepts: (status: number) => boolean;
  /** `body`: decompressed; empty if it `streams`. */
  readonly read: (response: ReceivedResponse, body: string) => Outcome;
  /** Whether the body is still read after the call, which then owns the connection. */
  readonly streams?: boolean | undefined;
}

/** The outcome of one attempt, as the limiter records it. */
interface AttemptState {
  sent: boolean;
  status: number | undefined;
  headers?: Readonly<Record<string, string | undefined>> | undefined;
  isFirewallBlock?: boolean | undefined;
}

/** A call to make. */
export interface Task {
  readonly request: PreparedRequest;
  readonly handler: ResponseHandler;
  readonly account: Account;
  readonly options: CallOptions;
}

/** A call with its progress over all attempts. */
export interface Call extends Task {
  handler: ResponseHandler;
  /** Milliseconds. */
  maxWait: number;
  attempts: number;
  retried: number;
  waitedMillis: number;
  policy: string | undefined;
  token: AccessToken | undefined;
  attempt: AttemptState;
  /** Extra request headers, such as `if-none-match`. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The last response. */
  response: ResponseInfo | undefined;
  /** The open response of a call whose body is read later. */
  incoming: IncomingResponse | undefined;
}

/** A call that has not begun. */
export const newCall = ({ account, handler, options, request }: Task, maxWait: number): Call => ({
  request,
  handler,
  account,
  options,
  maxWait: toMillis(options.maxWait, maxWait),
  attempts: 0,
  retried: 0,
  waitedMillis: 0,
  policy: undefined,
  token: undefined,
  attempt: { sent: false, status: undefined },
  headers: undefined,
  response: undefined,
  incoming: undefined,
});

/** A call with options of its own is sent by itself: they change what may happen to it. */
export const isShareable = ({ handler, options, request }: Call): boolean =>
  request.method === "GET" &&
  handler.streams !== true &&
  options.timeout === undefined &&
  options.maxWait === undefined &&
  options.priority === undefined &&
  options.retries === undefined;

/** Numbers users in the order of their first call, without keeping them alive. */
export const numberUsers = (): ((account: Account) => number) => {
  const numbers = new WeakMap<Account, number>();
  let count = 0;
  return (account) => {
    const number = numbers.get(account) ?? count++;
    numbers.set(account, number);
    return number;
  };
};

/** The facts about a call that errors carry. */
export const callInfo = ({ request, attempts, policy }: Call, requestId?: string): CallInfo => {
  const { operation, route } = request;
  const info: { -readonly [Name in keyof CallInfo]: CallInfo[Name] } = {
    operation,
    route,
    attempts,
  };
  if (policy !== undefined) info.policy = policy;
  if (requestId !== undefined) info.requestId = requestId;
  return info;
};

/**
 * Whether a firewall in front of the service responded. Its responses are pages instead of JSON and
 * must never be repeated.
 */
export const isFirewallBlock = (
  status: number,
  headers: Readonly<Record<string, string | undefined>>,
): boolean => {
  if (status < 400) return false;
  if (headers["cf-mitigated"] !== undefined) return true;
  const isPage = (headers["content-type"] ?? "").toLowerCase().includes("html");
  if (status === 403) return isPage;
  // "Error 1015": the firewall's own limit. A service's 429 names its policy or a time.
  return (
    status === 429 &&
    isPage &&
    headers["x-rate-limit-policy"] === undefined &&
    headers["retry-after"] === undefined
  );
};

/**
 * Asks a callback of the program. One that throws, or rejects, is logged as a warning and changes
 * nothing.
 */
export const askHook = <A>(
  host: Host,
  name: string,
  ask: () => A,
  heard?: (answer: Awaited<A>) => void,
): void => {
  const warn = (cause: unknown) => host.warn(`GameApi: ${name} threw`, cause);
  try {
    const answer = ask();
    if (answer !== undefined) Promise.resolve(answer).then(heard, warn);
  } catch (cause) {
    warn(cause);
  }
};

/** Removes the access token of a call from a text. */
export const withoutToken = ({ token }: Call, text: string): string =>
  token ? text.replaceAll(Redacted.value(token.token), "<redacted>") : text;

/** Aborts a request or a response, whatever its transport does. */
export const release = (host: Host, abort: (() => void) | undefined): void => {
  if (abort) askHook(host, "an abort", abort);
};
