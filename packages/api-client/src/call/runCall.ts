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
import type { RawResponse } from "../Api.ts";
import type { AccessToken, CredentialsError } from "../Credentials.ts";
import { Forbidden, type GameApiError, Timeout, TransportError, Unauthorized } from "../Errors.ts";
import * as Metrics from "../Metrics.ts";
import type { ResponseInfo } from "../Options.ts";
import { type Call, callHook, callInfo, namedPolicy, quote } from "./Call.ts";
import { isFirewallBlock, limiterError, responseError, transportError } from "./errors.ts";
import { bodyCoding, bodyHeaders, type Decoder, readText, streamBytes } from "./response.ts";
import { retrying } from "./retry.ts";

/** Receives each call of a fiber, so that a Promise client that closes can report its `attempts`. */
export const CallObserver = Context.Reference<((call: Call) => void) | undefined>(
  "@game-data/api-client/CallObserver",
  { defaultValue: () => undefined },
);

/** Runs a call to its value. */
export const runCall = (call: Call, { accepts, decode }: Decoder) =>
  runAttempts(
    call,
    Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis;
      const response = yield* exchange(call, call.shared.http, accepts);
      const { maxBodyBytes } = call.shared.settings;
      const text = yield* readText(call, response, maxBodyBytes);
      const duration = (yield* Clock.currentTimeMillis) - start;
      yield* Metrics.record("durations", { route: call.request.route }, duration);
      return yield* decode(call, text, response.status);
    }),
  );

/** Runs a call until its response arrives. The body belongs to the scope. */
export const openCall = Effect.fnUntraced(function* (
  call: Call,
  accepts: (status: number) => boolean,
): Effect.fn.Return<RawResponse, GameApiError, Scope.Scope> {
  const scope = yield* Scope.fork(yield* Effect.scope);
  const http = HttpClient.withScope(call.shared.http);
  const response = yield* runAttempts(call, exchange(call, http, accepts)).pipe(
    Scope.provide(scope),
    // A response that is an error must not keep its connection until the caller's scope ends.
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
  );
  return {
    ...responseInfo(call),
    encoding: bodyCoding(call.headers),
    bytes: streamBytes(call, response),
  };
});

type Attempt<A, R> = Effect.Effect<A, GameApiError, R>;

/** Sends until a response is accepted or nothing more can be done. */
const runAttempts = Effect.fnUntraced(function* <A, R>(
  call: Call,
  send: Attempt<A, R>,
): Effect.fn.Return<A, GameApiError, R> {
  const { method, operation, route } = call.request;
  const late = (reason: Timeout["reason"]) => () => new Timeout({ ...callInfo(call), reason });
  call.startedAt = yield* Clock.currentTimeMillis;
  (yield* CallObserver)?.(call);
  const attempt = Effect.suspend(() =>
    Effect.flatMapEager(takeToken(call), () =>
      withPermit(call, within(call.limits.timeout, send, late("attempt"))),
    ),
  );
  const renewing = Effect.catchIf(attempt, isTokenRefused, (error) => {
    if (call.isRenewed || call.source?.renew === undefined) return Effect.fail(error);
    call.isRenewed = true;
    call.refusedToken = call.token?.token;
    return attempt;
  });
  const whole = within(call.limits.totalTimeout, retrying(call, renewing), late("total"));
  // The span contains the route's template, because a path may contain the name of an account.
  return yield* Effect.withSpan(whole, `GameApi.${operation}`, {
    kind: "client",
    attributes: { "http.request.method": method, "http.route": route.slice(method.length + 1) },
    captureStackTrace: false,
  }) as Attempt<A, R>;
});

/** Fails with the error of `onTimeout` after `millis`. An effect that is done needs no timer. */
const within = <A, E, R, E2>(
  millis: number,
  effect: Effect.Effect<A, E, R>,
  onTimeout: () => E2,
): Effect.Effect<A, E | E2, R> =>
  millis === Number.POSITIVE_INFINITY || Exit.isExit(effect)
    ? effect
    : Effect.timeoutOrElse(effect, {
        duration: millis,
        orElse: () => Effect.fail(onTimeout()),
      });

const isTokenRefused = (error: GameApiError): boolean =>
  error._tag === "Unauthorized" && error.reason === "refused";

/** Puts a token into the call; fails if the token cannot be sent or lacks a scope. */
const takeToken = (call: Call): Effect.Effect<void, Forbidden | TransportError | Unauthorized> => {
  const { limits, refusedToken, source } = call;
  if (source === undefined) return Effect.void;
  const { current, renew } = source;
  const taken = refusedToken !== undefined && renew !== undefined ? renew(refusedToken) : current;
  const late = (): CredentialsError => ({
    isRetryable: true,
    detail: `the source did not answer within ${limits.timeout / 1000} s`,
  });
  // The eager functions use an available token at once.
  return within(limits.timeout, taken, late).pipe(
    Effect.mapErrorEager((error) => noToken(call, error)),
    Effect.flatMapEager((token) => useToken(call, token)),
  );
};

