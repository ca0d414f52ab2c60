/**
 * Runs one API call: gets a token, waits for the rate limiter, sends, decodes, renews the token
 * once after a 401, and retries.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpClient from "effect/http/HttpClient";
import type { HttpClientError } from "effect/http/HttpClientError";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import type { HttpClientResponse } from "effect/http/HttpClientResponse";
import * as Redacted from "effect/Redacted";
import * as Scope from "effect/Scope";
import type { AccessToken, CredentialsError } from "../Credentials.ts";
import { Forbidden, type GameApiError, Timeout, TransportError, Unauthorized } from "../Errors.ts";
import * as Metrics from "../Metrics.ts";
import { bodyHeaders, readText } from "./body.ts";
import { beginAttempt, type Call, callInfo, responseInfo } from "./Call.ts";
import type { Decoder } from "./decode.ts";
import { callHook } from "./hooks.ts";
import { isFirewallBlock, limiterError, responseError, transportError } from "./errors.ts";
import { retrying } from "./retry.ts";

/** Observes the calls of a fiber, for the Promise client, which reports how often a call was sent. */
export const CallObserver = Context.Reference<((call: Call) => void) | undefined>(
  "@game-data/api-client/CallObserver",
  { defaultValue: () => undefined },
);

/** Runs a call to its value. */
export const runCall = <A>(call: Call, decoder: Decoder<A>): Effect.Effect<A, GameApiError> =>
  runAttempts(
    call,
    Effect.gen(function* () {
      const { http, settings } = call.shared;
      const start = yield* Clock.currentTimeMillis;
      const response = yield* exchange(call, http, decoder.accepts);
      const facts = callInfo(call);
      const text = yield* readText(response, call.headers, settings.maxBodyBytes, facts);
      const duration = (yield* Clock.currentTimeMillis) - start;
      yield* Metrics.record("durations", { route: call.request.route }, duration);
      return yield* decoder.decode(call, text, response.status);
    }),
  );

/** Runs a call to its response, whose body belongs to the scope. */
export const openCall = Effect.fnUntraced(function* (
  call: Call,
  accepts: (status: number) => boolean,
): Effect.fn.Return<HttpClientResponse, GameApiError, Scope.Scope> {
  const scope = yield* Scope.fork(yield* Effect.scope);
  const http = HttpClient.withScope(call.shared.http);
  return yield* runAttempts(call, exchange(call, http, accepts)).pipe(
    Scope.provide(scope),
    // A response that is an error must not keep its connection until the caller's scope ends.
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
  );
});

type Attempt<A, R> = Effect.Effect<A, GameApiError, R>;

const runAttempts = Effect.fnUntraced(function* <A, R>(
  call: Call,
  send: Attempt<A, R>,
): Effect.fn.Return<A, GameApiError, R> {
  call.startedAt = yield* Clock.currentTimeMillis;
  (yield* CallObserver)?.(call);
  const attempt = withToken(call, withPermit(call, withDeadline(call, "timeout", send)));
  return yield* withDeadline(call, "totalTimeout", retrying(call, attempt)).pipe(
    withCallSpan(call),
  );
});

/** Opens a span for the call, with the route's template and never a name. */
const withCallSpan =
  ({ request: { method, operation, route } }: Call) =>
  <A, R>(effect: Attempt<A, R>): Attempt<A, R> =>
    Effect.withSpan(effect, `GameApi.${operation}`, {
      kind: "client",
      attributes: { "http.request.method": method, "http.route": route.slice(method.length + 1) },
      captureStackTrace: false,
    }) as Attempt<A, R>;

const withDeadline = <A, R>(
  call: Call,
  option: "timeout" | "totalTimeout",
  effect: Attempt<A, R>,
): Attempt<A, R> => {
  const duration = call.limits[option];
  if (duration === Number.POSITIVE_INFINITY) return effect;
  const reason = option === "timeout" ? "attempt" : "total";
  return Effect.timeoutOrElse(effect, {
    duration,
    orElse: () => Effect.fail(new Timeout({ ...callInfo(call), reason })),
  });
};

/** Gets a token and sends; if the service refuses the token, once more with a renewed one. */
const withToken = <A, R>(call: Call, send: Attempt<A, R>): Attempt<A, R> => {
  const { source } = call.account;
  if (source === undefined) return send;
  const { current, renew } = source;
  if (renew === undefined) return Effect.andThen(takeToken(call, current), send);
  const authorized = Effect.suspend(() => {
    const { refusedToken } = call;
    const token = refusedToken === undefined ? current : renew(refusedToken);
    return Effect.andThen(takeToken(call, token), send);
  });
  return Effect.catchIf(
    authorized,
    (error) => isTokenRefused(error) && !call.isRenewed,
    () => {
      call.isRenewed = true;
      call.refusedToken = call.token?.token;
      return authorized;
    },
  );
};

const isTokenRefused = (error: GameApiError): boolean =>
  error._tag === "Unauthorized" && error.reason === "refused";

/** Puts a token into the call; fails if the token cannot be sent or lacks a scope. */
const takeToken = (
  call: Call,
  token: Effect.Effect<AccessToken, CredentialsError>,
): Effect.Effect<void, GameApiError> => {
  return Effect.matchEffect(withinTimeout(call, token), {
    onFailure: (error): Effect.Effect<void, GameApiError> => Effect.fail(noToken(call, error)),
    onSuccess: (accessToken): Effect.Effect<void, GameApiError> => {
      // Fetch quotes a header value that it refuses, and with it the token, in its error.
      if (!/^[\x21-\x7e]+$/u.test(Redacted.value(accessToken.token)))
        return Effect.fail(noToken(call, { isRetryable: false, detail: "not a bearer token" }));
      call.token = accessToken;
      call.refusedToken = undefined;
      return checkScopes(call, accessToken);
    },
  });
};

