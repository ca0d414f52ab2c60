/**
 * Runs one API call: gets a token, waits for the rate limiter, sends, decodes, renews the token
 * once after a 401, and retries.
 *
 * Only safe methods are repeated, and other requests if the service did not process them or
 * `retryUnsafe` is set. Waits are random up to an exponential bound ("full jitter") and never
 * shorter than the service requested. A credit bounds the share of retries, so that an outage is
 * not met with a multiple of the usual traffic.
 */
import type { PolicyLimiterService } from "@game-data/rate-limit";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpClient from "effect/http/HttpClient";
import type { HttpClientError } from "effect/http/HttpClientError";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import * as Random from "effect/Random";
import * as Redacted from "effect/Redacted";
import * as References from "effect/References";
import * as Schedule from "effect/Schedule";
import * as Scope from "effect/Scope";
import type { RawResponse } from "../Api.ts";
import type { AccessToken, CredentialsError } from "../Credentials.ts";
import { Forbidden, type GameApiError, Timeout, TransportError, Unauthorized } from "../Errors.ts";
import * as Metrics from "../Metrics.ts";
import type { ResponseInfo } from "../Options.ts";
import { type Call, callHook, callInfo, namedPolicy, quote, type ResponseHead } from "./Call.ts";
import { isFirewallBlock, limiterError, responseError, transportError } from "./toError.ts";
import {
  bodyCoding,
  type Decoder,
  type Exchange,
  readText,
  responseHead,
  streamBytes,
} from "./response.ts";

/** Credit that a successful call returns. A retry costs 1. */
const EARNED = 0.5;

/** Receives each call of a fiber, so that a Promise client that closes can report its `attempts`. */
export const CallObserver = Context.Reference<((call: Call) => void) | undefined>(
  "@game-data/api-client/CallObserver",
  { defaultValue: () => undefined },
);

/** Runs a call and succeeds with its decoded value. */
export const runCall = (call: Call, decoder: Decoder) =>
  runAttempts(call, (http) => fetchValue(call, http, decoder));

const fetchValue = Effect.fnUntraced(function* (
  call: Call,
  http: HttpClient.HttpClient,
  { accepts, decode }: Decoder,
) {
  const start = yield* Clock.currentTimeMillis;
  const exchange = yield* send(call, http, accepts);
  const text = yield* readText(call, exchange, call.settings.maxBodyBytes);
  const duration = (yield* Clock.currentTimeMillis) - start;
  yield* Metrics.record("durations", { route: call.route }, duration);
  return yield* decode(call, text, exchange.head.status);
});

/** Runs a call until its response arrives, with the body unread. The scope owns the connection. */
export const openCall = Effect.fnUntraced(function* (
  call: Call,
  accepts: (status: number) => boolean,
): Effect.fn.Return<RawResponse, GameApiError, Scope.Scope> {
  const scope = yield* Scope.fork(yield* Effect.scope);
  const { head, response } = yield* runAttempts(call, (http) =>
    Scope.provide(send(call, HttpClient.withScope(http), accepts), scope),
  ).pipe(
    // A response that is an error must not keep its connection until the caller's scope ends.
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
  );
  const bytes = streamBytes(call, response);
  return { ...responseInfo(call, head), encoding: bodyCoding(head), bytes };
});

type Attempt<A> = Effect.Effect<A, GameApiError>;

/** Sends the request until a response is accepted or no further retry is permitted. */
const runAttempts = Effect.fnUntraced(function* <A>(
  call: Call,
  sendOnce: (http: HttpClient.HttpClient) => Attempt<A>,
): Effect.fn.Return<A, GameApiError> {
  const { credit, limits, operation, request, route, services, settings } = call;
  const { http, limiter } = yield* services;
  const timeout = (reason: Timeout["reason"]) => () => new Timeout({ ...callInfo(call), reason });
  call.startedAt = yield* Clock.currentTimeMillis;
  (yield* CallObserver)?.(call);
  const attempt = Effect.suspend(() =>
    Effect.flatMapEager(takeToken(call), () =>
      withPermit(call, limiter, within(limits.timeout, sendOnce(http), timeout("attempt"))),
    ),
  );
  const whole = within(
    limits.totalTimeout,
    attempt.pipe(Effect.catch((error) => retrying(call, error, attempt))),
    timeout("total"),
  );
  // The span contains the route's template, because a path may contain the name of an account.
  const attributes = {
    "http.request.method": request.method,
    "http.route": route.slice(request.method.length + 1),
  };
  const span = { kind: "client", attributes, captureStackTrace: false } as const;
  const value = yield* (yield* References.TracerEnabled)
    ? Effect.withSpan(whole, `GameApi.${operation}`, span)
    : whole;
  credit.remaining = Math.min(settings.retry.budget, credit.remaining + EARNED);
  return value;
});

