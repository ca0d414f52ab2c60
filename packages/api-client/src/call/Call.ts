/** One API call: its request, its options and its progress over all attempts. */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { ParameterInvalid } from "@game-data/contract/routes";
import type { PolicyLimiterService } from "@game-data/rate-limit";
import * as Effect from "effect/Effect";
import type * as HttpClient from "effect/http/HttpClient";
import type * as Redacted from "effect/Redacted";
import type { AccessToken, TokenSource } from "../Credentials.ts";
import { InvalidRequest } from "../Errors.ts";
import { type CallOptions, type Settings, toMillis } from "../Options.ts";
import type { PreparedRequest } from "./prepare.ts";

/** The parts that all calls of a client share. */
export interface Shared {
  readonly settings: Settings;
  readonly http: HttpClient.HttpClient;
  readonly limiter: PolicyLimiterService;
  /** The retries that all calls may still make. */
  readonly credit: { remaining: number };
}

/** A user of a client. */
export interface Caller {
  readonly shared: Shared;
  readonly source: TokenSource | undefined;
  /** The limiter's name for the user. */
  readonly identity: string | undefined;
}

/** A call. The members that change are the facts about the attempts so far. */
export interface Call extends Caller {
  readonly request: PreparedRequest;
  readonly options: CallOptions;
  /** Time limits in milliseconds. */
  readonly limits: { readonly [Name in "maxWait" | "timeout" | "totalTimeout"]: number };
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

const NOT_SENT = { isSent: false, status: undefined, headers: {} };

/** Makes a call; fails if the parameters of its request or its options cannot work. */
export const makeCall = (
  { identity, shared, source }: Caller,
  { operation, route }: Pick<PreparedRequest, "operation" | "route">,
  options: CallOptions,
  prepare: (settings: Settings) => PreparedRequest,
): Effect.Effect<Call, InvalidRequest> =>
  Effect.try({
    try: () => ({
      shared,
      source,
      identity,
      request: prepare(shared.settings),
      options,
      limits: {
        timeout: toMillis("timeout", options.timeout, shared.settings.timeout),
        totalTimeout: toMillis("totalTimeout", options.totalTimeout, shared.settings.totalTimeout),
        maxWait: toMillis("maxWait", options.maxWait, shared.settings.maxWait),
      },
      startedAt: 0,
      attempts: 0,
      waitedMillis: 0,
      policy: undefined,
      token: undefined,
      refusedToken: undefined,
      isRenewed: false,
      ...NOT_SENT,
    }),
    catch: (cause) =>
      new InvalidRequest({ operation, route, attempts: 0, detail: describeMistake(cause), cause }),
  });

const describeMistake = (cause: unknown): string => {
  if (cause instanceof ParameterInvalid) return `${cause.parameter} ${cause.reason}`;
  if (cause instanceof ConfigurationInvalid) return `${cause.option} ${cause.reason}`;
  return cause instanceof Error ? cause.message : "the request cannot be built";
};

/** Forgets the response of the attempt before. */
export const beginAttempt = (call: Call): void => {
  Object.assign(call, NOT_SENT);
};

/** Returns the facts that errors of the call carry. */
export const callInfo = ({ attempts, headers, policy, request, status }: Call) => ({
  operation: request.operation,
  route: request.route,
  attempts,
  status,
  policy,
  requestId: headers["x-request-id"] ?? headers["cf-ray"],
});

/** Calls a hook. The call goes on if the hook throws, because it only observes. */
export const callHook = <A>(
  name: string,
  hook: ((info: A) => void) | undefined,
  info: A,
): Effect.Effect<void> =>
  hook === undefined
    ? Effect.void
    : Effect.catchDefect(
        Effect.sync(() => hook(info)),
        (error) => Effect.logWarning(`The hook ${name} threw.`, error),
      );