/** Bounds the time of a source, unless its token is at hand. */
const withinTimeout = (call: Call, token: Effect.Effect<AccessToken, CredentialsError>) => {
  const { timeout } = call.limits;
  if (Exit.isExit(token) || timeout === Number.POSITIVE_INFINITY) return token;
  const detail = `the source did not answer within ${timeout / 1000} s`;
  return Effect.timeoutOrElse(token, {
    duration: timeout,
    orElse: () => Effect.fail<CredentialsError>({ isRetryable: true, detail }),
  });
};

const checkScopes = (call: Call, { scopes }: AccessToken): Effect.Effect<void, Forbidden> => {
  const { scopes: scopesNeeded } = call.request;
  const scopesMissing = scopesNeeded.filter((scope) => scopes?.includes(scope) === false);
  if (scopesMissing.length === 0) return Effect.void;
  return Effect.fail(
    new Forbidden({ ...callInfo(call), reason: "scope", scopesNeeded, scopesMissing }),
  );
};

const noToken = (call: Call, { cause, detail, isRetryable }: CredentialsError) =>
  isRetryable
    ? new TransportError({ ...callInfo(call), detail, cause, reason: "token" })
    : new Unauthorized({ ...callInfo(call), detail, cause, reason: "no-token" });

/** Sends with a permit of the limiter and reports the outcome to the limiter. */
const withPermit = <A, R>(call: Call, send: Attempt<A, R>): Attempt<A, R> =>
  Effect.suspend(() => {
    const { account, options, request, shared } = call;
    beginAttempt(call);
    return shared.limiter.run(
      {
        route: request.limitedRoute,
        identity: account.identity,
        priority: options.priority,
        maxWait: call.limits.maxWait,
      },
      (permit) => {
        call.waitedMillis += permit.waitedMillis;
        call.policy = permit.policy ?? call.policy;
        return send;
      },
      () => outcome(call),
    );
  }).pipe(
    Effect.catchTags({
      RequestNotSent: (error) =>
        Effect.fail(limiterError(callInfo(call), error, call.request.scopes)),
      LimiterStoreError: (error) =>
        Effect.fail(limiterError(callInfo(call), error, call.request.scopes)),
    }),
  ) as Attempt<A, R>;

const outcome = ({ headers, isSent, status }: Call) => ({
  sent: isSent,
  status,
  headers,
  isFirewallBlock: status !== undefined && isFirewallBlock(status, headers),
});

type Http<R> = HttpClient.HttpClient.With<HttpClientError, R>;

/** Sends the request; fails unless the status is accepted. */
const exchange = Effect.fnUntraced(function* <R>(
  call: Call,
  http: Http<R>,
  accepts: (status: number) => boolean,
) {
  const { route } = call.request;
  call.attempts++;
  call.isSent = true;
  const response = yield* http.execute(httpRequest(call)).pipe(
    Effect.mapError((error) => transportError(call, error)),
    Effect.tapError(() => Metrics.record("requests", { route, status: "none" })),
  );
  call.status = response.status;
  call.headers = bodyHeaders(response);
  call.policy = call.headers["x-rate-limit-policy"] ?? call.policy;
  yield* callHooks(call);
  yield* Metrics.record("requests", { route, status: String(response.status) });
  if (accepts(response.status)) return response;
  const body = yield* readErrorBody(call, response);
  const error = responseError(call, body, yield* Clock.currentTimeMillis);
  if (error._tag === "RateLimited")
    yield* Metrics.record("violations", { policy: call.policy ?? "unknown" });
  return yield* error;
});

const MAX_ERROR_BODY_BYTES = 65_536;
const MAX_ERROR_BODY_MILLIS = 5000;

/** Reads the body of an error within a time of its own, or a hanging body would hide the status. */
const readErrorBody = (call: Call, response: HttpClientResponse): Effect.Effect<string> =>
  readText(response, call.headers, MAX_ERROR_BODY_BYTES, callInfo(call)).pipe(
    Effect.timeoutOrElse({
      duration: Math.min(MAX_ERROR_BODY_MILLIS, call.limits.timeout / 2),
      orElse: () => Effect.succeed(""),
    }),
    Effect.orElseSucceed(() => ""),
  );

const httpRequest = ({ request, shared, token }: Call): HttpClientRequest.HttpClientRequest => {
  const made = HttpClientRequest.make(request.method)(request.url, {
    headers: {
      accept: "application/json",
      "accept-encoding": "gzip",
      "user-agent": shared.settings.userAgent,
      ...(token && { authorization: `Bearer ${Redacted.value(token.token)}` }),
    },
  });
  return request.body === undefined
    ? made
    : HttpClientRequest.bodyText(made, request.body, "application/json");
};

const callHooks = (call: Call): Effect.Effect<void> => {
  const hooks = [call.shared.settings.onResponse, call.options.onResponse];
  if (hooks.every((hook) => hook === undefined)) return Effect.void;
  const info = responseInfo(call);
  return Effect.forEach(hooks, (hook) => callHook("onResponse", hook, info), { discard: true });
};

/**
 * The HTTP client as calls use it: redirects are not followed, because a redirect would carry the
 * token elsewhere, and the call's own span stands for the request. Other settings of the caller's
 * `RequestInit` apply.
 */
export const forCalls = (http: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transformResponse(
    http,
    Effect.updateContext((context: Context.Context<never>) =>
      Context.mergeAll(
        context,
        Context.make(HttpClient.TracerDisabledWhen, () => true),
        Context.make(FetchHttpClient.RequestInit, {
          ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
          redirect: "manual" as const,
        }),
      ),
    ),
  );
