/**
 * The errors of a call: of an error response, by status, headers and body, and of a request that was
 * not sent or got no response.
 */
import type { ErrorBody } from "@game-data/contract";
import { statusOfErrorCode } from "@game-data/contract/ErrorCode";
import * as Duration from "effect/Duration";
import {
  Forbidden,
  InvalidRequest,
  NotFound,
  RateLimited,
  ServerError,
  Timeout,
  TransportError,
  Unauthorized,
} from "../Errors.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import { retryAfterMillis as askedWait } from "@game-data/contract/retryAfter";
import type { SendError } from "../Transport.ts";
import { parseJson } from "./body.ts";
import { callInfo, isFirewallBlock, withoutToken } from "./Call.ts";
import type { Call, ReceivedResponse } from "./Call.ts";
import type { NotSent } from "./PipelineOptions.ts";

/** A response that is no success. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** The wait that `Retry-After` asks for. */
  readonly retryAfterMillis: number | undefined;
  readonly scopesNeeded: ReadonlyArray<string>;
  readonly scopesGranted: ReadonlyArray<string> | undefined;
  /** `false`: the request carried no access token. */
  readonly hasToken?: boolean | undefined;
}

/** Maps an error response to the error of the call. */
const errorFromResponse = (facts: CallInfo, response: ErrorResponse): GameApiError => {
  const { status, headers, retryAfterMillis, scopesNeeded } = response;
  const retryAfter =
    retryAfterMillis === undefined ? {} : { retryAfter: Duration.millis(retryAfterMillis) };
  if (isFirewallBlock(status, headers)) {
    return new Forbidden({
      ...facts,
      status,
      kind: "firewall",
      scopesNeeded,
      scopesMissing: [],
      ...retryAfter,
    });
  }
  // A browser hides a redirect that it does not follow behind status 0.
  if (status === 0 || (status >= 300 && status < 400))
    return new TransportError({ ...facts, status, kind: "redirect" });
  const info = { ...facts, status, ...parseErrorBody(parseJson(response.body)) };
  return byStatus(status, info, response, retryAfter);
};

/**
 * The error in a response of status 200 whose body is `{"error": …}`: the code says which status it
 * would have had.
 */
export const errorFromBody = (
  facts: CallInfo,
  json: unknown,
  response: Omit<ErrorResponse, "body" | "retryAfterMillis">,
): GameApiError | undefined => {
  const details = parseErrorBody(json);
  if (details === undefined) return undefined;
  const known = statusOfErrorCode(details.code) ?? 500;
  const status = known < 400 ? 500 : known;
  const info = { ...facts, status: response.status, ...details };
  return byStatus(status, info, { ...response, body: "", retryAfterMillis: undefined }, {});
};

const byStatus = (
  status: number,
  info: CallInfo,
  response: ErrorResponse,
  retryAfter: { readonly retryAfter?: Duration.Duration },
): GameApiError => {
  switch (status) {
    case 401:
      return new Unauthorized({
        ...info,
        kind: response.hasToken === false ? "no-token" : "refused",
      });
    case 403:
      return forbidden(info, response);
    case 404:
    case 410:
      return new NotFound(info);
    case 408:
      return new Timeout({ ...info, kind: "attempt" });
    case 429:
      return new RateLimited({ ...info, kind: "server", ...retryAfter });
  }
  return status >= 500 ? new ServerError({ ...info, ...retryAfter }) : new InvalidRequest(info);
};

/** A token that is known to lack a scope is not sent at all. */
const forbidden = (info: CallInfo, response: ErrorResponse): Forbidden => {
  const { headers, scopesGranted, scopesNeeded } = response;
  const isScope = headers["www-authenticate"]?.includes("insufficient_scope") === true;
  return new Forbidden({
    ...info,
    kind: isScope ? "scope" : scopesGranted ? "private" : "unknown",
    scopesNeeded,
    scopesMissing: isScope ? scopesNeeded : [],
  });
};

const MAX_DETAIL_LENGTH = 300;

/** Code and message of an error body; `undefined` for other JSON. */
export const parseErrorBody = (
  json: unknown,
): { readonly code?: number; readonly detail?: string } | undefined => {
  if (typeof json !== "object" || json === null || !Object.hasOwn(json, "error")) return undefined;
  const { error } = json as Partial<ErrorBody>;
  if (typeof error !== "object" || error === null) return undefined;
  return {
    ...(typeof error.code === "number" && { code: error.code }),
    ...(typeof error.message === "string" && {
      detail: error.message.slice(0, MAX_DETAIL_LENGTH),
    }),
  };
};

/** The error of an error response; a body that could be read adds code and message. */
export const refusal = (
  call: Call,
  { callInfo: facts, info: { headers, status }, redact }: ReceivedResponse,
  body: string,
  now: number,
): GameApiError =>
  errorFromResponse(facts, {
    status,
    headers,
    body: redact(body),
    retryAfterMillis: askedWait(headers, now),
    scopesNeeded: call.request.scopes,
    scopesGranted: call.token?.scopes,
    hasToken: call.token !== undefined,
  });

/** The error of a request without a response. */
export const connectError = (call: Call, { kind, detail, cause }: SendError): GameApiError => {
  const info = { ...callInfo(call), detail: withoutToken(call, detail), cause };
  return kind === "request"
    ? new InvalidRequest(info)
    : new TransportError({ ...info, kind: "connect" });
};

/** The error of a call that the limiter did not let go. */
export const fromLimiter = (
  call: Call,
  { cause, detail, kind, policy, retryAfterMillis = 0 }: NotSent,
): GameApiError => {
  if (kind === "store")
    return new TransportError({ ...callInfo(call), kind: "limiter", detail, cause });
  if (kind === "closed")
    return new TransportError({
      ...callInfo(call),
      kind: "closed",
      detail: "the limiter was closed",
    });
  const retryAfter = Duration.millis(retryAfterMillis);
  const info = { ...callInfo(call), ...(policy !== undefined && { policy }), retryAfter };
  return kind === "firewall"
    ? new Forbidden({ ...info, kind, scopesNeeded: call.request.scopes, scopesMissing: [] })
    : new RateLimited({ ...info, kind });
};
