/** The errors of the rate limiter as those of a call. */
import type { LimiterStoreError, RequestNotSent } from "@game-data/rate-limit/effect";
import { Forbidden, RateLimited, TransportError } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import { callInfo } from "./Call.ts";
import type { Call } from "./Call.ts";

/** The error of a call that the limiter did not let go. */
export const fromLimiter = (
  call: Call,
  error: RequestNotSent | LimiterStoreError,
): GameApiError => {
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
