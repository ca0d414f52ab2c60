/**
 * The record of a call, which the loop over its attempts keeps.
 */
import type * as Exit from "effect/Exit";
import type * as Fiber from "effect/Fiber";
import type { CallOptions, ResponseInfo } from "../CallOptions.ts";
import type { AccessToken, TokenSource } from "../Credentials.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import type { IncomingResponse } from "../Transport.ts";

/** The user that calls are made for. */
export interface Account {
  readonly credentials: TokenSource | undefined;
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
  /** The fiber that makes the call. */
  readonly fiber: Fiber.Fiber<unknown, unknown>;
  /** Removes the access token from a text of the service. */
  readonly redact: (text: string) => string;
}

/** The value or the error of an attempt, or of a whole call. */
export type Outcome = Exit.Exit<unknown, GameApiError>;

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

/** A call with its progress over all attempts. */
export interface Call {
  readonly request: PreparedRequest;
  readonly options: CallOptions;
  readonly account: Account;
  handler: ResponseHandler;
  maxWait: number;
  attempts: number;
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
export const newCall = (
  request: PreparedRequest,
  handler: ResponseHandler,
  account: Account,
  options: CallOptions,
): Call => ({
  request,
  handler,
  account,
  options,
  maxWait: 0,
  attempts: 0,
  waitedMillis: 0,
  policy: undefined,
  token: undefined,
  attempt: { sent: false, status: undefined },
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
export const callInfo = ({ request, attempts, policy }: Call): CallInfo => ({
  operation: request.operation,
  route: request.route,
  attempts,
  ...(policy !== undefined && { policy }),
});