/** Fails with the error of `onTimeout` after `millis`. An effect that has ended needs no timer. */
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

/** Repeats a failed attempt while `beginRetry` permits it. Renews a refused token once. */
const retrying = <A, R>(
  call: Call,
  failure: GameApiError,
  attempt: Effect.Effect<A, GameApiError, R>,
): Effect.Effect<A, GameApiError, R> => {
  const { base, cap } = call.settings.retry;
  // The first attempt ran without a schedule, because most calls succeed. Its failure is replayed.
  let next: Effect.Effect<A, GameApiError, R> = Effect.fail(failure);
  let isRenewed = call.source?.renew === undefined;
  // A renewal of a refused token is not a retry. It needs no wait and no credit.
  const renewing = Effect.catchIf(
    Effect.suspend(() => {
      const current = next;
      next = attempt;
      return current;
    }),
    isTokenRefused,
    (error) => {
      if (isRenewed) return Effect.fail(error);
      isRenewed = true;
      call.refusedToken = call.token?.token;
      return attempt;
    },
  );
  const schedule = Schedule.exponential(base).pipe(
    Schedule.setInputType<GameApiError>(),
    Schedule.modifyDelay(({ duration, input }) =>
      Effect.map(
        Random.next,
        (random) => requestedWait(input) + random * Math.min(cap, Duration.toMillis(duration)),
      ),
    ),
    Schedule.while((retry) => beginRetry(call, retry)),
  );
  return Effect.retry(renewing, schedule);
};

/** Returns whether the retry takes place. If so, spends a credit and reports the retry. */
const beginRetry = Effect.fnUntraced(function* (
  call: Call,
  { attempt, duration, input: error, now }: Schedule.Metadata<unknown, GameApiError>,
) {
  const { credit, settings } = call;
  const delayMillis = Duration.toMillis(duration);
  // A retry that the total time would cut off would only hide the error.
  const isInTime = now + delayMillis - call.startedAt < call.limits.totalTimeout;
  const isLast = attempt > (call.options.retries ?? settings.retry.times);
  if (isLast || credit.remaining < 1 || !isInTime || !mayRepeat(call, error)) return false;
  credit.remaining -= 1;
  const { attempts, operation, route } = call;
  const info = { operation, route, attempts, error, delayMillis };
  if (settings.onRetry) yield* callHook("onRetry", settings.onRetry, info);
  yield* Metrics.record("retries", { route });
  return true;
});

/** Returns the wait that a 5xx response requests. After a 429 the limiter delays the policy. */
const requestedWait = (error: GameApiError): number =>
  error._tag === "ServerError" && error.retryAfter ? Duration.toMillis(error.retryAfter) : 0;

const mayRepeat = ({ limits, options }: Call, error: GameApiError): boolean =>
  TRANSIENT.has(error._tag) &&
  !("reason" in error && LASTING.has(error.reason)) &&
  requestedWait(error) <= limits.maxWait &&
  (error.isRetryable || options.retryUnsafe === true);

const TRANSIENT = new Set<string>(["RateLimited", "ServerError", "Timeout", "TransportError"]);

/**
 * Reasons that a retry does not fix. The limiter has retried its store already, and a wait above
 * `maxWait` would be as long the next time.
 */
const LASTING = new Set<string>([
  "closed",
  "limiter",
  "redirect",
  "too-many-errors",
  "total",
  "wait-too-long",
]);

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
  // The eager functions run at once if the source returns a token without waiting.
  return within(limits.timeout, taken, late).pipe(
    Effect.mapErrorEager((error) => noToken(call, error)),
    Effect.flatMapEager((token) => useToken(call, token)),
  );
};

