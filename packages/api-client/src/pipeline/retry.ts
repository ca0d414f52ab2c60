/**
 * Whether an attempt is repeated, and after how long.
 *
 * Safe methods are repeated. Others are repeated only if the service did not process the request,
 * or if the call says that doing it twice does no harm.
 */
import * as Duration from "effect/Duration";
import type { GameApiError } from "../Errors.ts";
import { retryDelay } from "../Retry.ts";
import type { RetrySettings } from "../Retry.ts";
import type { Call } from "./Call.ts";

/** Whether it may and should be sent again. */
export const mayRepeat = (call: Call, error: GameApiError): boolean =>
  (isSafe(call) || call.options.retryUnsafe === true || wasNotProcessed(error)) &&
  isRetryWorthwhile(error);

/** The wait before the next attempt; `undefined` if that is longer than the call may wait. */
export const delayOf = (
  call: Call,
  error: GameApiError,
  settings: RetrySettings,
  { random, retried }: { readonly retried: number; readonly random: number },
): number | undefined => {
  // After a 429 the limiter itself delays the whole policy.
  const asked =
    error._tag === "ServerError" && error.retryAfter !== undefined
      ? Duration.toMillis(error.retryAfter)
      : 0;
  return asked > call.maxWait ? undefined : retryDelay(settings, retried, random, asked);
};

const isSafe = ({ request: { method } }: Call) => method === "GET" || method === "HEAD";

/** Whether the service did not process the request, so that even a POST may be repeated. */
const wasNotProcessed = (error: GameApiError) =>
  error._tag === "RateLimited" ||
  (error._tag === "TransportError" && (error.kind === "limiter" || error.kind === "token"));

/** Waiting does not shorten a wait that was too long. */
const isRetryWorthwhile = (error: GameApiError): boolean => {
  const isTooLong =
    error._tag === "RateLimited"
      ? error.kind !== "server"
      : error._tag === "Timeout" && error.kind === "total";
  return error.isRetryable && !isTooLong;
};
