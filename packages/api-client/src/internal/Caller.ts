/**
 * One call from beginning to end: token → scopes → turn → request → verdict → retry.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Metric from "effect/Metric";
import * as Random from "effect/Random";
import * as HttpClient from "effect/http/HttpClient";
import type * as HttpClientResponse from "effect/http/HttpClientResponse";
import type { CallOptions } from "../CallOptions.ts";
import type { AccessToken } from "../Credentials.ts";
import { Timeout, Transport } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import { RetryBudget, retryDelay } from "../Retry.ts";
import * as Telemetry from "../Telemetry.ts";
import { attempt } from "./attempt.ts";
import { aboutOf, routeOf } from "./Call.ts";
import type { CallerSettings, Handler, PreparedCall, Progress, StreamingHandler } from "./Call.ts";
import { execute, requestOf } from "./execute.ts";
import { isEdgeBlock } from "./judge.ts";
import {
  isUndone,
  isWorthRepeating,
  lacksScope,
  millis,
  missingScopes,
  tokenOf,
  untilAborted,
} from "./verdicts.ts";

const retries = Telemetry.labelled(Telemetry.retries);

/** The function that performs calls. */
export const makeCaller = (settings: CallerSettings) => {
  const scopedClient = HttpClient.withScope(settings.client);
  const budget = new RetryBudget(settings.retry.budget);
  const probed = new Set<string>();
  const { breaker, credentials, limiter } = settings;

  return <A, R>(
    call: PreparedCall,
    options: CallOptions,
    handler: Handler<A, R> | StreamingHandler<A>,
  ): Effect.Effect<A, GameApiError, R> => {
    const isSafe = call.info.method === "GET" || call.info.method === "HEAD";
    const attemptTimeout = millis(options.timeout, settings.timeout);
    const totalTimeout = millis(options.totalTimeout, settings.totalTimeout);
    const maxWait = millis(options.maxWait, Number.POSITIVE_INFINITY);
    const times = options.retries ?? settings.retry.times;
    const progress: Progress = { attempts: 0, waited: 0, policy: undefined };
    const attempts = { settings, scopedClient, call, options, handler, progress };
    const about = () => aboutOf(call, progress);

    /**
     * Learns the limits of a route without using any of them; whatever comes of it, the call itself
     * follows.
     */
    const probe = Effect.fnUntraced(function* (token: AccessToken | undefined) {
      const { limitRoute } = call;
      if (call.info.method !== "GET" || probed.has(limitRoute)) return;
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
            isFirewallBlock: seen.answer && isEdgeBlock(seen.answer.status, seen.answer.headers),
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
        if (settings.probe) yield* probe(token);
        if (breaker?.admits(yield* Clock.currentTimeMillis) === false) {
          return yield* new Transport({ ...about(), phase: "circuit-open" });
        }
        const exit = yield* Effect.exit(attempt<A, R>(attempts, token));
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
        yield* Metric.update(retries({ route: routeOf(call.info) }), 1);
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