const useToken = (
  call: Call,
  token: AccessToken,
): Effect.Effect<void, Forbidden | TransportError | Unauthorized> => {
  // `fetch` quotes a header value that it refuses in its error, and with it the token.
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
const withPermit = <A>(
  call: Call,
  limiter: PolicyLimiterService,
  sendOnce: Attempt<A>,
): Attempt<A> => {
  const { attempts: attemptsBefore, identity, limits, options, request } = call;
  const limited = { route: request.limiterKey, identity };
  return limiter
    .run(
      { ...limited, priority: options.priority, maxWait: limits.maxWait },
      (permit) => {
        call.waitedMillis += permit.waitedMillis;
        call.policy = namedPolicy(permit.policy) ?? call.policy;
        return sendOnce;
      },
      () => {
        const { attempts, response } = call;
        if (attempts === attemptsBefore) return { isSent: false };
        return response ? { ...response, isFirewallBlock: isFirewallBlock(response) } : {};
      },
    )
    .pipe(
      Effect.catch((error): Attempt<never> => {
        if (error._tag === "RequestNotSent") call.policy = namedPolicy(error.policy) ?? call.policy;
        if (error._tag === "RequestNotSent" || error._tag === "LimiterStoreError")
          return Effect.fail(limiterError(callInfo(call), error, request.scopes));
        if (error._tag !== "Forbidden" || error.reason !== "firewall") return Effect.fail(error);
        // `blockedMillis` is the time for which the limiter sends nothing after a firewall's page.
        return limiter.limits(limited).pipe(
          Effect.map(({ blockedMillis }) => Duration.millis(blockedMillis)),
          Effect.orElseSucceed(() => undefined),
          Effect.flatMap((retryAfter) => Effect.fail(new Forbidden({ ...error, retryAfter }))),
        );
      }),
    );
};

/** Sends the request; fails unless the status is accepted. */
const send = Effect.fnUntraced(function* <R>(
  call: Call,
  http: HttpClient.HttpClient.With<HttpClientError, R>,
  accepts: (status: number) => boolean,
): Effect.fn.Return<Exchange, GameApiError, R> {
  const { options, route, settings } = call;
  call.attempts++;
  call.response = undefined;
  call.details = undefined;
  const response = yield* http
    .execute(httpRequest(call))
    .pipe(
      Effect.catch((error) =>
        Effect.andThen(
          Metrics.record("requests", { route, status: "none" }),
          Effect.fail(transportError(call, error)),
        ),
      ),
    );
  const head = responseHead(response);
  call.response = head;
  call.policy = head.headers["x-rate-limit-policy"] ?? call.policy;
  for (const { onResponse } of [settings, options])
    if (onResponse) yield* callHook("onResponse", onResponse, responseInfo(call, head));
  yield* Metrics.record("requests", { route, status: String(head.status) });
  const exchange = { head, response };
  if (accepts(head.status)) return exchange;
  const body = yield* readErrorBody(call, exchange);
  return yield* responseError(call, head, body, yield* Clock.currentTimeMillis);
});

const responseInfo = (call: Call, head: ResponseHead): ResponseInfo => {
  const { attempts, operation, policy, requestId, route } = callInfo(call);
  const { waitedMillis } = call;
  return { ...head, operation, route, attempts, policy, requestId, waitedMillis };
};

const MAX_ERROR_BODY_BYTES = 65_536;
const MAX_ERROR_BODY_MILLIS = 5000;

/** Reads the body of an error. Its own time limit keeps a hanging body from hiding the status. */
const readErrorBody = (call: Call, exchange: Exchange): Effect.Effect<string> =>
  within(
    Math.min(MAX_ERROR_BODY_MILLIS, call.limits.timeout / 2),
    readText(call, exchange, MAX_ERROR_BODY_BYTES),
    () => "late",
  ).pipe(Effect.orElseSucceed(() => ""));

const httpRequest = ({ request, settings, token }: Call): HttpClientRequest.HttpClientRequest => {
  const made = HttpClientRequest.make(request.method)(request.url, {
    headers: {
      accept: "application/json",
      "accept-encoding": "gzip",
      "user-agent": settings.userAgent,
      ...(token && { authorization: `Bearer ${Redacted.value(token.token)}` }),
    },
  });
  return request.body === undefined
    ? made
    : HttpClientRequest.bodyText(made, request.body, "application/json");
};

/**
 * Adapts an HTTP client for calls. Redirects are not followed, because a redirect would carry the
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
