/**
 * The limit step: waits for the rate limiter, runs one attempt and reports its outcome.
 */
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import { Forbidden, RateLimited, TransportError } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import type { LimiterStoreError } from "../LimiterStore.ts";
import type { NotLetGo } from "../NotLetGo.ts";
import * as Metrics from "../Metrics.ts";
import { callInfo } from "./Call.ts";
import type { Call, PipelineOptions, Step } from "./Call.ts";
import { isFirewallBlock } from "./errorFromResponse.ts";
import { buildRequest } from "./send.ts";

const requests = Metrics.withAttributes(Metrics.requests);

export const limit =
  ({ limiter }: PipelineOptions): Step =>
  (call, next) =>
    Effect.withFiber((fiber) => {
      const attempt = { sent: false, status: undefined };
      call.attempt = attempt;
      const running = limiter.run(
        {
          route: call.request.rateLimitRoute,
          priority: call.options.priority,
          maxWait: call.maxWait,
        },
        (permit) => {
          call.waitedMillis += permit.waited;
          call.policy = permit.policy ?? call.policy;
          return next(call);
        },
        () => {
          const { sent, status = "none" } = call.attempt;
          if (sent) {
            const attributes = { route: call.request.route, status: String(status) };
            requests(attributes).updateUnsafe(1, fiber.context);
          }
          return call.attempt;
        },
      );
      return Effect.catch(running, (error) =>
        error._tag === "NotLetGo" || error._tag === "LimiterStoreError"
          ? fromLimiter(call, error)
          : Effect.fail(error),
      );
    });

const fromLimiter = (
  call: Call,
  error: NotLetGo | LimiterStoreError,
): Effect.Effect<never, GameApiError> =>
  Effect.clockWith((clock) => {
    if (error._tag === "LimiterStoreError") {
      const { detail } = error;
      return Effect.fail(
        new TransportError({ ...callInfo(call), kind: "limiter", detail, cause: error }),
      );
    }
    const { policy, reason, retryAt } = error.refusal;
    const wait = Math.max(0, retryAt - clock.currentTimeMillisUnsafe());
    const info = {
      ...callInfo(call),
      ...(policy !== undefined && { policy }),
      retryAfter: Duration.millis(wait),
    };
    return Effect.fail(
      reason === "edge"
        ? new Forbidden({
            ...info,
            kind: "firewall",
            scopesNeeded: call.request.scopes,
            scopesMissing: [],
          })
        : new RateLimited({
            ...info,
            kind: reason === "invalid-requests" ? "too-many-errors" : reason,
          }),
    );
  });

/**
 * The probe step: sends one HEAD before the first GET of a route, which the service does not count,
 * to learn the route's limits. The call follows whatever the outcome.
 */
export const probe = (options: PipelineOptions): Step => {
  const probed = new Set<string>();
  return (call, next) => {
    const { method, rateLimitRoute } = call.request;
    if (method !== "GET" || probed.has(rateLimitRoute)) return next(call);
    probed.add(rateLimitRoute);
    return Effect.andThen(sendProbe(options, call), Effect.suspend(() => next(call)));
  };
};

const sendProbe = ({ limiter, transport, timeout, userAgent }: PipelineOptions, call: Call) => {
  const attempt: Call["attempt"] = { sent: false, status: undefined };
  const { rateLimitRoute: route } = call.request;
  return limiter
    .run(
      { route, priority: call.options.priority, maxWait: call.maxWait, counted: false },
      () =>
        transport({ ...buildRequest(call, userAgent), method: "HEAD" }).pipe(
          Effect.map(({ status, headers, abort }) => {
            abort();
            attempt.status = status;
            attempt.headers = headers;
            attempt.isFirewallBlock = isFirewallBlock(status, headers);
          }),
          Effect.timeoutOption(timeout),
        ),
      () => ({ ...attempt, sent: true }),
    )
    .pipe(Effect.ignore);
};
