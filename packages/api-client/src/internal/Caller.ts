/**
 * One call from beginning to end: token → scopes → turn → request → verdict → retry.
 */
import { Clock, Effect, Exit, Metric, Random, Redacted, Scope } from "effect";
import * as HttpClient from "effect/http/HttpClient";
import type { HttpClientError } from "effect/http/HttpClientError";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import type * as HttpClientResponse from "effect/http/HttpClientResponse";
import { ResponseListener } from "../CallOptions.ts";
import type { CallOptions, ResponseInfo } from "../CallOptions.ts";
import type { AccessToken } from "../Credentials.ts";
import { Timeout, Transport } from "../Errors.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import type { LimiterStoreError } from "../LimiterStore.ts";
import type { LimiterReport, Permit } from "../PolicyLimiter.ts";
import { parseRetryAfter } from "../RateLimitDialect.ts";
import { RetryBudget, retryDelay } from "../Retry.ts";
import * as Telemetry from "../Telemetry.ts";
import type { CallerSettings, Handler, PreparedCall, Seen } from "./Call.ts";
import { execute, requestOf } from "./execute.ts";
import { isEdgeBlock, judge } from "./judge.ts";
import { readText, received } from "./readBody.ts";
import type { BodyBroken } from "./readBody.ts";
import {
  connectFailure,
  isUndone,
  isWorthRepeating,
  lacksScope,
  millis,
  noteIn,
  missingScopes,
  notLetGo,
  tokenOf,
  untilAborted,
} from "./verdicts.ts";

const ERROR_BODY_LIMIT = 65_536;

const durations = Telemetry.labelled(Telemetry.durations);
const requests = Telemetry.labelled(Telemetry.requests);
const retries = Telemetry.labelled(Telemetry.retries);
const violations = Telemetry.labelled(Telemetry.violations);

