/**
 * Keeps web pages of other sites away from the control plane, which has no authentication.
 *
 * A page that somebody happens to visit can send requests to loopback addresses. An `Origin`, which
 * browsers send with everything that changes something, has to be the control plane's own; programs
 * send none. (A page that rebinds its own name to 127.0.0.1 sends that name as `Host`, and is
 * refused on every listener: `Hosts`.) No CORS header is ever sent, so nothing can be read across
 * origins either.
 */
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import type * as HttpServerRequest from "effect/http/HttpServerRequest";

/**
 * Why a request to the control plane is refused, or undefined; `own` is the origin under which it
 * was asked.
 */
export const rejectionReason = (
  { headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">,
  own: string | undefined,
): string | undefined => {
  const { origin } = headers;
  return origin === undefined || origin === own
    ? undefined
    : "web pages of other origins may not use the control plane";
};

/** 403 with the reason. */
export const refuse = (reason: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ reason }, { status: 403 });
