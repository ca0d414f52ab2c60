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
import { InvalidRequest } from "../Errors.ts";
import { type CallOptions, checkOptions, type Settings, toMillis } from "../Options.ts";

/** The parts that all calls of a client share. */
interface Shared {
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

/** A request without its token. */
export interface PreparedRequest {
  readonly operation: string;
  /** Method and path template, as errors and metrics name it. */
  readonly route: string;
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly scopes: ReadonlyArray<string>;
  /** The key under which the limiter learns the route's policy. */
  readonly limitedRoute: string;
  readonly body: string | undefined;
}

/** The state of one call over all its attempts. */
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

/** Makes a call; fails if the parameters of its request or its options cannot work. */
export const makeCall = (
  { identity, shared, source }: Caller,
  { operation, route }: Pick<PreparedRequest, "operation" | "route">,
  options: CallOptions,
  prepare: (settings: Settings) => PreparedRequest,
): Effect.Effect<Call, InvalidRequest> =>
  Effect.try({
    try: () => {
      checkOptions(options);
      const { maxWait, timeout, totalTimeout } = shared.settings;
      return {
        shared,
        source,
        identity,
        request: prepare(shared.settings),
        options,
        limits: {
          timeout: toMillis("timeout", options.timeout, timeout, 1),
          totalTimeout: toMillis("totalTimeout", options.totalTimeout, totalTimeout, 1),
          maxWait: toMillis("maxWait", options.maxWait, maxWait),
        },
        startedAt: 0,
        attempts: 0,
        waitedMillis: 0,
        policy: undefined,
        token: undefined,
        refusedToken: undefined,
        isRenewed: false,
        isSent: false,
        status: undefined,
        headers: {},
      };
    },
    catch: (cause) =>
      new InvalidRequest({ operation, route, attempts: 0, detail: describeMistake(cause), cause }),
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
  const { method, route, scopes }: Route = routes[operation];
  return {
    operation,
    route,
    method,
    scopes,
    url: address + requestTarget(operation, request, words),
    limitedRoute: limitedRouteName(operation, (request as { realm?: string }).realm),
    body:
      payload === undefined ? undefined : JSON.stringify(requestToWire(operation, payload, words)),
  };
};

/** Returns the limiter's name of a route. The two games have policies of their own (§8). */
export const limitedRouteName = (operation: RouteName, realm?: string): string =>
  realm === "game2" ? `${routes[operation].route} game2` : routes[operation].route;

/** Builds the request of an unlisted path. Throws if the path would leave the base URL. */
export const unlistedRequest = (
  { address }: Settings,
  {
    body,
    method = "GET",
    path,
    query = {},
    route = `${method} ${path}`,
    scopes = [],
  }: UnlistedRequest,
): PreparedRequest => {
  const url = /^\/(?!\/)/u.test(path) ? new URL(address + path) : undefined;
  if (url?.href !== address + path || url.search || url.hash)
    throw new Error("path must be a path below the base URL, such as /x/y");
  for (const [key, value] of Object.entries(query)) {
    if (typeof value === "object")
      throw new Error(`query.${key} must be a string, a number or a boolean`);
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  return {
    operation: "request",
    route,
    method,
    url: url.href,
    scopes,
    limitedRoute: route,
    body: body === undefined ? undefined : JSON.stringify(body),
  };
};

/** Returns `undefined` for `?…`, which is how the limiter calls a policy that no response named. */
export const namedPolicy = (policy: string | undefined): string | undefined =>
  policy?.startsWith("?") ? undefined : policy;

/** Returns the facts that errors of the call carry. */
export const callInfo = (call: Call) => {
  const { attempts, headers, policy, request, status } = call;
  const requestId = headers["x-request-id"] ?? headers["cf-ray"];
  return {
    operation: request.operation,
    route: request.route,
    attempts,
    status,
    policy: policy && quote(call, policy),
    requestId: requestId && quote(call, requestId),
  };
};

/**
 * Quotes a text of the service, the transport or the credentials, which may itself quote the token.
 * Characters that a terminal obeys or hides are escaped.
 */
export const quote = ({ refusedToken, token }: Call, text: string, maxLength = 300): string => {
  let safe = text;
  for (const secret of [token?.token, refusedToken])
    if (secret) safe = safe.replaceAll(Redacted.value(secret), "<redacted>");
  return safe
    .slice(0, maxLength)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
};

/** Calls a hook. The call goes on if the hook throws, because it only observes. */
export const callHook = <A>(name: string, hook: (info: A) => void, info: A): Effect.Effect<void> =>
  Effect.catchDefect(
    Effect.sync(() => hook(info)),
    (error) => Effect.logWarning(`The hook ${name} threw.`, error),
  );
