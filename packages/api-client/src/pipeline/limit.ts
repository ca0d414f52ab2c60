/**
 * The limit step: waits for the rate limiter, runs one attempt and reports its outcome.
 */
import type { LimiterStoreError, RequestNotSent } from "@game-data/rate-limit/effect";
import * as Effect from "effect/Effect";
import { Forbidden, RateLimited, Timeout, TransportError } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import { SendError } from "../Transport.ts";
import { callInfo } from "./Call.ts";
import type { Call, Step } from "./Call.ts";
import { Deadline } from "./Deadline.ts";
import { isFirewallBlock } from "./errorFromResponse.ts";
import type { PipelineOptions } from "./PipelineOptions.ts";
import { buildRequest } from "./send.ts";

export const limit =
  ({ instruments, limiter }: PipelineOptions): Step =>
  (call, next) =>
    Effect.withFiber((fiber) => {
      const attempt = { sent: false, status: undefined };
      call.attempt = attempt;
      const running = limiter.run(
        {
          route: call.request.rateLimitRoute,
          identity: call.account.identity,
          priority: call.options.priority,
          maxWait: call.maxWait,
        },
        (permit) => {
          call.waitedMillis += permit.waitedMillis;
          call.policy = permit.policy ?? call.policy;
          return next(call);
        },
        () => {
          const { sent, status = "none" } = call.attempt;
          if (sent) {
            const attributes = { route: call.request.route, status: String(status) };
            instruments.measure?.("requests", 1, attributes, fiber);
          }
          return call.attempt;
        },
      );
      return Effect.mapError(running, (error) =>
        error._tag === "RequestNotSent" || error._tag === "LimiterStoreError"
          ? fromLimiter(call, error)
          : error,
      );
    });

const fromLimiter = (call: Call, error: RequestNotSent | LimiterStoreError): GameApiError => {
  if (error._tag === "LimiterStoreError") {
    const { detail } = error;
    return new TransportError({ ...callInfo(call), kind: "limiter", detail, cause: error });
  }
  const { kind, policy, retryAfter } = error;
  if (kind === "closed" || kind === "cleared")
    return new TransportError({
      ...callInfo(call),
      kind: "closed",
      detail: `the limiter was ${kind}`,
      cause: error,
    });
  const info = { ...callInfo(call), ...(policy !== undefined && { policy }), retryAfter };
  return kind === "firewall"
    ? new Forbidden({ ...info, kind, scopesNeeded: call.request.scopes, scopesMissing: [] })
    : new RateLimited({ ...info, kind });
};

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
    return Effect.andThen(
      sendProbe(options, call),
      Effect.suspend(() => next(call)),
    );
  };
};

const sendProbe = ({ limiter, transport, timeout, userAgent }: PipelineOptions, call: Call) => {
  const attempt: Call["attempt"] = { sent: false, status: undefined };
  const { rateLimitRoute: route } = call.request;
  return limiter
    .run(
      {
        route,
        identity: call.account.identity,
        priority: call.options.priority,
        maxWait: call.maxWait,
        counted: false,
      },
      () =>
        Effect.withFiber((fiber) => {
          const timedOut = () => new Timeout({ ...callInfo(call), kind: "attempt" });
          const deadline = new Deadline(timeout, fiber, timedOut);
          const head = { ...buildRequest(call, userAgent), method: "HEAD" };
          const sending = deadline.race<void>((settle) =>
            transport(head, (result) => {
              if (!(result instanceof SendError)) {
                const { abort, headers, status } = result;
                abort();
                attempt.status = status;
                attempt.headers = headers;
                attempt.isFirewallBlock = isFirewallBlock(status, headers);
              }
              settle(Effect.void);
            }),
          );
          return Effect.onExitPrimitive(sending, () => {
            deadline.clear();
            return undefined;
          });
        }),
      () => ({ ...attempt, sent: true }),
    )
    .pipe(Effect.catch(() => Effect.void));
};
