/** One API call: its request, its options and its progress over all attempts. */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import {
  ParameterInvalid,
  requestTarget,
  requestToWire,
  type Requests,
  type Route,
  type RouteName,
  routes,
} from "@game-data/contract/routes";
import type { PolicyLimiterService } from "@game-data/rate-limit";
import * as Effect from "effect/Effect";
import type * as HttpClient from "effect/http/HttpClient";
import * as Redacted from "effect/Redacted";
import type { UnlistedRequest } from "../Api.ts";
import type { AccessToken, TokenSource } from "../Credentials.ts";
import { type CallInfo, InvalidRequest } from "../Errors.ts";
import { type CallOptions, checkOptions, type Settings, timeLimits } from "../Options.ts";

/** HTTP client and rate limiter of a client. All its users share them. */
export interface Services {
  readonly http: HttpClient.HttpClient;
  readonly limiter: PolicyLimiterService;
}

/** One user of a client, and the state that all users share. */
export interface Caller {
  readonly settings: Settings;
  /** The Promise client makes its services at its first call. */
  readonly services: Effect.Effect<Services>;
  /** Number of retries that the calls of all users may still make. */
  readonly credit: { remaining: number };
  readonly source: TokenSource | undefined;
  /** Key under which the limiter keeps the user's limits. */
  readonly identity: string | undefined;
}

/** Request of a call. The token is added when the request is sent. */
export interface PreparedRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly scopes: ReadonlyArray<string>;
  /** The key under which the limiter learns the route's policy. */
  readonly limiterKey: string;
  readonly body: string | undefined;
}

/** The head of a response. Names of headers are in lower case. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Operation and route of a call, as errors name them. */
export type CallName = Pick<CallInfo, "operation" | "route">;

/** The state of one call over all its attempts. */
export type Call = ReturnType<typeof newCall>;

const newCall = (
  caller: Caller,
  name: CallName,
  options: CallOptions,
  request: PreparedRequest,
) => ({
  ...caller,
  ...name,
  request,
  options,
  limits: timeLimits(options, caller.settings.limits),
  startedAt: 0,
  /** Number of requests sent. */
  attempts: 0,
  waitedMillis: 0,
  policy: undefined as string | undefined,
  token: undefined as AccessToken | undefined,
  /** The token that the service refused and that the next attempt has to replace. */
  refusedToken: undefined as Redacted.Redacted | undefined,
  /** The last response; `undefined` while a request is in flight. */
  response: undefined as ResponseHead | undefined,
  details: undefined as Pick<CallInfo, "code" | "detail"> | undefined,
});

/** Makes a call. Fails with `InvalidRequest` if a parameter or an option is invalid. */
export const makeCall = (
  caller: Caller,
  name: CallName,
  options: CallOptions,
  prepare: (settings: Settings) => PreparedRequest,
): Effect.Effect<Call, InvalidRequest> =>
  Effect.try({
    try: () => {
      checkOptions(options);
      return newCall(caller, name, options, prepare(caller.settings));
    },
    catch: (cause) =>
      new InvalidRequest({ ...name, attempts: 0, detail: describeMistake(cause), cause }),
  });

const describeMistake = (cause: unknown): string => {
  if (cause instanceof ParameterInvalid) return `${cause.parameter} ${cause.reason}`;
  if (cause instanceof ConfigurationInvalid) return `${cause.option} ${cause.reason}`;
  return cause instanceof Error ? cause.message : "the request cannot be built";
};

/** Builds the request of an operation. Throws `ParameterInvalid`, also for unknown parameters. */
export const operationRequest = <Name extends RouteName>(
  { address, words }: Settings,
  operation: Name,
  request: Requests[Name],
  payload?: unknown,
): PreparedRequest => {
  const { method, scopes }: Route = routes[operation];
  return {
    method,
    scopes,
    url: address + requestTarget(operation, request, words),
    limiterKey: limiterKey(operation, (request as { realm?: string }).realm),
    body:
      payload === undefined ? undefined : JSON.stringify(requestToWire(operation, payload, words)),
  };
};

/** Returns the limiter's key of a route. The two games have policies of their own (§8). */
export const limiterKey = (operation: RouteName, realm?: string): string =>
  realm === "game2" ? `${routes[operation].route} game2` : routes[operation].route;

type MethodAndRoute = Pick<PreparedRequest, "method"> & Pick<CallName, "route">;

/** Builds the request of an unlisted path. Throws if the path would leave the base URL. */
export const unlistedRequest = (
  { address }: Settings,
  { body, method, path, query = {}, route, scopes = [] }: UnlistedRequest & MethodAndRoute,
): PreparedRequest => {
  const url = /^\/(?!\/)/u.test(path) ? new URL(address + path) : undefined;
  if (url?.href !== address + path || url.search || url.hash)
    throw new Error("path must be a path below the base URL, such as /x/y");
  // An error reads from its route whether the request was a POST.
  if (!route.startsWith(`${method} `)) throw new Error(`route must begin with ${method}`);
  for (const [key, value] of Object.entries(query)) {
    if (typeof value === "object")
      throw new Error(`query.${key} must be a string, a number or a boolean`);
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  return {
    method,
    url: url.href,
    scopes,
    limiterKey: route,
    body: JSON.stringify(body),
  };
};

/** Returns `undefined` for `?…`, the limiter's name of a policy that no response has named. */
export const namedPolicy = (policy: string | undefined): string | undefined =>
  policy?.startsWith("?") ? undefined : policy;

/** Returns the facts that errors of the call carry. */
export const callInfo = (call: Call) => {
  const { attempts, details, operation, policy, response, route } = call;
  const requestId = response?.headers["x-request-id"] ?? response?.headers["cf-ray"];
  return {
    operation,
    route,
    attempts,
    status: response?.status,
    ...details,
    policy: policy && quote(call, policy),
    requestId: requestId && quote(call, requestId),
  };
};

/**
 * Returns a text of the service, transport or credentials for an error, because it may contain the
 * token. Redacts the token, cuts the text, and escapes characters that a terminal obeys or hides.
 */
export const quote = ({ refusedToken, token }: Call, text: string, maxLength = 300): string => {
  let safe = text;
  for (const secret of [token?.token, refusedToken])
    if (secret) safe = safe.replaceAll(Redacted.value(secret), "<redacted>");
  return safe
    .slice(0, maxLength)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
};

/** Calls a hook. If the hook throws, the call continues, because hooks only observe. */
export const callHook = <A>(name: string, hook: (info: A) => void, info: A): Effect.Effect<void> =>
  Effect.catchDefect(
    Effect.sync(() => hook(info)),
    (error) => Effect.logWarning(`The hook ${name} threw.`, error),
  );
