/** One API call: its request, its options and its progress over all attempts. */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { ParameterInvalid } from "@game-data/contract/routes";
import type { PolicyLimiterService } from "@game-data/rate-limit";
import * as Effect from "effect/Effect";
import type * as HttpClient from "effect/http/HttpClient";
import type * as Redacted from "effect/Redacted";
import type { AccessToken, TokenSource } from "../Credentials.ts";
import { type CallInfo, InvalidRequest } from "../Errors.ts";
import { type CallOptions, type ResponseInfo, type Settings, toMillis } from "../Options.ts";
import type { PreparedRequest } from "./prepare.ts";

/** The parts that all calls of a client share. */
export interface Shared {
  readonly settings: Settings;
  readonly http: HttpClient.HttpClient;
  readonly limiter: PolicyLimiterService;
  /** The retries that all calls may still make. */
  readonly credit: { remaining: number };
}

/** The user of a call. */
export interface Account {
  readonly source: TokenSource | undefined;
  /** The limiter's name for the user. */
  readonly identity: string | undefined;
}

/** A user of a client, with the parts that the client's users share. */
export interface Caller {
  readonly shared: Shared;
  readonly account: Account;
}

/** Time limits of a call in milliseconds. */
export interface CallLimits {
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxWait: number;
}

/** A call. The members that change are the facts about the attempts so far. */
export interface Call extends Caller {
  readonly request: PreparedRequest;
  readonly options: CallOptions;
  readonly limits: CallLimits;
  startedAt: number;
  /** Requests sent. */
  attempts: number;
  waitedMillis: number;
  policy: string | undefined;
  token: AccessToken | undefined;
  /** The token that the service refused and that the next attempt has to replace. */
  refusedToken: Redacted.Redacted | undefined;
  /** Whether the one renewal of the call is used up. */
  isRenewed: boolean;
  /** Whether the current attempt left this process. */
  isSent: boolean;
  /** Status and headers of the current attempt's response. */
  status: number | undefined;
  headers: Headers;
}

/** Response headers. Names are in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

const NO_HEADERS: Headers = {};

/** Makes a call; fails if the parameters of its request or its options cannot work. */
export const makeCall = (
  { account, shared }: Caller,
  { operation, route }: Pick<PreparedRequest, "operation" | "route">,
  options: CallOptions,
  prepare: (shared: Shared) => PreparedRequest,
): Effect.Effect<Call, InvalidRequest> =>
  Effect.try({
    try: () => ({
      shared,
      account,
      request: prepare(shared),
      options,
      limits: callLimits(shared.settings, options),
      startedAt: 0,
      attempts: 0,
      waitedMillis: 0,
      policy: undefined,
      token: undefined,
      refusedToken: undefined,
      isRenewed: false,
      isSent: false,
      status: undefined,
      headers: NO_HEADERS,
    }),
    catch: (cause) =>
      new InvalidRequest({ operation, route, attempts: 0, detail: describeMistake(cause), cause }),
  });

const callLimits = (settings: Settings, options: CallOptions): CallLimits => ({
  timeout: toMillis("timeout", options.timeout, settings.timeout),
  totalTimeout: toMillis("totalTimeout", options.totalTimeout, settings.totalTimeout),
  maxWait: toMillis("maxWait", options.maxWait, settings.maxWait),
});

const describeMistake = (cause: unknown): string => {
  if (cause instanceof ParameterInvalid) return `${cause.parameter} ${cause.reason}`;
  if (cause instanceof ConfigurationInvalid) return `${cause.option} ${cause.reason}`;
  return cause instanceof Error ? cause.message : "the request cannot be built";
};

/** Forgets the response of the attempt before. */
export const beginAttempt = (call: Call): void => {
  call.isSent = false;
  call.status = undefined;
  call.headers = NO_HEADERS;
};

/** Returns the facts that errors of the call carry. */
export const callInfo = (call: Call): CallInfo => {
  const { attempts, policy, request, status } = call;
  const id = requestId(call.headers);
  return {
    operation: request.operation,
    route: request.route,
    attempts,
    ...(status !== undefined && { status }),
    ...(policy !== undefined && { policy }),
    ...(id !== undefined && { requestId: id }),
  };
};

/** Returns the facts about the current response. */
export const responseInfo = (call: Call): ResponseInfo => {
  const { attempts, headers, policy, request, status = 0, waitedMillis } = call;
  const { operation, route } = request;
  return {
    operation,
    route,
    status,
    headers,
    attempts,
    waitedMillis,
    policy,
    requestId: requestId(headers),
  };
};

const requestId = (headers: Headers) => headers["x-request-id"] ?? headers["cf-ray"];
