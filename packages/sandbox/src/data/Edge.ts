/**
 * The edge of the data API: what no endpoint answers, in the error shape of the contract.
 *
 * An unknown path is 404, a known path with another method 405 with `Allow`, a method that the sandbox does not implement
 * at all 501, a body of another type 415, and whatever breaks inside 500. The other faces answer for themselves.
 */
import { ErrorCode, errorCodeOfStatus, matchPath } from "@game-data/contract";
import { Cause, Effect } from "effect";
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http";
import { surfaceOf } from "../internal/surfaces.ts";

const MESSAGES: Readonly<Record<number, string>> = {
  413: "The body is too large.",
  415: "The body has to be application/json.",
};

/** A global middleware right around the endpoints. */
export const DataEdge = HttpRouter.middleware(
  (handle) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      surfaceOf(request.url) === "data"
        ? Effect.catchCause(Effect.map(handle, inShape), (cause) => answerFailure(cause, request))
        : handle,
    ),
  { global: true },
);

/** The framework refuses a body in plain text, or with nothing at all. */
const inShape = (response: HttpServerResponse.HttpServerResponse) => {
  const message = MESSAGES[response.status];
  const isOurs = response.headers["content-type"]?.startsWith("application/json") === true;
  if (message === undefined || isOurs) return response;
  return errorAnswer(
    response.status,
    errorCodeOfStatus(response.status) ?? ErrorCode.UnprocessableEntity,
    message,
  );
};

const answerFailure = <E>(
  cause: Cause.Cause<E>,
  request: HttpServerRequest.HttpServerRequest,
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  if (cause.reasons.some((reason) => reason._tag === "Interrupt")) return Effect.failCause(cause);
  if (isRouteNotFound(Cause.squash(cause))) return Effect.succeed(unanswered(request));
  return Effect.as(
    Effect.logError("a request to the data API failed", cause),
    errorAnswer(500, ErrorCode.InternalError, "Internal error"),
  );
};

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound";

/** Methods that HTTP clients use; any other one is not implemented here. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const unanswered = (request: HttpServerRequest.HttpServerRequest) => {
  if (!METHODS.includes(request.method)) {
    const message = `The sandbox does not implement ${request.method}.`;
    return errorAnswer(501, ErrorCode.InternalError, message);
  }
  const methods = allowedMethods(request.url);
  if (methods.length === 0) return errorAnswer(404, ErrorCode.ResourceNotFound, "No such path.");
  const allow = methods.join(", ");
  return errorAnswer(405, ErrorCode.MethodNotAllowed, `Method not allowed; use ${allow}.`, {
    allow,
  });
};

/** The methods that a path answers; none for an unknown path. */
const allowedMethods = (url: string): ReadonlyArray<string> => {
  const path = /^[^?#]*/u.exec(url)![0];
  return METHODS.filter(
    (method) => matchPath(method === "HEAD" ? "GET" : method, path) !== undefined,
  );
};

const errorAnswer = (
  status: number,
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
) =>
  HttpServerResponse.jsonUnsafe(
    { error: { code, message } },
    { status, headers: { "cache-control": "no-store", ...headers } },
  );
