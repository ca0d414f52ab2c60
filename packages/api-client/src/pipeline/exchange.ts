/**
 * A request with its headers, and what its response tells before its body is read.
 */
import { ACCEPTED_CODINGS } from "@game-data/contract/inflate";
import { retryAfterMillis } from "@game-data/rate-limit";
import * as Duration from "effect/Duration";
import * as Redacted from "effect/Redacted";
import type { RequestInfo, ResponseInfo } from "../CallOptions.ts";
import { Forbidden, InvalidRequest, RateLimited, TransportError } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import type { IncomingResponse, OutgoingRequest, SendError } from "../Transport.ts";
import { callInfo } from "./Call.ts";
import type { Call, Host, ReceivedResponse } from "./Call.ts";
import { errorFromResponse, isFirewallBlock } from "./errorFromResponse.ts";
import type { NotSent } from "./PipelineOptions.ts";

const ACCEPTED = ACCEPTED_CODINGS.join(", ");

/** A request with its headers. */
export const buildRequest = (call: Call, userAgent: string): OutgoingRequest => {
  const { request, token, headers } = call;
  return {
    operation: request.operation,
    method: request.method,
    url: request.url,
    headers: {
      accept: "application/json",
      "accept-encoding": ACCEPTED,
      "user-agent": userAgent,
      ...(token && { authorization: `Bearer ${Redacted.value(token.token)}` }),
      ...(request.body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: request.body,
  };
};

/** The request for hooks and logs, without the token. */
export const requestInfo = (
  call: Call,
  { method, url, headers, body }: OutgoingRequest,
): RequestInfo => ({
  operation: call.request.operation,
  route: call.request.route,
  method,
  url,
  headers: { ...headers, ...(call.token && { authorization: "Bearer <redacted>" }) },
  body,
  attempts: call.attempts,
});

/** Takes over what a response tells, and hands it to whoever reads it. */
export const receive = (
  call: Call,
  incoming: IncomingResponse,
  maxBodyBytes: number,
  host: Host,
): ReceivedResponse => {
  const { status, headers } = incoming;
  const { attempt, attempts, request, waitedMillis } = call;
  attempt.status = status;
  attempt.headers = headers;
  attempt.isFirewallBlock = isFirewallBlock(status, headers);
  call.policy = headers["x-rate-limit-policy"] ?? call.policy;
  const { operation, route } = request;
  const { policy, token } = call;
  const requestId = headers["x-request-id"] ?? headers["cf-ray"];
  const info: ResponseInfo = {
    operation,
    route,
    attempts,
    status,
    headers,
    waitedMillis,
    policy,
    requestId,
  };
  call.response = info;
  return {
    incoming,
    info,
    callInfo: callInfo(call, requestId),
    maxBodyBytes,
    host,
    redact: (text) => (token ? text.replaceAll(Redacted.value(token.token), "<redacted>") : text),
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
    retryAfterMillis: retryAfterMillis(headers, now),
    scopesNeeded: call.request.scopes,
    scopesGranted: call.token?.scopes,
    hasToken: call.token !== undefined,
  });

/** The error of a request without a response. */
export const connectError = (call: Call, { kind, detail, cause }: SendError): GameApiError =>
  kind === "request"
    ? new InvalidRequest({ ...callInfo(call), detail, cause })
    : new TransportError({ ...callInfo(call), kind: "connect", detail, cause });

/** The error of a call that the limiter did not let go. */
export const fromLimiter = (
  call: Call,
  { cause, detail, kind, policy, retryAfterMillis: millis = 0 }: NotSent,
): GameApiError => {
  if (kind === "store")
    return new TransportError({ ...callInfo(call), kind: "limiter", detail, cause });
  if (kind === "closed" || kind === "cleared")
    return new TransportError({
      ...callInfo(call),
      kind: "closed",
      detail: `the limiter was ${kind}`,
      cause,
    });
  const retryAfter = Duration.millis(millis);
  const info = { ...callInfo(call), ...(policy !== undefined && { policy }), retryAfter };
  return kind === "firewall"
    ? new Forbidden({ ...info, kind, scopesNeeded: call.request.scopes, scopesMissing: [] })
    : new RateLimited({ ...info, kind });
};
