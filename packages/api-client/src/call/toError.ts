/** Makes the error of a call from an error response, a broken exchange or the limiter's refusal. */
import type { ErrorBody } from "@game-data/contract";
import { statusOfErrorCode } from "@game-data/contract/ErrorCode";
import {
  retryAfterMillis,
  type LimiterStoreError,
  type RequestNotSent,
} from "@game-data/rate-limit";
import * as Duration from "effect/Duration";
import * as HttpClientError from "effect/http/HttpClientError";
import {
  type CallInfo,
  Forbidden,
  type GameApiError,
  InvalidRequest,
  NotFound,
  RateLimited,
  ServerError,
  Timeout,
  TransportError,
  Unauthorized,
} from "../Errors.ts";
import { describeCause } from "../Credentials.ts";
import { type Call, callInfo, quote, type ResponseHead } from "./Call.ts";

/** Returns the error of an error response. `body` is empty if it could not be read. */
export const responseError = (call: Call, head: ResponseHead, body: string, now: number) => {
  const { headers, status } = head;
  const { scopes } = call.request;
  if (isFirewallBlock(head))
    return new Forbidden({
      ...callInfo(call),
      reason: "firewall",
      scopesNeeded: scopes,
      scopesMissing: [],
    });
  // A browser reports a redirect that it does not follow as status 0.
  if (status === 0 || (status >= 300 && status < 400))
    return new TransportError({ ...callInfo(call), reason: "redirect" });
  call.details = errorDetails(call, parseJson(body));
  const millis = retryAfterMillis(headers, now);
  return statusError(call, status, millis === undefined ? undefined : Duration.millis(millis));
};

/** Returns the error of a successful response whose body is `{"error": …}` (§7). */
export const errorInBody = (call: Call, json: unknown): GameApiError | undefined => {
  call.details = errorDetails(call, json);
  if (call.details === undefined) return undefined;
  const status = statusOfErrorCode(call.details.code) ?? 500;
  return statusError(call, status < 400 ? 500 : status);
};

const statusError = (call: Call, status: number, retryAfter?: Duration.Duration): GameApiError => {
  const { request, response, token } = call;
  const facts = callInfo(call);
  switch (status) {
    case 401:
      return new Unauthorized({ ...facts, reason: token ? "refused" : "no-token" });
    case 403: {
      const challenge = response?.headers["www-authenticate"];
      const isScope = challenge?.includes("insufficient_scope") === true;
      return new Forbidden({
        ...facts,
        // A request is not sent if its token is known to lack a scope, so here the data is private.
        reason: isScope ? "scope" : token?.scopes ? "private" : "unknown",
        scopesNeeded: request.scopes,
        scopesMissing: isScope ? request.scopes : [],
      });
    }
    case 404:
    case 410:
      return new NotFound(facts);
    case 408:
      return new Timeout({ ...facts, reason: "attempt" });
    case 429:
      return new RateLimited({ ...facts, reason: "server", retryAfter });
    default:
      return status >= 500 ? new ServerError({ ...facts, retryAfter }) : new InvalidRequest(facts);
  }
};

/**
 * Returns whether a firewall in front of the service responded: with the header `cf-mitigated`, or
 * with an HTML page and status 403 or 429.
 */
export const isFirewallBlock = ({ headers, status }: ResponseHead): boolean => {
  if (status < 400) return false;
  if (headers["cf-mitigated"] !== undefined) return true;
  const isPage = headers["content-type"]?.toLowerCase().includes("html") === true;
  // "Error 1015" is the firewall's own limit. A 429 of the service names its policy or a time.
  const isFromService =
    headers["x-rate-limit-policy"] !== undefined || headers["retry-after"] !== undefined;
  return isPage && (status === 403 || (status === 429 && !isFromService));
};

/** Reads code and message of an error body. Returns `undefined` for any other body. */
export const errorDetails = (call: Call, json: unknown) => {
  const error: unknown = (json as Partial<ErrorBody> | null | undefined)?.error;
  if (typeof error !== "object" || error === null) return undefined;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return {
    code: typeof code === "number" ? code : undefined,
    detail: typeof message === "string" ? quote(call, message) : undefined,
  };
};

/** Returns the error of a request without a response. */
export const transportError = (
  call: Call,
  error: HttpClientError.HttpClientError,
): GameApiError => {
  const cause = transportCause(error);
  const detail = quote(call, describeCause(cause));
  return new TransportError({ ...callInfo(call), reason: "connect", detail, cause });
};

/** Returns the cause of an `HttpClientError`, which itself holds the request with its token. */
export const transportCause = (error: unknown): unknown => {
  if (!HttpClientError.isHttpClientError(error)) return error;
  const { reason } = error;
  return ("cause" in reason && reason.cause) || new Error(reason._tag);
};

/** Returns the error of a request that the limiter did not permit. */
export const limiterError = (
  facts: CallInfo,
  error: RequestNotSent | LimiterStoreError,
  scopesNeeded: ReadonlyArray<string> = [],
): GameApiError => {
  if (error._tag === "LimiterStoreError")
    return new TransportError({ ...facts, reason: "limiter", detail: error.message, cause: error });
  const { reason, retryAfter } = error;
  const info = { ...facts, retryAfter, cause: error };
  switch (reason) {
    case "firewall":
      return new Forbidden({ ...info, reason, scopesNeeded, scopesMissing: [] });
    case "wait-too-long":
    case "too-many-errors":
      return new RateLimited({ ...info, reason });
    case "closed":
      return new TransportError({ ...facts, reason, detail: "the limiter is closed" });
  }
};

/** Parses JSON; returns `undefined` for other text. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