/** The function that performs calls. */
export const makeCaller = (settings: CallerSettings) => {
  /** Closing the scope ends the connection, which a body that is still on its way needs. */
  const scopedClient = HttpClient.withScope(settings.client);
  const budget = new RetryBudget(settings.retry.budget);
  const probed = new Set<string>();
  const { breaker, credentials, limiter } = settings;

  return <A>(
    call: PreparedCall,
    options: CallOptions,
    handler: Handler<A>,
  ): Effect.Effect<A, GameApiError, Scope.Scope> => {
    const route = `${call.info.method} ${call.info.path}`;
    const attributes = { route };
    const isSafe = call.info.method === "GET" || call.info.method === "HEAD";
    const attemptTimeout = millis(options.timeout, settings.timeout);
    const totalTimeout = millis(options.totalTimeout, settings.totalTimeout);
    const maxWait = millis(options.maxWait, Number.POSITIVE_INFINITY);
    const times = options.retries ?? settings.retry.times;
    let attempts = 0;
    let waited = 0;
    let policy: string | undefined;

    const about = (): CallInfo => ({
      operation: call.operation,
      route,
      attempts,
      ...(policy !== undefined && { policy }),
    });

    const send = Effect.fnUntraced(function* (
      permit: Permit,
      token: AccessToken | undefined,
      seen: Seen,
    ) {
      attempts++;
      waited += permit.waited;
      policy = permit.policy ?? policy;
      const started = yield* Clock.currentTimeMillis;
      let request = requestOf(call.info.method, call.url, settings.userAgent, token);
      if (call.body !== undefined) {
        request = HttpClientRequest.bodyText(request, call.body, "application/json");
      }
      seen.sent = true;
      const sending: Effect.Effect<
        HttpClientResponse.HttpClientResponse,
        HttpClientError,
        Scope.Scope
      > = handler.streams ? execute(scopedClient, request) : execute(settings.client, request);
      const response = yield* sending.pipe(
        Effect.mapError((error) => connectFailure(about(), error)),
      );
      const arrived = received(response);
      const { headers } = arrived;
      seen.status = response.status;
      seen.headers = headers;
      seen.edge = isEdgeBlock(response.status, headers);
      policy = headers["x-rate-limit-policy"] ?? policy;
      const requestId = headers["x-request-id"] ?? headers["cf-ray"];
      const known = { ...about(), ...(requestId !== undefined && { requestId }) };
      const info: ResponseInfo = {
        status: response.status,
        headers,
        attempts,
        waited,
        policy,
        requestId,
      };
      const listener = yield* ResponseListener;
      listener?.(info);
      const broken = (error: BodyBroken) =>
        new Transport({ ...known, status: response.status, phase: "body", detail: error.detail });
      const text = Effect.mapError(readText(arrived, settings.maxBodyBytes), broken);
      if (handler.accepts(response.status)) {
        const value = yield* handler.read({ received: arrived, about: known, info, text });
        yield* Metric.update(durations(attributes), (yield* Clock.currentTimeMillis) - started);
        return value;
      }
      const body = yield* Effect.orElseSucceed(readText(arrived, ERROR_BODY_LIMIT), () => "");
      const now = yield* Clock.currentTimeMillis;
      const error = judge(known, {
        status: response.status,
        headers,
        body: token ? body.replaceAll(Redacted.value(token.token), "<redacted>") : body,
        now,
        retryAfter: parseRetryAfter(headers["retry-after"], now),
        scopesNeeded: call.info.scopes,
        scopesGranted: token?.scopes,
      });
      if (error._tag === "RateLimited") {
        yield* Metric.update(violations({ policy: policy ?? "unknown" }), 1);
      }
      return yield* error;
    });

    /** One request in its turn; its connection is gone afterwards, unless its value streams. */
    const attempt = Effect.fnUntraced(function* (token: AccessToken | undefined) {
      const seen: Seen = { sent: false };
      const outer = yield* Scope.Scope;
      const inTime = (permit: Permit) =>
        Effect.uninterruptibleMask((restore) => {
          const scope = Scope.makeUnsafe();
          return restore(
            send(permit, token, seen).pipe(
              Effect.provideService(Scope.Scope, scope),
              Effect.timeoutOrElse({
                duration: attemptTimeout,
                orElse: () => Effect.fail(new Timeout({ ...about(), phase: "attempt" })),
              }),
            ),
          ).pipe(
            Effect.onExit((exit) =>
              handler.streams && Exit.isSuccess(exit)
                ? Scope.addFinalizer(outer, Scope.close(scope, Exit.void))
                : Scope.close(scope, exit),
            ),
          );
        });
      return yield* limiter
        .run(
          { route: call.limitRoute, priority: options.priority, maxWait: options.maxWait },
          inTime,
          (): LimiterReport => ({
            sent: seen.sent,
            status: seen.status,
            headers: seen.headers,
            edge: seen.edge,
          }),
        )
        .pipe(
          Effect.catchTags({
            NotLetGo: (error) => Effect.fail(notLetGo(about(), call, error)),
            LimiterStoreError: (error: LimiterStoreError) =>
              Effect.fail(new Transport({ ...about(), phase: "limiter", detail: error.detail })),
          }),
          Effect.onExit((exit) => {
            if (breaker && !seen.sent) breaker.forget();
            if (!seen.sent) return Effect.void;
            const status = seen.status === undefined ? "none" : String(seen.status);
            const counted = Metric.update(requests({ route, status }), 1);
            if (breaker === undefined) return counted;
            return Effect.andThen(
              counted,
              Effect.map(Clock.currentTimeMillis, (now) => noteIn(breaker, exit, now)),
            );
          }),
        );
    });

    /** Learns the limits of a route without using any of them; whatever comes of it, the call itself follows. */
    const probe = Effect.fnUntraced(function* (token: AccessToken | undefined) {
      const { limitRoute } = call;
      if (!settings.probe || call.info.method !== "GET" || probed.has(limitRoute)) return;
      probed.add(limitRoute);
      const seen: { answer?: HttpClientResponse.HttpClientResponse } = {};
      yield* limiter
        .run(
          {
            route: limitRoute,
            priority: options.priority,
            maxWait: options.maxWait,
            counted: false,
          },
          () =>
            Effect.map(
              execute(settings.client, requestOf("HEAD", call.url, settings.userAgent, token)),
              (answer) => {
                seen.answer = answer;
              },
            ).pipe(Effect.timeoutOption(attemptTimeout)),
          () => ({
            status: seen.answer?.status,
            headers: seen.answer?.headers,
            edge: seen.answer && isEdgeBlock(seen.answer.status, seen.answer.headers),
          }),
        )
        .pipe(Effect.ignore);
    });

    const loop = Effect.gen(function* () {
      const deadline = (yield* Clock.currentTimeMillis) + totalTimeout;
      let token = credentials ? yield* tokenOf(credentials.current, about) : undefined;
      let isRenewed = false;
      let retried = 0;
      while (true) {
        const missing = missingScopes(call, token);
        if (missing.length > 0) return yield* lacksScope(about(), call, missing);
        yield* probe(token);
        if (breaker?.admits(yield* Clock.currentTimeMillis) === false) {
          return yield* new Transport({ ...about(), phase: "circuit-open" });
        }
        const exit = yield* Effect.exit(attempt(token));
        if (Exit.isSuccess(exit)) {
          budget.earn();
          return exit.value;
        }
        const error = Exit.findError(exit);
        if (error._tag === "Failure") return yield* exit;
        const failure = error.success;
        if (failure._tag === "Unauthorized" && token && credentials?.renew && !isRenewed) {
          isRenewed = true;
          token = yield* tokenOf(credentials.renew(token.token), about);
          continue;
        }
        const mayRepeat = isSafe || options.retryUnsafe === true || isUndone(failure);
        if (!failure.isRetryable || !isWorthRepeating(failure) || !mayRepeat || retried >= times) {
          return yield* failure;
        }
        if (!budget.take()) return yield* failure;
        const now = yield* Clock.currentTimeMillis;
        // The limiter itself holds a policy back after a 429.
        const asked =
          failure._tag === "ServerError" && failure.retryAt !== undefined
            ? Math.max(0, failure.retryAt - now)
            : 0;
        const delay = retryDelay(settings.retry, retried, yield* Random.next, asked);
        if (now + delay >= deadline || asked > maxWait) return yield* failure;
        retried++;
        yield* Metric.update(retries(attributes), 1);
        yield* Effect.logDebug(`${call.operation}: again in ${Math.round(delay)} ms`, failure._tag);
        yield* Effect.sleep(delay);
        // Time has passed: a session may have a fresher token by now.
        if (credentials) token = yield* tokenOf(credentials.current, about);
      }
    });

    const bounded = Number.isFinite(totalTimeout)
      ? Effect.timeoutOrElse(loop, {
          duration: totalTimeout,
          orElse: () => Effect.fail(new Timeout({ ...about(), phase: "total" })),
        })
      : loop;
    const abortable = options.signal ? untilAborted(bounded, options.signal) : bounded;
    return abortable.pipe(
      Effect.withSpan(
        `GameApi.${call.operation}`,
        {
          kind: "client",
          attributes: { "http.request.method": call.info.method, "http.route": call.info.path },
        },
        { captureStackTrace: false },
      ),
    );
  };
};