const useToken = (
  call: Call,
  token: AccessToken,
): Effect.Effect<void, Forbidden | TransportError | Unauthorized> => {
  // Fetch quotes a header value that it refuses, and with it the token, in its error.
  if (!/^[\x21-\x7e]+$/u.test(Redacted.value(token.token)))
    return Effect.fail(noToken(call, { isRetryable: false, detail: "not a bearer token" }));
  call.token = token;
  call.refusedToken = undefined;
  const { scopes: scopesNeeded } = call.request;
  const scopesMissing = scopesNeeded.filter((scope) => token.scopes?.includes(scope) === false);
  if (scopesMissing.length === 0) return Effect.void;
  const facts = callInfo(call);
  return Effect.fail(new Forbidden({ ...facts, reason: "scope", scopesNeeded, scopesMissing }));
};

const noToken = (call: Call, { cause, detail, isRetryable }: CredentialsError) => {
  const info = { ...callInfo(call), detail: quote(call, detail), cause };
  return isRetryable
    ? new TransportError({ ...info, reason: "token" })
    : new Unauthorized({ ...info, reason: "no-token" });
};

/** Sends with a permit of the limiter and reports the outcome to the limiter. */
const withPermit = <A, R>(call: Call, send: Attempt<A, R>): Attempt<A, R> => {
  const { identity, limits, options, request, shared } = call;
  const { maxWait } = limits;
  Object.assign(call, { isSent: false, status: undefined, headers: {} });
  const sent = shared.limiter.run(
    { route: request.limitedRoute, identity, priority: options.priority, maxWait },
    (permit) => {
      call.waitedMillis += permit.waitedMillis;
      call.policy = namedPolicy(permit.policy) ?? call.policy;
      return send;
    },
    () => ({
      sent: call.isSent,
      status: call.status,
      headers: call.headers,
      isFirewallBlock: call.status !== undefined && isFirewallBlock(call.status, call.headers),
    }),
  );
  return Effect.mapError(sent, (error) => {
    if (error._tag === "RequestNotSent") call.policy = namedPolicy(error.policy) ?? call.policy;
    return error._tag === "RequestNotSent" || error._tag === "LimiterStoreError"
      ? limiterError(callInfo(call), error, request.scopes)
      : error;
  });
};

type Http<R> = HttpClient.HttpClient.With<HttpClientError, R>;

/** Sends the request; fails unless the status is accepted. */
const exchange = Effect.fnUntraced(function* <R>(
  call: Call,
  http: Http<R>,
  accepts: (status: number) => boolean,
): Effect.fn.Return<HttpClientResponse, GameApiError, R> {
  const { options, request, shared } = call;
  const { route } = request;
  call.attempts++;
  call.isSent = true;
  const response = yield* http.execute(httpRequest(call)).pipe(
    Effect.mapError((error) => transportError(call, error)),
    Effect.tapError(() => Metrics.record("requests", { route, status: "none" })),
  );
  call.status = response.status;
  call.headers = bodyHeaders(response);
  call.policy = call.headers["x-rate-limit-policy"] ?? call.policy;
  for (const { onResponse } of [shared.settings, options])
    if (onResponse) yield* callHook("onResponse", onResponse, responseInfo(call));
  yield* Metrics.record("requests", { route, status: String(response.status) });
  if (accepts(response.status)) return response;
  const body = yield* readErrorBody(call, response);
  return yield* responseError(call, body, yield* Clock.currentTimeMillis);
});

const responseInfo = (call: Call): ResponseInfo => {
  const { headers, status = 0, waitedMillis } = call;
  return { ...callInfo(call), status, headers, waitedMillis };
};

const MAX_ERROR_BODY_BYTES = 65_536;
const MAX_ERROR_BODY_MILLIS = 5000;

/** Reads the body of an error within a time of its own, or a hanging body would hide the status. */
const readErrorBody = (call: Call, response: HttpClientResponse): Effect.Effect<string> =>
  within(
    Math.min(MAX_ERROR_BODY_MILLIS, call.limits.timeout / 2),
    readText(call, response, MAX_ERROR_BODY_BYTES),
    () => "late",
  ).pipe(Effect.orElseSucceed(() => ""));

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

/**
 * The HTTP client as calls use it: redirects are not followed, because a redirect would carry the
 * token elsewhere, and only the span of the call is traced. Other settings of the caller's
 * `RequestInit` apply.
 */
export const forCalls = (http: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transformResponse(
    http,
    Effect.updateContext((context: Context.Context<never>) =>
      Context.add(
        Context.add(context, HttpClient.TracerDisabledWhen, () => true),
        FetchHttpClient.RequestInit,
        {
          ...Context.getOrUndefined(context, FetchHttpClient.RequestInit),
          redirect: "manual",
        },
      ),
    ),
  );
