/**
 * What each listener says where no route answers: in the error shape of the data API, in plain words on
 * the other two.
 *
 * On the data API an unknown path is 404, a known path with another method 405 with `Allow`, a
 * method that the sandbox does not implement at all 501. A request under a name that is not the
 * sandbox's is 421 everywhere (RFC 9110 §15.5.20).
 */
import { ErrorCode, matchPath } from "@game-data/contract";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as HttpServerError from "effect/http/HttpServerError";
import type * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import { type Listener, listenerOf } from "./Listener.ts";

type Request = Pick<HttpServerRequest.HttpServerRequest, "method" | "url">;

/** The answer to a path that a listener does not serve. */
export const unknownPath = (
  listener: Listener,
  request: Request,
): HttpServerResponse.HttpServerResponse => {
  if (listener === "control") return CONTROL;
  if (listener === "auth") return AUTH;
  if (!METHODS.includes(request.method)) {
    const message = `The sandbox does not implement ${request.method}.`;
    return dataError(501, ErrorCode.InternalError, message);
  }
  const methods = allowedMethods(request.url);
  // A path that fits and was not found all the same is one that the router does not take: too long
  // a name.
  if (methods.length === 0 || methods.includes(request.method))
    return dataError(404, ErrorCode.ResourceNotFound, "No such path.");
  const allow = methods.join(", ");
  return dataError(405, ErrorCode.MethodNotAllowed, `Method not allowed; use ${allow}.`, { allow });
};

/** The answer to a request under a name that is not the sandbox's. */
export const misdirectedRequest = (
  listener: Listener,
  reason: string,
): HttpServerResponse.HttpServerResponse => {
  if (listener === "data") return dataError(421, ErrorCode.InvalidQuery, `Misdirected: ${reason}.`);
  return listener === "control"
    ? HttpServerResponse.jsonUnsafe({ reason }, { status: 421 })
    : HttpServerResponse.text(`misdirectedRequest: ${reason}\n`, { status: 421 });
};

/** `service`, with the answer of `listener` where no route was found. */
export const withNotFound = <E, R>(
  service: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  listener: Listener,
  request: Request,
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.catchCause(service, (cause) =>
    isRouteNotFound(cause)
      ? Effect.succeed(unknownPath(listener, request))
      : Effect.failCause(cause),
  );

/** Whether a request failed because no route was found. */
export const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause);
  return HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound";
};

/** An error in the shape of the data API. */
export const dataError = (
  status: number,
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(
    { error: { code, message } },
    { status, headers: { "cache-control": "no-store", ...headers } },
  );

const CONTROL = HttpServerResponse.jsonUnsafe(
  { reason: "no such path; /docs/control lists what there is" },
  { status: 404 },
);

const AUTH = HttpServerResponse.text("no such path on the auth address\n", { status: 404 });

/** Methods that HTTP clients use; any other one is not implemented here. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The methods that a path of the data API answers; none for an unknown path. */
const allowedMethods = (url: string): ReadonlyArray<string> => {
  if (listenerOf(url) !== "data") return [];
  const path = /^[^?#]*/u.exec(url)![0];
  return METHODS.filter(
    (method) => matchPath(method === "HEAD" ? "GET" : method, path) !== undefined,
  );
};
